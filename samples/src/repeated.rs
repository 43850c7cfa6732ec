//! Rows that are there more than once: of tiles that overlap, or of a table that was put together twice.
//!
//! Entry: [`repeated`], and [`data_among_randoms`]. Equal positions have equal numbers, of which a part is taken where rows are many: with any of them all of its copies.

use albireo::{Points, pool};

use crate::notice::Notice;
use crate::sample::Sample;

/// Rows whose numbers are compared, about: of more, a part.
const ENOUGH: usize = 1 << 16;
/// Rows that are looked at at a time.
const ROWS: usize = 1 << 16;
/// Copies that are worth saying: so many among the rows compared, and this part of them. They are all in the first bin.
const COPIES: usize = 2;
const SHARE: f64 = 0.001;

/// A number of a position that others share by chance only in one of 2^64 cases.
fn number_of(position: [f64; 3]) -> u64 {
    // Both zeros are one place.
    let bits = position.map(|x| (x + 0.0).to_bits());
    bits.into_iter().fold(0, |number, bits| {
        let mixed = (number ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    })
}

/// Enough of the numbers of a sample, rising.
fn enough(points: &Points) -> Vec<u64> {
    let parts = (points.len() / ENOUGH).next_power_of_two() as u64;
    numbers(points, |number| number % parts == 0)
}

/// The numbers of positions that are kept, rising.
fn numbers(points: &Points, is_kept: impl Fn(u64) -> bool + Sync) -> Vec<u64> {
    let (view, rows) = (points.view(), points.len());
    let of_rows = |begin: usize| -> Vec<u64> {
        let numbers = (begin..rows.min(begin + ROWS)).map(|row| number_of(view.at(row)));
        numbers.filter(|number| is_kept(*number)).collect()
    };
    let numbers = pool::each(rows.div_ceil(ROWS), |part| of_rows(part * ROWS));
    let mut numbers = numbers.concat();
    numbers.sort_unstable();
    numbers
}

/// What part of all so many copies are, if it is worth saying.
fn share(copies: usize, all: usize) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "a share of some thousand rows")]
    let share = copies as f64 / all as f64;
    (copies >= COPIES && share >= SHARE).then_some(share)
}

/// The share of rows that lie exactly where one before them does.
pub(crate) fn share_of_copies(points: &Points) -> Option<f64> {
    let mut numbers = enough(points);
    let all = numbers.len();
    numbers.dedup();
    share(all - numbers.len(), all)
}

/// The share of data that lie exactly where a row of randoms does.
fn share_among(data: &Points, randoms: &Points) -> Option<f64> {
    let data = enough(data);
    // Randoms may be very many: those alone are kept that are data.
    let randoms = numbers(randoms, |number| data.binary_search(&number).is_ok());
    let is_there = |number: &&u64| randoms.binary_search(number).is_ok();
    share(data.iter().filter(is_there).count(), data.len())
}

/// A share in per cent, in two digits where it is small.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 0.95 {
        format!("{percent:.1}")
    } else {
        percent.round().to_string()
    }
}

/// Randoms that hold a part of their data: those pairs have separation 0.
pub(crate) fn data_among_randoms(data: &Sample, randoms: &Sample) -> Option<Notice> {
    let share = share_among(data.particles.points(), randoms.particles.points())?;
    Some(Notice::warning(format!(
        "about {} % of the {} lie exactly where {} do ({}): are the data among their randoms? --randoms-where leaves them out",
        percent(share),
        data.role,
        randoms.role,
        randoms.path.display()
    )))
}

/// A sample of which a part of the rows is there more than once.
pub(crate) fn repeated(sample: &Sample) -> Option<Notice> {
    let share = share_of_copies(sample.particles.points())?;
    Some(Notice::warning(format!(
        "{} ({}): about {} % of the rows lie exactly where another row does, and make pairs with their copies: are objects there twice?",
        sample.role,
        sample.path.display(),
        percent(share)
    )))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use super::*;
    use albireo::random;

    /// `rows` random points, of which the first so many follow again.
    fn again(rows: usize, copies: usize) -> Points {
        let points = random::in_box(rows, 1, [1.0; 3]).unwrap();
        let column = |axis: usize| {
            let all = (0..rows).chain(0..copies);
            all.map(|row| points.at(row)[axis]).collect::<Vec<_>>()
        };
        Points::new(column(0), column(1), column(2)).unwrap()
    }

    fn share(rows: usize, copies: usize) -> Option<f64> {
        share_of_copies(&again(rows, copies))
    }

    #[test]
    fn copies_are_found_among_few_and_among_many() {
        assert_eq!(share(100, 0), None);
        assert_eq!(share(100, 1), None);
        assert_eq!(share(100, 2), Some(2.0 / 102.0));
        assert_eq!(share(100, 100), Some(0.5));
        let (few, many) = (share(400_000, 200), share(400_000, 100_000).unwrap());
        assert!(few.is_none() && (many - 0.2).abs() < 0.01, "{many}");
    }

    #[test]
    fn data_are_found_among_randoms() {
        let (data, all) = (again(100, 0), again(300_000, 0));
        let others = random::in_box(1000, 2, [1.0; 3]).unwrap();
        assert_eq!(share_among(&data, &all), Some(1.0));
        assert_eq!(share_among(&all, &data), None);
        assert_eq!(
            share_among(&all, &again(150_000, 0)).map(|share| share > 0.45),
            Some(true)
        );
        assert_eq!(share_among(&others, &all), None);
    }

    #[test]
    fn both_zeros_are_one_place_and_no_axis_is_another() {
        assert_eq!(number_of([0.0, 1.0, 2.0]), number_of([-0.0, 1.0, 2.0]));
        assert_ne!(number_of([0.0, 1.0, 2.0]), number_of([1.0, 0.0, 2.0]));
    }
}
