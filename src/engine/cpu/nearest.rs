//! Which image of a pair is the nearest, where bins reach beyond half of the box and several are in reach.

use super::Run;
use crate::domain::{Image, Nearness};
use crate::separation::{Separation, difference};

impl Run<'_> {
    /// The separation of two slots, if `image` makes it the nearest.
    #[inline]
    pub(super) fn separation_under(&self, [i, j]: [usize; 2], image: Image) -> Option<Separation> {
        let [first, second] = self.positions();
        let (x1, x2) = (first.at(i), second.at(j));
        if let Some(faces) = &self.faces {
            let moved = faces.moved(difference(x1, x2), image);
            match faces.nearness(moved, image) {
                Nearness::Nearest => return Some(Separation::new(moved, x1, x2)),
                Nearness::Farther => return None,
                Nearness::Unsure => {}
            }
        }
        let (sep, nearest) = self.job.domain().separation_and_image(x1, x2);
        (nearest == image).then_some(sep)
    }
}
