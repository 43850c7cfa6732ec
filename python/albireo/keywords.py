"""The keyword arguments of measurements: the flags of the commands with their types, made from these (crates/measure/tests/python_keywords.rs)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, SupportsFloat, TypeAlias, TypedDict

    import numpy.typing as npt

    File: TypeAlias = str | os.PathLike[str]
    Edges: TypeAlias = File | npt.ArrayLike
    Box: TypeAlias = str | npt.ArrayLike | Sequence[float | None]
    Value: TypeAlias = npt.ArrayLike | Mapping[str, float]
else:

    class TypedDict:
        """Annotations alone: who checks types has the real one."""

        def __init_subclass__(cls, total: bool = True) -> None:
            """Whether all keys must be there is asked by nobody."""


class SecondOptions(TypedDict, total=False):
    """Arrays beside a second sample."""

    group: npt.ArrayLike
    cross_group: npt.ArrayLike
    cross_region: npt.ArrayLike
    columns: Mapping[str, npt.ArrayLike]
    cross_columns: Mapping[str, npt.ArrayLike]


class SurveyOptions(TypedDict, total=False):
    """Arrays beside the samples of a survey."""

    region: npt.ArrayLike
    randoms_region: npt.ArrayLike
    randoms_group: npt.ArrayLike
    cross_weights: npt.ArrayLike
    cross_region: npt.ArrayLike
    cross_group: npt.ArrayLike
    columns: Mapping[str, npt.ArrayLike]
    randoms_columns: Mapping[str, npt.ArrayLike]
    cross_columns: Mapping[str, npt.ArrayLike]


class ReadOptions(TypedDict, total=False):
    """Which columns and rows of a file are read."""

    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column or expression
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Use rows A to B-1 of each file
    every: int  # Use every N-th row only, of the first sample alone, before --where
    join: Value  # Add columns of another file, of the first sample alone, by equal whole numbers in the column KEY
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    ignore_units: Value  # Columns whose numbers are used as they are
    redshift_unit: Literal["1"]  # Unit of redshifts


class EngineOptions(TypedDict, total=False):
    """On which machine it is computed."""

    engine: Literal["auto", "naive", "cpu", "cuda", "cuda+cpu"]  # Compute engine
    threads: int  # Number of threads of the cpu engine
    isa: Value  # Instruction set of the cpu engine
    devices: int | Sequence[int]  # GPUs to use, by their numbers in `albireo devices`


class TwoSamplesOptions(TypedDict, total=False):
    """Which columns and rows of a second sample are read, and what the space of both is."""

    cross_positions: Value  # Cartesian position columns of the second sample
    cross_sky: Value  # Sky position columns of the second sample in degrees
    cross_distance: Value  # Comoving distance column of the second sample, in the unit of the bins
    cross_redshift: Value  # Redshift column of the second sample, turned into Mpc/h by --cosmology
    cross_weight: Value  # Weight column of the second sample or expression
    cross_bits: Value  # Bit columns of the second sample
    cross_where: Value  # Rows to keep of the second sample
    cross_table: Value  # Table of the second sample
    cross_rows: Value  # Use rows A to B-1 of each file
    cross_every: int  # Use every N-th row only, of the second sample
    cross_join: Value  # Add columns of another file, of the second sample
    cross_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the second sample whose key the joined file does not have
    wrap: bool  # Wrap positions outside the box into it instead of refusing them
    partial_set: bool  # Accept some of the files of a snapshot or group catalogue whose headers name more
    unit: Value  # Unit of length
    part: File | bool  # File of the part


class RandomsReadOptions(TypedDict, total=False):
    """Which columns and rows of the randoms are read."""

    randoms_positions: Value  # Cartesian position columns of the randoms
    randoms_sky: Value  # Sky position columns of the randoms in degrees
    randoms_distance: Value  # Comoving distance column of the randoms, in the unit of the bins
    randoms_redshift: Value  # Redshift column of the randoms, turned into Mpc/h by --cosmology
    randoms_weight: Value  # Weight column of the randoms or expression
    randoms_bits: Value  # Bit columns of the randoms
    randoms_where: Value  # Rows to keep of the randoms
    randoms_table: Value  # Table of the randoms
    randoms_rows: Value  # Use rows A to B-1 of each file
    randoms_every: int  # Use every N-th row only, of the randoms
    randoms_join: Value  # Add columns of another file, of the randoms
    randoms_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the randoms whose key the joined file does not have
    precision: Literal["exact", "double", "single"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    plan: int | bool  # Count nothing


class PairOptions(TypedDict, total=False):
    """Which pairs of a survey are counted, and what of them is summed."""

    los: Literal["x", "y", "z", "midpoint", "first", "end"]  # Line of sight of mu and pi
    rsd: Literal["x", "y", "z"]  # Move the positions of snapshots in a box to redshift space along this axis
    pip_realizations: int  # Number of realisations N, the observed one included
    pip_offset: int  # Number added to the common bits
    pip_always: int  # Bits that are set in every row, less those set in none
    pip_default: SupportsFloat  # Weight where the offset and the common bits are both 0
    pip_zero_truncated: bool  # Use the zero-truncated estimator
    pip_total: Literal["joint", "brute-force", "counter"]  # Normalisation of the counts
    angular: Any  # Angular upweights of the counts of data
    pair_sum: Value  # Sum an expression over the pairs in each bin
    let: Value  # Name a part of the expressions of --pair-sum
    pair_bound: Value  # State a bound
    theta_cut: Value  # Do not count pairs whose directions from the observer are LO up to HI degrees apart
    rp_cut: Value  # Do not count pairs that are LO up to HI apart across the line of sight of --los
    exclude_same: Value  # Do not count pairs of data with the same integer in this column, such as members of one halo
    weight_set: Value  # Named set of weights
    cross_weight_set: Value  # Weights of the second sample in a set, where they differ
    realisations: Value  # Count each of up to 128 realisations
    cross_realisations: Value  # The same of the second sample, or `none`
    realisation_mean: File | bool  # Also write the mean over the realisations, with the standard deviation of one of them
    classes: Value  # Hold the pairs of classes of objects apart
    quantiles: int  # Cut the numbers of --classes into so many classes of nearly equal numbers of objects, from 0
    class_edges: SupportsFloat | Sequence[SupportsFloat]  # Cut the numbers of --classes at these edges
    cross_classes: Value  # Classes of the second sample
    checkpoint: File  # Save what is counted in this folder, and continue from what is there
    checkpoint_every: Value  # Time between checkpoints, such as 30s, 5min or 1h


class CountOptions(PairOptions, TwoSamplesOptions, EngineOptions, ReadOptions, SecondOptions, total=False):
    """Of :func:`albireo.count`."""

    cross: Any  # Second catalogue, as by its place
    bins_of: Value  # Bins in the value of an expression of the separation
    second_bins_of: Value  # A second axis for --bins-of
    second_bins: Edges  # Bins in the values of --second-bins-of
    reach: SupportsFloat  # Pairs in --bins-of are closer than this, in the unit of the positions
    legendre: Value  # Add the sums of the Legendre polynomials of mu of these degrees over the pairs in each bin
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    precision: Literal["exact", "double", "single"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    plan: int | bool  # Count nothing
    modes: Value  # Sum what the pairs in each bin add to the multipoles of a power spectrum, for these k
    poles: int | Sequence[int]  # The multipoles of --modes
    shuffle_marks: int  # Shuffle the marks of --pair-sum 'marked(m)' among the objects N times, and add the mean and the scatter of M
    seed: int  # Seed of the shuffles
    shells: Edges | int  # Count pairs within and between shells of distance from the observer separately


class EstimateOptions(PairOptions, RandomsReadOptions, TwoSamplesOptions, EngineOptions, ReadOptions, SurveyOptions, total=False):
    """Of all estimates: :func:`albireo.xi`, :func:`albireo.wp` and those that they make."""

    cross: Any  # Second sample
    cross_randoms: Any  # Random catalogue of the second sample
    shifted_randoms: Any  # Randoms shifted as the reconstructed DATA were
    cross_shifted_randoms: Any  # Randoms of the second sample shifted as it was
    rr: Any  # Use RR of an earlier result, after checking that it has the same randoms, box and bins
    reuse: Any  # Use counts of an earlier result, such as DR and DD
    split_randoms: Value  # Count RR and SS within subsets of the randoms only
    split_randoms_above: SupportsFloat  # Split from this edge of --bins on, and count all pairs of randoms closer together
    mean_separation: Literal["pairs", "weighted"] | bool  # Add the mean separation
    randoms_weight_set: Value  # Weights of the randoms in a set, where they differ
    randoms_realisations: Value  # The same of the randoms
    regions_nside: int  # Regions are the HEALPix pixels of this resolution that hold randoms
    regions_cubes: int  # Regions are N x N x N equal sub-cubes of the periodic box
    regions_column: Value  # Regions are the integers in a column that all samples have
    regions_radial: int  # Cut each of --regions or --regions-nside into M layers of distance from the observer
    regions_seed: int  # Seed of k-means and of the bootstrap
    jackknife: Literal["standard", "mohammad-percival", "mohammad-percival-pairs"] | bool  # Leave out one region at a time
    bootstrap: int  # Draw as many regions with replacement, N times
    regions_output: File | bool  # Write the rows of every sample with their region
    region_sums: File | bool  # Write the weight of each sample outside each region, a column for each
    region_map: File | bool  # Plot the randoms
    randoms_classes: Value  # Classes of the randoms


class XiOptions(EstimateOptions, total=False):
    """Of :func:`albireo.xi`."""

    bins_of: Value  # Bins in the value of an expression of the separation
    second_bins_of: Value  # A second axis for --bins-of
    second_bins: Edges  # Bins in the values of --second-bins-of
    reach: SupportsFloat  # Pairs in --bins-of are closer than this, in the unit of the positions
    multipoles: int | Sequence[int]  # Legendre multipoles of xi(s, mu)
    wedges: int  # Wedges of xi(s, mu)
    wedge_edges: SupportsFloat | Sequence[SupportsFloat]  # Wedges between these mu instead
    wedge_bins: Literal["part", "middle"]  # Bins in mu of a wedge
    poles_from: Literal["mu", "legendre"]  # How multipoles are computed


class WpOptions(EstimateOptions, total=False):
    """Of :func:`albireo.wp`."""



class RdfOptions(TwoSamplesOptions, EngineOptions, ReadOptions, SecondOptions, total=False):
    """Of :func:`albireo.rdf`."""

    cross: Any  # Other particles, as by their place
    r_min: SupportsFloat  # Smallest separation
    beyond_half: bool  # Allow bins beyond half the box
    walls: Value  # Walls that contain the particles
    randoms: Any  # Random points that fill the volume of the particles, whose pairs are counted as RR
    topology: Any  # Topology
    frames: Value  # Frames START:STOP:STEP, counted from 0
    species: Value  # Column whose values are species, all pairs of which are counted
    select: Value  # Named group by a condition
    update: bool  # Evaluate the conditions of --select and --where again in every frame
    pairs: Value  # Pairs of species to count
    centres: Value  # Count centres of mass of particles with the same value in this column
    exclude_bonded: int  # Exclude pairs with up to N bonds between them, 2 for 1-3 pairs
    plane: Literal["xy", "xz", "yz"]  # Count in a plane
    cylinder: Literal["x", "y", "z"]  # Count g(rho, z) across and along this axis instead, for pores and membranes
    heights: Edges  # Bins in |z|, the distance along the axis of --cylinder
    norm: Literal["ideal", "n2", "mean-density", "neighbours", "counts"]  # Normalisation of g(r)
    pmf: bool  # Add the potential of mean force, -ln g in units of kT
    kirkwood_buff: Literal["plain", "box"] | bool  # Add Kirkwood-Buff integrals up to each edge, finite-volume form, of g normalised by n2
    block_counts: File | bool  # Also write the counts and g(r) of blocks of frames
    block: int  # Frames of a block in --block-counts
    blocks: int  # Blocks of consecutive frames whose scatter is `g_block_error`
    block_error: Literal["blocks", "plateau"]  # How `g_block_error` is computed
    checkpoint: File  # Save the state in this file regularly, and continue from it when the command is run again
    checkpoint_every: Value  # Time between checkpoints, such as 30s, 5min or 1h
    frames_per_device: int  # Frames that each GPU counts side by side
    frame_column: Value  # Column of frame numbers, of tables
    box_table: Any  # Second table with the box of each frame, of tables
    lags: Value  # Van Hove function instead of g(r), at these lags in frames
    origins: int  # Frames between the origins of lags
    frame_weights: Value  # Weights of frames
    running: bool  # Add the running mean of g to --block-counts
    structure: File | bool  # Write S(q) to this file
    q: Edges  # Compute S(q) at the middles of these bins, 2 pi over the unit of the positions
    window: Literal["none", "lorch", "hann"]  # Window that g - 1 is multiplied by, so that its end does not ring in S(q)
    debye: bool  # Compute S(q) by Debye's sum over the pairs in bins
    scattering: Value  # Scattering lengths of the species
    p_of_r: File | bool  # Write P(r), the distribution of distances in bodies of any shape, to this file
    solvent: Value  # Subtract the solvent that the particles displace
    total_g: File | bool  # Write what neutrons measure of g(r)
    pair_sum: Value  # Sum an expression over the pairs in each bin
    let: Value  # Name a part of the expressions of --pair-sum
    pair_bound: Value  # State a bound
    kt: SupportsFloat  # Temperature times Boltzmann's constant, in the unit of the forces times that of length
    exclude_same: Value  # Exclude pairs with the same integer, such as those of a molecule
    exclude_pairs: Any  # Exclude the pairs listed in a file, such as bonds
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    precision: Literal["exact", "double", "single"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    plan: int | bool  # Count nothing


class RandomsOptions(ReadOptions, total=False):
    """Of :func:`albireo.randoms`."""

    mask: Any  # In the `HEALPix` pixels of a mask, evenly
    mask_pixels: Value  # Column of the mask with the numbers of pixels
    mask_where: Value  # Rows to use of a mask with numbers of pixels
    mask_order: Literal["ring", "nested"]  # Order of the pixels
    nside: int  # Resolution of the pixels of --like, a power of 2 up to 8192
    smooth_nz: int  # Draw redshifts from a smooth histogram of the data in so many bins


class NzOptions(RandomsReadOptions, EngineOptions, ReadOptions, total=False):
    """Of :func:`albireo.nz`."""

    fkp_data: File | bool  # Write the rows of DATA as a catalogue with NZ and WEIGHT_FKP
    fkp_randoms: File | bool  # Write the randoms as such a catalogue, by the n(z) of DATA
    part: File | bool  # File of the part


class CovarianceOptions(TwoSamplesOptions, EngineOptions, ReadOptions, total=False):
    """Of :func:`albireo.covariance_model`."""

    box: Box  # Periodic box
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    wedge_edges: SupportsFloat | Sequence[SupportsFloat]  # Wedges between these mu instead
    wedge_bins: Literal["part", "middle"]  # Bins in mu of a wedge
    pi_max: SupportsFloat  # Sum up to this |pi|, an edge of the bins, with --wp
    xi: Any  # Take xi from another result, over
    xi_theory: Any  # Take xi from a text file with rows `s mu xi` of a grid
    xi_cut: SupportsFloat  # xi is 0 beyond this separation
    data_number: SupportsFloat | Sequence[SupportsFloat]  # Number of points of the data, of two tracers N,M
    shot_noise: Literal["number", "weights"]  # How the density of data is compared with that of randoms
    regions_column: Value  # Regions of the random points, the integers in a column, where --tune is what --region-counts wrote
    finite_randoms: Literal["on", "off"]  # Whether the noise of the randoms of RESULT counts in
    time: Value  # End after this time
    seed: int  # Seed of the rounds
    points: int  # Random points of a round
    cloud: SupportsFloat  # Members of a cloud on average
    shard: Value  # Sample part I of N of --rounds only, I from 0 to N-1, and write its sums to the file of --part


class CompletenessOptions(TypedDict, total=False):
    """Of :func:`albireo.completeness`."""

    probability: Value  # Probability to be observed, where there are no --bits
    realizations: int  # Number of realisations of the probability
    table: Value  # Table


class FieldOptions(EngineOptions, ReadOptions, total=False):
    """Of :func:`albireo.field`."""

    topology: Any  # Topology
    frame: int  # Frame of a trajectory, counted from 0, also of tables and H5MD files
    ending: Literal["smooth", "sharp"]  # How coulomb and gravity end
    radius: SupportsFloat  # Radius of top-hat and spline, sigma of gaussian
    alpha: SupportsFloat  # Alpha of ewald, erfc(alpha r)/r, in inverse lengths
    cell: SupportsFloat | Sequence[SupportsFloat]  # Cells of cic and tsc, or along each axis
    values: Any  # Values of kernel table
    epsilon: Value  # Epsilon of the sources of lj
    sigma: Value  # Sigma of the sources of lj
    probe: SupportsFloat | Sequence[SupportsFloat]  # Epsilon and sigma of the probe of lj
    mixing: Literal["lorentz-berthelot", "geometric"]  # Combining rule for epsilon and sigma of probe and source
    r_min: SupportsFloat  # Smallest distance, below which the kernel is constant
    units: Literal["e/A", "kT/e", "V", "kcal/mol/e"]  # Unit of a coulomb potential of elementary charges
    temperature: SupportsFloat  # Temperature of kT, in kelvin
    grid_of: Any  # Use the grid of an `OpenDX` file
    ions: Value  # Ions to place on the grid
    ion_source: SupportsFloat  # Smallest distance of ions from sources
    ion_ion: SupportsFloat  # Smallest distance of ions from each other
    wrap: bool  # Wrap positions outside the box into it instead of refusing them
    partial_set: bool  # Accept some of the files of a snapshot or group catalogue whose headers name more
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    unit: Value  # Unit of length
    precision: Literal["double", "single"]  # Precision of the terms
    variant: Literal["direct", "large-bins", "small-bins", "cylinder"]  # Method of Rodrigues et al
    bin_side: SupportsFloat  # Side of the bins of --variant
    bin_sources: int  # Largest number of sources in a small bin, up to 32
    sum: Literal["exact", "plain", "compensated"]  # How terms are added


class MdOptions(TypedDict, total=False):
    """Of :func:`albireo.md`."""

    potential: Literal["cut", "shifted", "force-shifted", "wca"]  # How the Lennard-Jones potential ends
    cutoff: SupportsFloat  # Distance where the potential ends, in the sigma of each pair
    species: Value  # Species with their masses
    pair: Value  # Epsilon and sigma of two species
    seed: int  # Seed of velocities, species and noise
    precision: Literal["double", "single"]  # Precision of the forces
    thermostat: Literal["none", "langevin", "rescale"]  # Thermostat
    friction: SupportsFloat  # Friction of langevin, an inverse time
    rescale_every: int  # Steps between rescalings of the velocities
    and_back: bool  # Run the same steps back with negated momenta, and fail unless the start is reached to the last bit
    trajectory_every: int  # Steps between frames
    velocities: bool  # Write velocities with the positions
    forces: bool  # Write forces with the positions, for g(r) from forces
    author: Value  # Author that H5MD files name
    rdf_bins: Edges  # Bins of g(r)
    rdf_every: int  # Steps between counts of g(r)
    checkpoint: File  # Save the state in this file regularly, and continue from it when the command is run again
    checkpoint_every: Value  # Time between checkpoints, such as 30s, 5min or 1h
    engine: Literal["cpu", "cuda", "naive"]  # Compute engine
    traversal: Literal["cells", "all-pairs"]  # How pairs are found
    skin: SupportsFloat  # Length by which lists exceed the cutoff
    devices: int  # GPU of the cuda engine
    threads: int  # Number of threads of the cpu engine
    isa: Value  # Instruction set of the cpu engine
