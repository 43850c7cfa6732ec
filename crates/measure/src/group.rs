//! The groups of flags that help lists, in their order.
//!
//! A field says by `help_heading`, or its struct by `next_help_heading`, in which group its flag is; `help` has the rest of what help shows.

/// Files, columns, rows, units, box and cosmology.
pub(crate) const INPUT: &str = "Input";
/// Where random points lie.
pub(crate) const PLACE: &str = "Where (one of these; --mask and --like go together)";
/// Frames of trajectories, and what is counted in them.
pub(crate) const FRAMES: &str = "Trajectories";
/// Frames compared with later ones, and their weights.
pub(crate) const TIMES: &str = "Frames in time";
/// Volumes that are not those of a box.
pub(crate) const VOLUMES: &str = "Open volumes: slabs, pores, drops, fields of view";
/// What is simulated.
pub(crate) const FLUID: &str = "Fluid (lengths in sigma, energies in epsilon, masses in m)";
/// How it moves.
pub(crate) const STEPS: &str = "Steps";
/// What a source adds.
pub(crate) const KERNEL: &str = "Kernel";
/// Where values are computed.
pub(crate) const GRID: &str = "Grid (default: around the sources, or the periodic box)";
/// Ions at the extrema of a potential.
pub(crate) const IONS: &str = "Ions (of a coulomb or ewald potential)";
/// What a job is asked to do.
pub(crate) const ACTIONS: &str = "Actions";
/// Statistics and their bins.
pub(crate) const BINS: &str = "Bins";
/// What a figure looks like.
pub(crate) const AXES: &str = "Axes";
/// Estimators, normalisations and errors.
pub(crate) const ERRORS: &str = "Estimator and errors";
/// What scatters.
pub(crate) const STRUCTURE: &str = "Structure factors (of trajectories)";
/// Results and figures.
pub(crate) const OUTPUT: &str = "Output";
/// Weights of rows.
pub(crate) const WEIGHTS: &str = "Weights";
/// What is summed over pairs besides.
pub(crate) const PAIR_SUMS: &str = "Pair sums (marks, velocities, shapes)";
/// Classes of objects whose pairs are held apart.
pub(crate) const CLASSES: &str = "Classes of objects";
/// Pairs that are not counted.
pub(crate) const CUTS: &str = "Pair cuts (normalisation still counts these pairs)";
/// Pairs that are no candidates.
pub(crate) const EXCLUDED: &str = "Excluded pairs (an ideal gas keeps g = 1)";
/// Weights of pairs.
pub(crate) const PAIR_WEIGHTS: &str = "Advanced: pair weights (PIP, IIP, angular upweights)";
/// What belongs to one of several processes.
pub(crate) const PARTS: &str = "Advanced: parts and checkpoints";
/// What changes no exact count.
pub(crate) const RUNNING: &str = "Advanced: engine (never changes an exact result)";
/// The log, and help itself.
pub(crate) const GENERAL: &str = "General";
/// Flags of the first sample again, for another one: help explains them together.
pub(crate) const COPIES: &str = "Other samples";
/// Flags that make a run faster or slower: `albireo help tuning` has them.
pub(crate) const TUNING: &str = "Tuning";

/// All groups as help lists them; the last two it does not list.
pub(crate) const ORDER: [&str; 27] = [
    INPUT,
    PLACE,
    FRAMES,
    TIMES,
    VOLUMES,
    FLUID,
    STEPS,
    KERNEL,
    GRID,
    IONS,
    ACTIONS,
    BINS,
    AXES,
    ERRORS,
    STRUCTURE,
    OUTPUT,
    WEIGHTS,
    PAIR_SUMS,
    CLASSES,
    CUTS,
    EXCLUDED,
    PAIR_WEIGHTS,
    PARTS,
    RUNNING,
    GENERAL,
    COPIES,
    TUNING,
];
