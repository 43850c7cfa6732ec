//! A count of columns of a periodic box of side 1, in 20 bins to 0.02, once for every line on its input: what `benches/python.py` holds calls against.
//!
//!     cargo run --release --example count_columns -- x y z      (native float64; prints the seconds of the call and the pairs in bins)

use std::time::Instant;

use albireo::counts::count_pairs;
use albireo::domain::Outside;
use albireo::engine::{Cpu, Silent};
use albireo::particles::Column;
use albireo::{Domain, Edges, PairJob, Pairs, Particles, PeriodicBox, Points, RBins};

fn column(path: &str) -> std::io::Result<Column> {
    let bytes = std::fs::read(path)?;
    let values: Vec<f64> = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|value| f64::from_ne_bytes(*value))
        .collect();
    Ok(Column::from(values))
}

#[allow(clippy::print_stdout, reason = "seconds are what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [x, y, z] = &paths[..] else {
        return Err("expected the files of three columns".into());
    };
    let columns = [column(x)?, column(y)?, column(z)?];
    let domain = Domain::Periodic(PeriodicBox::cubic(1.0)?);
    let bins = RBins::new(Edges::linear(0.0, 0.02, 20)?);
    for line in std::io::stdin().lines() {
        line?;
        let start = Instant::now();
        let points = Points::from_columns(columns.clone())?;
        let particles = domain.place(Particles::new(points), Outside::Wrap)?;
        let job = PairJob::new(Pairs::Auto(&particles), &domain)?;
        let counts = count_pairs(&Cpu::new(), &job, &bins, &Silent)?;
        let pairs: u64 = counts.npairs().iter().sum();
        println!("{} {pairs}", start.elapsed().as_secs_f64());
    }
    Ok(())
}
