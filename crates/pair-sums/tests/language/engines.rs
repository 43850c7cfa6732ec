//! Drawn expressions through the double loop and through the processor's lanes: the same integers.

use std::sync::Arc;

use albireo::engine::{Cpu, Silent};
use albireo::tally::{CountSpec, End};
use albireo::{Domain, Engine, Naive, PairJob, Pairs};
use albireo_pair_sums::{Geometry, Objects, PairSums};

use crate::draw::{Draw, Text, words};
use crate::orders::spec;
use crate::{filled, width};

/// Whether a count of these sums was made, by both.
fn same(
    draw: &mut Draw,
    sums: &PairSums,
    what: &CountSpec,
    domain: &Domain,
    geometry: &Geometry,
    auto: bool,
) -> bool {
    let size = |draw: &mut Draw| [0, 1, 2, 17, 100][draw.below(5)];
    let bounded = sums.clone().with_bound("s", 2.0).unwrap();
    let bind = |first: &Objects<'_>, second: &Objects<'_>| {
        let program = sums.bind(first, second, geometry);
        program
            .or_else(|_| bounded.bind(first, second, geometry))
            .ok()
    };
    let rows = size(draw);
    let first = draw.particles(rows, domain);
    let taken = if auto {
        sums.columns_of_both()
    } else {
        sums.object_columns(End::First)
    };
    let first = filled(&first, &taken, |text| draw.column(text, rows));
    let one = Objects {
        particles: &first,
        columns: &taken,
    };
    let rows = size(draw);
    let second = draw.particles(rows, domain);
    let of_second = sums.object_columns(End::Second);
    let second = filled(&second, &of_second, |text| draw.column(text, rows));
    let other = Objects {
        particles: &second,
        columns: &of_second,
    };
    let (program, pairs) = if auto {
        (bind(&one, &one), Pairs::Auto(&first))
    } else {
        (bind(&one, &other), Pairs::Cross(&first, &second))
    };
    let Some(program) = program else {
        return false;
    };
    let what = if pairs.have_weights() {
        what.clone().with_weights()
    } else {
        what.clone()
    };
    let what = what.with_program(Arc::new(program));
    let job = PairJob::new(pairs, domain).unwrap();
    let Ok(naive) = Naive.run(&job, &what, &Silent) else {
        // An odd value in a count of unordered pairs.
        assert!(auto && Cpu::new().run(&job, &what, &Silent).is_err());
        return false;
    };
    assert_eq!(
        naive,
        Cpu::new().run(&job, &what, &Silent).unwrap(),
        "{:?}",
        sums.texts().collect::<Vec<_>>()
    );
    true
}

#[test]
fn lanes_sum_what_the_double_loop_sums() {
    let counts = if cfg!(debug_assertions) { 150 } else { 1000 };
    let mut draw = Draw(2);
    let mut made = 0;
    for count in 0..counts {
        let domain = draw.domain();
        let bins = draw.bins(&domain);
        let left = draw.below(16);
        let words = words(&bins, &domain);
        let text = Text {
            draw: &mut draw,
            left,
            words: &words,
        }
        .whole();
        let Ok(sums) = PairSums::parse(&[spec(&text)], &[], &width) else {
            continue;
        };
        let geometry = Geometry::of(&bins, &domain);
        made += usize::from(same(
            &mut draw,
            &sums,
            &CountSpec::new(bins),
            &domain,
            &geometry,
            count % 2 == 0,
        ));
    }
    assert!(made * 10 > counts * 7, "{made} of {counts}");
}
