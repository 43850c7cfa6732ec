//! Sums of separations alone: whether float64 may measure every pair at once, and where slots lie then.
//!
//! Entry: [`Measured::of`]. `kernels/measured.cuh` says what it relies on: that stands here, of the job's own extents.

use albireo_kernels::Across;
use albireo_kernels::structs::DeviceAxis;
use albireo_simd::fixed_point::{exponent, scaled};

use super::frame::Arrangement;
use super::slots::{exact_axis, table_axis};
use crate::binning::{Edges, Form, Formed};
use crate::domain::Domain;

/// How far equally wide edges may be from where they should be, in bins, and the numbers that count them: 2^-24 and 2^19.
const UNEVEN: f64 = 1.0 / 16_777_216.0;
const MOST_SLOTS: f64 = 524_288.0;
/// The shortest edge but 0 and the largest length that occurs, in scaled lengths: 2^-50 and 2^50.
const SHORTEST: f64 = 1.0 / LONGEST;
const LONGEST: f64 = 1_125_899_906_842_624.0;
/// Relative error of the leading bits of a square, 2^-20 of them left out, and of the square itself.
const LEADING: f64 = 1.01 / 1_048_576.0;

/// Where kernels number the first slot, and the slack that they add.
const FIRST_SLOT: f64 = 1_048_577.0 + 1024.0 / 4_294_967_296.0;
/// The margin of an entry of the table that says nothing: infinity.
const CROWDED: u32 = 0x7f80_0000;

/// Where float64 puts the pairs that it measures.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub(super) axis: DeviceAxis,
    /// The table of edges, where widths are not equal.
    pub(super) table: Vec<[u32; 2]>,
    /// A length of 1, so that the last edge lies in [1/2, 1): a power of two.
    pub(super) unit: f64,
}

impl Measured {
    /// The slots of bins in r over an arrangement; none where pairs must be looked at one by one.
    pub(super) fn of(
        binning: &Formed<'_>,
        arrangement: &Arrangement,
        domain: &Domain,
    ) -> Option<Self> {
        let Form::Radial { r } = binning.form else {
            return None;
        };
        let in_cells = matches!(arrangement, Arrangement::Sorted(_));
        let unit = scaled(1.0, exponent(r.last()));
        let sole = match domain {
            Domain::Open => true,
            // Under another image than the nearest a pair is at least half of the box apart, as computed.
            Domain::Periodic(cell) => {
                let mut lengths = cell.lengths().into_iter().flatten();
                in_cells && lengths.all(|length| r.last() <= length / 2.0)
            }
            Domain::Triclinic(lattice) => {
                in_cells && r.last() * r.last() <= lattice.sole_image2() * (1.0 - 1e-12)
            }
        };
        let frame = arrangement.frame();
        let longest = frame.farthest.max(frame.diagonal());
        let shortest = r.values()[..2].iter().find(|&&edge| edge > 0.0);
        let within = longest * unit < LONGEST && shortest? * unit > SHORTEST;
        (sole && !binning.on_sphere && within)
            .then(|| Self::slots(r, unit))
            .flatten()
    }

    fn slots(r: &Edges, unit: f64) -> Option<Self> {
        let even = exact_axis(r.values());
        if is_even(r, &even) {
            let axis = DeviceAxis {
                guess_scale: even.guess_scale / unit,
                guess_offset: even.guess_offset + FIRST_SLOT,
                ..even
            };
            return Some(Self {
                axis,
                table: Vec::new(),
                unit,
            });
        }
        let (axis, table) = table_axis(r, unit, |square| square * LEADING, true)?;
        // Nothing is known where several edges share an entry.
        let known = |entry: &[u32; 2]| entry[1] & CROWDED != CROWDED;
        let all_known = table.iter().all(known);
        all_known.then_some(Self { axis, table, unit })
    }

    pub(super) fn across(&self) -> Across {
        if self.table.is_empty() {
            Across::Clamped
        } else {
            Across::Table
        }
    }
}

/// Whether the guess at a slot is as good as kernels take it for.
fn is_even(r: &Edges, axis: &DeviceAxis) -> bool {
    let off =
        |(k, edge): (usize, &f64)| (edge * axis.guess_scale + axis.guess_offset - k as f64).abs();
    let uneven = r.values().iter().enumerate().map(off).fold(0.0, f64::max);
    uneven <= UNEVEN && axis.guess_offset.abs() + f64::from(axis.bins) < MOST_SLOTS
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::super::frame::Frame;
    use super::*;
    use crate::binning::{Bins, RBins};
    use crate::domain::PeriodicBox;
    use crate::pairs::Pairs;
    use crate::particles::{Particles, Points};

    /// What is known of bins in a space whose farthest point is so far.
    fn measured(edges: Edges, domain: &Domain, farthest: f64) -> Option<Measured> {
        let points = Points::from_rows(&[[0.0; 3], [farthest; 3]]).unwrap();
        let sample = Particles::new(points);
        let frame = Frame::new(Pairs::Auto(&sample), domain, false);
        let bins = RBins::new(edges);
        let bins = Bins::from(&bins);
        let formed = Formed::of(&bins).unwrap();
        Measured::of(&formed, &Arrangement::AsGiven(frame), domain)
    }

    #[test]
    fn usual_bins_are_measured() {
        let even = measured(Edges::linear(0.0, 150.0, 30).unwrap(), &Domain::Open, 1e3).unwrap();
        assert_eq!((even.across(), even.unit), (Across::Clamped, 1.0 / 256.0));
        // Every edge lies the slack above its slot.
        for (k, edge) in [(0, 0.0), (7, 35.0), (30, 150.0)] {
            let slot = edge * even.unit * even.axis.guess_scale + even.axis.guess_offset;
            let slack = slot - 1_048_577.0 - f64::from(k);
            assert!((slack * 4_194_304.0 - 1.0).abs() < 0.01, "{k}: {slack}");
        }
        let logarithmic = Edges::logarithmic(0.1, 150.0, 20).unwrap();
        let uneven = measured(logarithmic, &Domain::Open, 1e3).unwrap();
        assert_eq!(uneven.across(), Across::Table);
    }

    #[test]
    fn what_kernels_rely_on_must_hold() {
        let refused = |edges: Edges, domain: &Domain, farthest| {
            assert_eq!(measured(edges, domain, farthest), None);
        };
        let linear = |low, n| Edges::linear(low, 0.4, n).unwrap();
        refused(linear(0.0, 4), &Domain::Open, 1e20);
        refused(
            Edges::logarithmic(1e-20, 0.4, 4).unwrap(),
            &Domain::Open,
            1.0,
        );
        // All pairs of a box find their images one by one.
        let cubic = Domain::Periodic(PeriodicBox::cubic(1.0).unwrap());
        refused(linear(0.0, 4), &cubic, 0.9);
        let close = Edges::new(vec![0.1, 0.100_000_1, 0.4]).unwrap();
        refused(close, &Domain::Open, 1.0);
        // More slots than are numbered.
        let narrow = Edges::linear(0.399_999, 0.4, 2).unwrap();
        assert!(!is_even(&narrow, &exact_axis(narrow.values())));
        assert!(is_even(
            &linear(0.3, 50),
            &exact_axis(linear(0.3, 50).values())
        ));
    }
}
