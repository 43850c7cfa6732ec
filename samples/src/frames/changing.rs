//! Boxes of frames that change where one is given for all of them: what a volume is known from is then wrong for most.
//!
//! Entry: [`ChangingBox`].

use std::sync::OnceLock;

use albireo_catalogs::Cell;

use super::source::NumberedFrame;
use super::suspicion::text;
use crate::notice::Notice;
use crate::space::{Rows, differ};

/// The box that the first frame states, and the first frame that was found to state another.
#[derive(Debug)]
pub(super) struct ChangingBox {
    first: Option<Cell>,
    found: OnceLock<Notice>,
}

impl ChangingBox {
    pub(super) fn new(first: Option<Cell>) -> Self {
        Self {
            first,
            found: OnceLock::new(),
        }
    }

    /// Looks at a frame beside the box given in place of those that frames state, along whose closed axes they are compared.
    pub(super) fn look(&self, given: &Rows, frame: &NumberedFrame) {
        let (Some(first), Some(cell)) = (&self.first, &frame.frame.cell) else {
            return;
        };
        let closed = |cell: &Cell| {
            let vectors = cell.vectors();
            [0, 1, 2].map(|k| given[k].and(Some(vectors[k])))
        };
        if differ(&closed(cell), &closed(first)) {
            let [first, found] = [first, cell].map(|cell| text(&closed(cell)));
            let frame = super::at(frame);
            self.found.get_or_init(|| Notice::warning(format!(
                "{frame}: the box that frames state changes, from {first} in the first to {found} here, and --box is one for all of them: leave \
                 it out where theirs are right"
            )));
        }
    }

    pub(super) fn notice(&self) -> Option<&Notice> {
        self.found.get()
    }
}
