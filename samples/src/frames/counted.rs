//! What looks wrong about the particles of the first frame that are counted: some of them there twice, or parts of their box without any.
//!
//! Entry: [`FrameChoice::doubts`].

use albireo::{Domain, Outside, Particles, Points};
use albireo_catalogs::{Atoms, Attribute, Frame, TIME_NAMES};
use albireo_fluids::frames::FrameJob;

use super::centres::of_rows;
use super::{FrameChoice, NumberedFrame};
use crate::gaps::vacuum;
use crate::notice::Notice;
use crate::repeated::{percent, share_of_copies};
use crate::suspicion::times_of_frames;

impl FrameChoice {
    /// What looks wrong about the particles that `job` has of the first frame; `of_whole_box` where g(r) is relative to the density in all of it.
    pub fn doubts(&self, first: &NumberedFrame, job: &FrameJob, of_whole_box: bool) -> Vec<Notice> {
        let copies = self.copies(first, job);
        let empty = of_whole_box.then(|| self.empty_parts(first, job)).flatten();
        let mut found: Vec<Notice> = copies.into_iter().chain(empty).collect();
        // Centres of molecules are no atoms.
        if self.reading.centres.is_none() {
            found.extend(self.alternates(first));
            found.extend(self.several_times(first));
        }
        found
    }

    /// Particles that lie exactly where others do.
    fn copies(&self, first: &NumberedFrame, job: &FrameJob) -> Option<Notice> {
        let is_flat = self.reading.flat.is_some();
        let share = (!is_flat).then(|| share_of_copies(job.particles.points()))??;
        Some(Notice::warning(format!(
            "{}: about {} % of the particles of the first frame lie exactly where another one does, and make pairs with their copies: are \
             they there twice?",
            first.path.display(),
            percent(share)
        )))
    }

    /// Parts of the box without any particle of the frame, counted or not.
    fn empty_parts(&self, first: &NumberedFrame, job: &FrameJob) -> Option<Notice> {
        let Domain::Periodic(cell) = &job.domain else {
            return None;
        };
        if self.other_box(first).is_some() {
            return None;
        }
        let [x, y, z] = first.frame.positions.clone();
        let all = Particles::new(Points::new(x, y, z).ok()?);
        let placed = job.domain.place(all, Outside::Wrap).ok()?;
        let (axis, parts) = vacuum(placed.points(), cell)?;
        Some(Notice::warning(format!(
            "{}: no particle of the first frame lies {parts} of the box, and g(r) is relative to the density in all of it: for a slab \
             or a drop between walls, --walls such as slab:{},LO,HI takes the part that is filled",
            first.path.display(),
            axis.name()
        )))
    }

    /// The column of the particles that are counted.
    fn of_counted(&self, first: &NumberedFrame, column: &str) -> Option<Attribute> {
        let atoms = self.merged(&first.frame).ok()?;
        let attribute = Atoms::get(&atoms, column)?.clone();
        let frame = Frame {
            atoms,
            ..first.frame.clone()
        };
        let chosen = self.chosen_or_last(&frame, &first.path).ok()?;
        Some(match &chosen.rows {
            Some(rows) => of_rows(&attribute, rows),
            None => attribute,
        })
    }

    /// Atoms of crystals that are there at several places, each by a letter.
    fn alternates(&self, first: &NumberedFrame) -> Option<Notice> {
        const COLUMN: &str = "altloc";
        let Attribute::Texts { texts, codes } = self.of_counted(first, COLUMN)? else {
            return None;
        };
        let letter = |code: &u32| texts[*code as usize].as_str();
        let letters = codes.iter().map(letter).filter(|text| !text.is_empty());
        let usual = letters.clone().min()?;
        let others = letters.filter(|letter| *letter != usual).count();
        (others > 0).then(|| {
            Notice::warning(format!(
                "{}: {others} of {} atoms of the first frame are alternate locations (`altloc` neither blank nor {usual}), and are counted beside the \
                 others: --where 'altloc == \"\" || altloc == \"{usual}\"' takes each atom once",
                first.path.display(),
                codes.len()
            ))
        })
    }

    /// A table without frame numbers whose rows have several times.
    fn several_times(&self, first: &NumberedFrame) -> Option<Notice> {
        let mut names = first.frame.atoms.names();
        let is_time = |name: &&str| {
            TIME_NAMES
                .iter()
                .any(|time| name.eq_ignore_ascii_case(time))
        };
        let column = names.find(is_time)?;
        let values = match self.of_counted(first, column)? {
            Attribute::Numbers(values) => values,
            #[allow(
                clippy::cast_precision_loss,
                reason = "times are compared with each other"
            )]
            Attribute::Integers(values) => values.iter().map(|&value| value as f64).collect(),
            _ => return None,
        };
        times_of_frames(&first.path, (column, &values))
    }
}
