//! The numbers that the header gives names to.

/// It went well.
pub const ALBIREO_OK: i32 = 0;
/// NULL where a pointer is needed.
pub const ALBIREO_ERROR_NULL: i32 = 1;
/// A struct_size that no header of this library has.
pub const ALBIREO_ERROR_STRUCT_SIZE: i32 = 2;
/// A handle that was freed, never given out, or of another kind.
pub const ALBIREO_ERROR_HANDLE: i32 = 3;
/// A value that means nothing, such as an edge or a position; the text says which.
pub const ALBIREO_ERROR_ARGUMENT: i32 = 4;
/// The progress function asked for a stop; nothing was kept.
pub const ALBIREO_ERROR_STOPPED: i32 = 5;
/// Threads or a GPU could not be had, or failed.
pub const ALBIREO_ERROR_DEVICE: i32 = 6;
/// An array of another length than the result.
pub const ALBIREO_ERROR_LENGTH: i32 = 7;
/// What was not asked for in the job.
pub const ALBIREO_ERROR_NOT_COUNTED: i32 = 8;
/// A mistake in this library.
pub const ALBIREO_ERROR_INTERNAL: i32 = 9;

/// Positions and weights are double.
pub const ALBIREO_FLOAT64: i32 = 0;
/// Positions and weights are float; each is widened exactly.
pub const ALBIREO_FLOAT32: i32 = 1;

/// x, y and z are positions, from the observer at the origin where there is a line of sight.
pub const ALBIREO_CARTESIAN: i32 = 0;
/// x and y are right ascension and declination in degrees, for angles alone.
pub const ALBIREO_SKY: i32 = 1;

/// Bins in the separation r.
pub const ALBIREO_R: i32 = 0;
/// Bins in the separation s and in mu, the cosine of its angle to the line of sight.
pub const ALBIREO_S_MU: i32 = 1;
/// Bins in rp across the line of sight and in pi along it.
pub const ALBIREO_RP_PI: i32 = 2;
/// Bins in the angle theta seen from the observer, degrees.
pub const ALBIREO_THETA: i32 = 3;

/// From the observer to the middle of the pair.
pub const ALBIREO_LOS_MIDPOINT: i32 = 0;
/// From the observer to the first point.
pub const ALBIREO_LOS_FIRST: i32 = 1;
/// From the observer to the second point.
pub const ALBIREO_LOS_END: i32 = 2;
/// The x axis; in a periodic box the line of sight is an axis.
pub const ALBIREO_LOS_X: i32 = 3;
/// The y axis.
pub const ALBIREO_LOS_Y: i32 = 4;
/// The z axis.
pub const ALBIREO_LOS_Z: i32 = 5;

/// No box.
pub const ALBIREO_BOX_OPEN: i32 = 0;
/// cell[0..3] are the lengths of a periodic box from 0 on; an axis of length 0 is open.
pub const ALBIREO_BOX_LENGTHS: i32 = 1;
/// cell holds three vectors, one after another.
pub const ALBIREO_BOX_VECTORS: i32 = 2;

/// All pairs together.
pub const ALBIREO_CLASSES_ONE: i32 = 0;
/// Pairs of species apart: of labels a and b in class a*n_labels + b, in one sample (0,0), (0,1), .., (1,1), ..; there, where the order of
/// a pair matters, a*n_labels + b too.
pub const ALBIREO_CLASSES_SPECIES: i32 = 1;
/// Pairs within each of n regions (classes 0 to n-1), and those with one point in it (n to 2n-1; between two samples or where the order
/// matters the first point, and the second from 2n on). A pair across two regions is in the classes of both.
pub const ALBIREO_CLASSES_REGIONS: i32 = 2;

/// Sum separations too, for their means (by weight where there are weights).
pub const ALBIREO_SUM_SEPARATIONS: u32 = 1;

/// The processor: vector instructions, all cores unless threads says otherwise.
pub const ALBIREO_ENGINE_CPU: i32 = 0;
/// The plain double loop: slow, the reference.
pub const ALBIREO_ENGINE_NAIVE: i32 = 1;
/// NVIDIA GPUs.
pub const ALBIREO_ENGINE_CUDA: i32 = 2;
/// The processor or GPUs, whichever should be done first.
pub const ALBIREO_ENGINE_AUTO: i32 = 3;

/// Errors of the numbers of pairs, of Poisson.
pub const ALBIREO_ERRORS_POISSON: i32 = 0;
/// Errors of a jackknife over the regions that pairs were kept apart by, ALBIREO_CLASSES_REGIONS: one left out at a time.
pub const ALBIREO_ERRORS_JACKKNIFE: i32 = 1;

/// Leave out pairs whose directions are theta_cut[0] up to theta_cut[1] degrees apart.
pub const ALBIREO_CUT_THETA: u32 = 1;
/// Leave out pairs that are rp_cut[0] up to rp_cut[1] apart across the line of sight.
pub const ALBIREO_CUT_RP: u32 = 2;
/// Leave out pairs of the same group.
pub const ALBIREO_CUT_SAME_GROUP: u32 = 4;

/// Mean weights of pairs with so many bits set: equation 22 of Bianchi & Verde (2020), doi:10.1093/mnras/staa1267.
pub const ALBIREO_PIP_TOTAL_JOINT: i32 = 0;
/// The weights of all pairs, every one of which is looked at.
pub const ALBIREO_PIP_TOTAL_BRUTE_FORCE: i32 = 1;
/// Each pair's weight over that of such pairs on average: equation 19 there.
pub const ALBIREO_PIP_TOTAL_COUNTER: i32 = 2;
