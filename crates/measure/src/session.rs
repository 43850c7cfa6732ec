//! What a command is carried out with: how it was called, what earlier ones have left, with which processes, and where results go.
//!
//! Entry: [`Session`], which every command is given, and its [`Sink`]. What a sink does with results is in `output`; samples are read in `inputs`.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::caller::Caller;
use crate::kept::Kept;
use crate::record::Arguments;
use crate::watch::Watch;
use crate::world::{Alone, World};

/// What a command line is carried out with.
pub(crate) struct Session<'a> {
    pub(crate) arguments: &'a Arguments,
    /// Samples and counts of earlier commands.
    pub(crate) kept: &'a mut Kept,
    /// The processes that carry it out together.
    pub(crate) world: Rc<dyn World>,
    /// Who is shown how far it is, and may ask for a stop.
    pub(crate) watch: Arc<dyn Watch>,
    pub(crate) sink: Sink,
}

/// Where results go: to files and the terminal, or to a caller.
#[derive(Clone, Default)]
pub(crate) struct Sink {
    /// Whether another process writes and tells the results.
    pub(crate) is_silent: bool,
    /// Whether files that are no results may be written over.
    pub(crate) overwrite: bool,
    /// Seconds of counting by all plans that are printed, where somebody adds them up.
    pub(crate) planned: Option<Rc<Cell<f64>>>,
    /// The program that takes results in memory.
    pub(crate) caller: Option<Rc<Caller>>,
}

impl<'a> Session<'a> {
    /// Of one process, with files and a terminal.
    pub(crate) fn new(arguments: &'a Arguments, kept: &'a mut Kept, watch: Arc<dyn Watch>) -> Self {
        Self {
            arguments,
            kept,
            world: Rc::new(Alone::default()),
            watch,
            sink: Sink::default(),
        }
    }

    /// The same as one of the ranks of `world`, of which the first writes and tells.
    pub(crate) fn within(self, world: &Rc<dyn World>) -> Self {
        let sink = Sink {
            is_silent: world.rank() != 0,
            ..self.sink
        };
        Self {
            world: Rc::clone(world),
            sink,
            ..self
        }
    }

    /// Another command line of the same session.
    pub(crate) fn again<'b>(&'b mut self, arguments: &'b Arguments) -> Session<'b> {
        Session {
            arguments,
            kept: &mut *self.kept,
            world: Rc::clone(&self.world),
            watch: Arc::clone(&self.watch),
            sink: self.sink.clone(),
        }
    }

    /// Has `make` the results of one command that are several, which share samples, and counts until all are made.
    pub(crate) fn for_several<T>(&mut self, make: impl FnOnce(&mut Session<'_>) -> T) -> T {
        let mut own = self.kept.for_several();
        let kept = if self.kept.is_empty_handed() {
            &mut own
        } else {
            &mut *self.kept
        };
        let mut all = Session {
            arguments: self.arguments,
            kept,
            world: Rc::clone(&self.world),
            watch: Arc::clone(&self.watch),
            sink: self.sink.clone(),
        };
        all.kept.forget_sets();
        let made = make(&mut all);
        all.kept.forget_sets();
        made
    }

    /// Whether this process writes and tells results: alone, or as the first of several.
    pub(crate) fn is_first(&self) -> bool {
        !self.sink.is_silent
    }
}
