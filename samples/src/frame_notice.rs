//! What a reader of frames says of molecules, masses and topologies.
//!
//! Entry: [`FrameNotice`], a part of [`Notice`](crate::Notice).

use std::path::{Path, PathBuf};

use albireo::Axis;
use albireo_catalogs::in_short;
use thiserror::Error;

use crate::shown::in_short_list;

/// Something worth saying of the particles of frames that is no error.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FrameNotice {
    /// Numbers of molecules that begin again.
    #[error(
        "{}: `{column}` has {numbers} numbers for {molecules} molecules: atoms of {molecule} are {} apart, more than half the box, {}: each run of \
         particles with one number is taken for a molecule",
        path.display(), in_short(*distance), in_short(*half)
    )]
    NumbersUsedAgain {
        /// The first file.
        path: PathBuf,
        /// The column of the numbers.
        column: String,
        /// How many different ones there are.
        numbers: usize,
        /// How many molecules there are.
        molecules: usize,
        /// A number that two of these have.
        molecule: String,
        /// How far apart atoms of it are.
        distance: f64,
        /// Half the shortest length of the box.
        half: f64,
    },
    /// A group of particles whose pairs are left out and which seems to be several molecules of one number.
    #[error(
        "{}: --exclude-same {column}: atoms of {molecule} are {} apart, more than half the box, {}: are numbers used again? Pairs of all particles \
         with one number are left out",
        path.display(), in_short(*distance), in_short(*half)
    )]
    WideGroup {
        /// The first file.
        path: PathBuf,
        /// The column of the groups.
        column: String,
        /// The group.
        molecule: String,
        /// How far apart atoms of it are.
        distance: f64,
        /// Half the shortest length of the box.
        half: f64,
    },
    /// Particles in a plane whose pairs are counted as those of a box of three dimensions.
    #[error(
        "{}: the particles of the first frame lie in a plane normal to {}, and the box has a length along it: --plane {} makes g(r) of the plane",
        path.display(), normal.name(), ["yz", "xz", "xy"][normal.index()]
    )]
    InPlane {
        /// The first file.
        path: PathBuf,
        /// The axis normal to the plane.
        normal: Axis,
    },
    /// A column of species that all particles are counted without.
    #[error(
        "{}: g(r) is of all particles alike: column `{column}` tells species apart in one table with columns x, y, z or position, without --rows, \
         --every, --shard and conditions on frames",
        path.display()
    )]
    UnusedSpecies {
        /// The first file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Elements or masses that the file lacks.
    #[error("{} tells no `{column}`: by the names of the atoms, {}", path.display(), in_short_list(of_names))]
    MadeOfNames {
        /// The first file.
        path: PathBuf,
        /// The column that is missing.
        column: &'static str,
        /// Each name with what it was taken for.
        of_names: Vec<String>,
    },
    /// Residues that have one number in several chains or segments, or apart by insertion codes.
    #[error(
        "{}: `resid` has {numbers} numbers for {residues} residues, distinguished by chain, segment and insertion code",
        path.display()
    )]
    ResiduesOfChains {
        /// The first file.
        path: PathBuf,
        /// How many different numbers there are.
        numbers: usize,
        /// How many residues there are.
        residues: usize,
    },
    /// Residues whose atoms do not follow one another, in a file that states no chains.
    #[error(
        "{}: `resid` has {residues} numbers in {runs} runs of particles: those of {residue} do not follow one another and are taken for one \
         residue; if they are of several chains, give a --topology that states chains or segments",
        path.display()
    )]
    ScatteredResidues {
        /// The first file.
        path: PathBuf,
        /// How many numbers of residues there are.
        residues: usize,
        /// How many runs of particles with one number there are.
        runs: usize,
        /// The number of one of them.
        residue: String,
    },
    /// A text that a condition or a pair of species names and that no particle of the first frame has.
    #[error("{flag}: no particle of the first frame of {} has `{column}` \"{text}\"{hint}", path.display())]
    NoSuchText {
        /// The first file.
        path: PathBuf,
        /// The option.
        flag: String,
        /// The column.
        column: String,
        /// The text.
        text: String,
        /// What may be meant, or what is there, with the signs before it.
        hint: String,
    },
    /// A frame that is not later than the one before it.
    #[error(
        "{frame} ({moment}) comes after a frame of {before}: are frames there twice, as where files overlap, or files in another order than in time?"
    )]
    Again {
        /// The frame, with its file.
        frame: String,
        /// Its step or time.
        moment: String,
        /// That of the frame before it.
        before: String,
    },
    /// Frames that are not evenly apart.
    #[error("{frame} ({}) and the frame before it ({}) are not as far apart as others: --lags counts frames, not times", moments[1], moments[0])]
    Uneven {
        /// The first of them, with its file.
        frame: String,
        /// The step or time of the one before it, and its own.
        moments: [String; 2],
    },
    /// Bonds and columns of a topology that the frames have already, or none at all.
    #[error("--topology is not used: {}", unused(path, columns))]
    UnusedTopology {
        /// The first file of frames.
        path: PathBuf,
        /// What the topology has.
        columns: Vec<String>,
    },
}

impl FrameNotice {
    /// Whether it is a suspicion, rather than word of what was done.
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::NumbersUsedAgain { .. }
                | Self::ScatteredResidues { .. }
                | Self::WideGroup { .. }
                | Self::InPlane { .. }
                | Self::NoSuchText { .. }
                | Self::UnusedTopology { .. }
                | Self::Again { .. }
                | Self::Uneven { .. }
        )
    }
}

/// What a topology that is not used lacks.
fn unused(path: &Path, columns: &[String]) -> String {
    let path = path.display();
    if columns.is_empty() {
        return format!("it tells no names, types, masses or bonds of the particles of {path}");
    }
    let columns = columns.join(", ");
    format!("it has no bonds, and {path} has its columns too: {columns}")
}
