//! The engine that counts the jobs of a command, and which units of them it counts.
//!
//! Entry: [`Engines`], from the flags; [`Engines::for_jobs`] then says which engine counts the jobs of a command.

use std::rc::Rc;
use std::sync::Arc;

use albireo::engine::{AnyEngine, Exactness};
use albireo::{CountSpec, PairJob};
use albireo_covariance::sampler::{SampleJob, choose_engine as choose_rounds};
use albireo_fields::{FieldJob, choose_engine as choose_field};
use anyhow::Result;

use crate::args::RunFlags;
use crate::checkpoint::CheckpointFlags;
use crate::compute::Who;
use crate::node::Node;
use crate::session::Session;
use crate::watch::Watch;
use crate::worker::{Worker, Works};
use crate::world::World;

/// The engine asked for, or the choice of one, and which units it counts.
pub(crate) struct Engines {
    who: Who,
    pub(crate) works: Works,
    world: Rc<dyn World>,
    watch: Arc<dyn Watch>,
}

impl Engines {
    /// What the flags ask for; GPUs asked for by name begin here, and files of parts are read.
    pub(crate) fn new(flags: &RunFlags, session: &Session<'_>) -> Result<Self> {
        Self::with_checkpoints(flags, &CheckpointFlags::default(), session)
    }

    /// The same with checkpoints, where they are asked for.
    pub(crate) fn with_checkpoints(
        flags: &RunFlags,
        kept: &CheckpointFlags,
        session: &Session<'_>,
    ) -> Result<Self> {
        let who = session.kept.opened.engine(flags, &*session.world)?;
        let works = Works::new((&flags.pieces, kept), who.exactness(), session)?;
        Ok(Self {
            who,
            works,
            world: Rc::clone(&session.world),
            watch: Arc::clone(&session.watch),
        })
    }

    /// The same for bins that reach beyond half the box, of separations alone or of more. GPUs count the former, by themselves: else the processor
    /// does, and results say so.
    pub(crate) fn beyond_half(self, flags: &RunFlags, radial: bool) -> Result<Self> {
        let who = self.who.beyond_half(flags, radial)?;
        Ok(Self { who, ..self })
    }

    /// The processes that count together.
    pub(crate) fn world(&self) -> &Rc<dyn World> {
        &self.world
    }

    /// Who follows the counts.
    pub(crate) fn watch(&self) -> &Arc<dyn Watch> {
        &self.watch
    }

    /// The ranks of this node, where there are several.
    pub(crate) fn node(&self) -> Option<Node> {
        Node::of(&self.world)
    }

    /// Whether its counts are exact.
    pub(crate) fn exactness(&self) -> Exactness {
        self.who.exactness()
    }

    /// Who makes the sums per target of a job.
    pub(crate) fn for_field(&self, job: &FieldJob) -> AnyEngine {
        self.who.or(|auto| choose_field(auto, job))
    }

    /// Who samples some rounds of a covariance.
    pub(crate) fn for_covariance(&self, job: &SampleJob, rounds: u64) -> AnyEngine {
        self.who.or(|auto| choose_rounds(auto, job, rounds))
    }

    /// The engine that counts all of `jobs`.
    pub(crate) fn for_jobs(&self, jobs: &[(PairJob<'_>, CountSpec)]) -> AnyEngine {
        self.who.for_jobs(jobs)
    }

    /// The engine that counts all of `jobs`, or the units of them that this process has.
    pub(crate) fn worker(&self, jobs: &[(PairJob<'_>, CountSpec)]) -> Result<Worker> {
        self.works.by(self.for_jobs(jobs), jobs.len())
    }
}
