//! Seconds that each unit of a job takes on one thread, as a table: what `benches/scaling.py` schedules.
//!
//!     cargo run --release --example unit_costs -- box 1000000 > box.csv      (or dd, rr: a clustered sample, random points in a shell)

use std::ops::Range;
use std::time::Instant;

use albireo::engine::{Cpu, PreparedJob, Silent};
use albireo::{CountSpec, Domain, Edges, Engine, Particles, PeriodicBox, Points, RBins, random};

/// Of so many times the middle one is taken: a machine that does something else for a moment makes no unit dear.
const REPEATS: usize = 5;

/// Points within a shell of radii 0.5 and 1 in one octant, as a survey fills it; half of them in clumps where they are `clustered`.
fn survey(n: usize, clustered: bool) -> Result<Points, albireo::Error> {
    let all = random::in_box(8 * n, 3, [1.0; 3])?;
    let jitter = random::in_box(n, 4, [0.01; 3])?;
    let view = all.view();
    let inside = (0..all.len()).map(|row| view.at(row)).filter(|x| {
        let r2: f64 = x.iter().map(|x| x * x).sum();
        (0.25..1.0).contains(&r2)
    });
    let mut rows: Vec<[f64; 3]> = inside.take(n).collect();
    if clustered {
        let jitter = jitter.view();
        for row in (1..rows.len()).step_by(2) {
            let (centre, d) = (rows[row - row % 100], jitter.at(row));
            rows[row] = [0, 1, 2].map(|axis| centre[axis] + d[axis]);
        }
    }
    Points::from_rows(&rows).map_err(Into::into)
}

#[allow(clippy::print_stdout, reason = "a table is what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let case = words.next().unwrap_or_else(|| "box".to_owned());
    let n: usize = words.next().map_or(Ok(100_000), |n| n.parse())?;
    let (points, domain) = match case.as_str() {
        "box" => (
            random::in_box(n, 1, [1.0; 3])?,
            Domain::Periodic(PeriodicBox::cubic(1.0)?),
        ),
        "dd" | "rr" => (survey(n, case == "dd")?, Domain::Open),
        other => return Err(format!("expected box, dd or rr, found `{other}`").into()),
    };
    let engine = Cpu::new().with_threads(1)?;
    let sample = engine.prepare(Particles::new(points), &domain, &Silent)?;
    let job = PreparedJob::auto(&sample);
    // As 150 Mpc/h are to a box of 2 Gpc/h.
    let what = CountSpec::new(RBins::new(Edges::linear(0.0, 0.075, 30)?));
    let units = engine.units(&job, &what, &Silent)?;
    // Laid out once, for all units.
    engine.tally_units(&job, &what, (&units, 0..0), &Silent)?;
    let timed = |run: Range<usize>| -> Result<f64, albireo::error::EngineError> {
        let mut seconds = [0.0; REPEATS];
        for seconds in &mut seconds {
            let start = Instant::now();
            engine.tally_units(&job, &what, (&units, run.clone()), &Silent)?;
            *seconds = start.elapsed().as_secs_f64();
        }
        seconds.sort_by(f64::total_cmp);
        Ok(seconds[REPEATS / 2])
    };
    let begin = timed(0..0)?;
    println!("unit,cost,seconds,begin");
    for unit in 0..units.len() {
        let seconds = (timed(unit..unit + 1)? - begin).max(0.0);
        println!(
            "{unit},{},{seconds:e},{begin:e}",
            units.cost(unit..unit + 1)
        );
    }
    Ok(())
}
