//! From the columns of a file to particles in a domain.
//!
//! Entry: [`Reading::read`], which takes a [`Source`] for each sample and returns [`Samples`]. It chooses columns by the usual names where
//! none are named, keeps the rows of a condition, turns sky coordinates and redshifts into positions, finds the box, and says what looks
//! suspicious as [`Notice`]s. It counts nothing, knows no bins, and prints nothing.
//!
//! ```
//! use albireo_samples::{Reading, Selection, Source};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("galaxies.csv");
//! # std::fs::write(&path, "x,y,z,mass\n1,2,3,10\n4,5,6,30\n7,8,9,20\n")?;
//! let heavy = Selection { filter: Some("mass > 15".to_owned()), ..Selection::default() };
//! let source = Source { role: "data".to_owned(), paths: vec![path], selection: heavy };
//! let reading = Reading { space: Some("10".parse()?), ..Reading::default() };
//! let mut notices = Vec::new();
//! let samples = reading.read(&[source], &mut |notice| notices.push(notice))?;
//! assert_eq!(samples.get("data")?.len(), 2);
//! assert_eq!(samples.domain().volume(), Some(1000.0));
//! assert!(notices[0].to_string().contains("positions from the columns x, y, z"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap
    )
)]
#![forbid(unsafe_code)]

mod bits;
mod classes;
mod columns;
mod common_unit;
mod elements;
mod ends;
mod error;
mod file_functions;
mod frames;
mod gaps;
mod given;
mod given_box;
mod given_frames;
mod groups;
mod hats;
mod identified;
mod identities;
mod joining;
mod lookup;
mod mask;
mod memory;
mod notice;
mod opened;
mod overlap;
mod pair_columns;
mod passed_on;
mod pillars;
mod placing;
mod reading;
mod regions;
mod repeated;
mod roles;
mod rsd;
mod sample;
mod samples;
mod selected;
mod selection;
mod shown;
mod sight;
mod snapshot_header;
mod snapshots;
mod source;
mod space;
mod stated_units;
mod survey;
mod suspicion;
mod units;
mod weights;
mod whole_numbers;
mod widths;
mod within;

pub use classes::ClassCut;
pub use columns::usual_names;
pub use elements::{element_of, weight_of};
pub use error::{Result, SampleError};
pub use frames::{
    Exclusion, FrameChoice, FrameColumns, FrameRange, FrameReading, FrameSource, Held,
    NumberedFrame, OneFrame, ParseFramesError, SameRows, Species, held, held_given,
};
pub use given::Given;
pub use given_box::GivenBox;
pub use given_frames::GivenFrames;
pub use mask::{MaskError, MaskSpec};
pub use notice::Notice;
pub use reading::Reading;
pub use regions::RegionSpec;
pub use samples::Samples;
pub use selection::{ClassColumn, Selection};
pub use source::Source;
pub use space::{BoxSpec, ParseBoxError, box_record, domain_of_record};
pub use survey::{Survey, SurveyReading};
pub use suspicion::{far_walls, small_volume};
pub use units::{ParseUnitError, Quantity, Unit, UnitError};

/// How reading is asked to stop, which rows of each file it looks at, and columns of bits.
pub use albireo_catalogs::{AbsentKeys, Join, RowRange, Stop, Words};
