//! Makes the sample catalogues: `cargo run --release -p albireo-samples --example make_samples [FOLDER]`.
//!
//! Every run writes the same bytes. `catalogs/samples/README.md` says what the files hold.

mod clumps;
mod draws;
mod fibres;
mod fits_table;
mod galaxies_box;
mod liquid;
mod molecular_dynamics;
mod parquet_table;
mod survey;

use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogs/samples");
    let folder = std::env::args().nth(1).map_or_else(default, PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    galaxies_box::write(&folder)?;
    survey::write(&folder)?;
    liquid::write(&folder)
}
