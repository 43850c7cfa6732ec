//! Writes what a trajectory holds to standard output, for comparisons with other readers: of each frame number of particles, whether it has a box, the nine
//! components of its vectors and then x, y, z of every particle, all as little-endian float64.
//!
//! `cargo run -p albireo-catalogs --example frame_values -- FILE > FILE.values`

use std::io::Write;

use albireo_catalogs::{Stop, TrajectoryRequest, open_trajectory};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("a file is needed")?;
    let request = TrajectoryRequest::default();
    let mut trajectory = open_trajectory(path.as_ref(), &request, Stop::never())?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    while let Some(frame) = trajectory.next_frame()? {
        let vectors = frame.cell.map_or([[0.0; 3]; 3], |cell| cell.vectors());
        let head = [frame.len() as f64, f64::from(frame.cell.is_some())];
        let [x, y, z] = &frame.positions;
        let positions = x.iter().zip(y).zip(z).flat_map(|((&x, &y), &z)| [x, y, z]);
        for value in head
            .into_iter()
            .chain(vectors.into_iter().flatten())
            .chain(positions)
        {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(out.flush()?)
}
