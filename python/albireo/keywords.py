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

    second_group: npt.ArrayLike
    second_region: npt.ArrayLike


class SurveyOptions(TypedDict, total=False):
    """Arrays beside the samples of a survey."""

    region: npt.ArrayLike
    randoms_region: npt.ArrayLike
    randoms_group: npt.ArrayLike
    cross_weights: npt.ArrayLike
    cross_region: npt.ArrayLike
    cross_group: npt.ArrayLike


class CountOptions(SecondOptions, total=False):
    """Of :func:`albireo.count`."""

    legendre: Value  # Add the sums of the Legendre polynomials of mu of these degrees over the pairs in each bin
    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column, or an expression such as WEIGHT*WEIGHT_FKP
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Rows to look at of the first sample alone, others having such flags of their own, counting from 0 in each file, from A to below B, before the condition
    every: int  # Every N-th row only of the first sample alone, others having such flags of their own, before the condition
    join: Value  # Columns of another file, or of all that a pattern matches of the first sample alone, others having such flags of their own, by exact whole numbers in the column KEY of both
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    second_positions: Value  # Cartesian position columns of the second file
    second_sky: Value  # Sky position columns of the second file in degrees
    second_distance: Value  # Comoving distance column of the second file, in the unit of the bins
    second_redshift: Value  # Redshift column of the second file, turned into Mpc/h by --cosmology
    second_weight: Value  # Weight column of the second file, or an expression such as WEIGHT*WEIGHT_FKP
    second_bits: Value  # Bit columns of the second file
    second_where: Value  # Rows to keep of the second file
    second_table: Value  # Table of the second file
    second_rows: Value  # Rows to look at of the second file
    second_every: int  # Every N-th row only of the second file
    second_join: Value  # Columns of another file, or of all that a pattern matches of the second file
    second_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the second file whose key the joined file does not have
    wrap: bool  # Wrap positions outside the box into it instead of refusing them
    partial_set: bool  # Go on with some of the files of a snapshot or group catalogue, whose headers speak of more
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    ignore_units: Value  # Columns whose numbers are taken as they are, whatever unit the file states
    redshift_unit: Literal["1"]  # Unit of redshifts
    unit: Value  # Unit of length
    engine: Literal["auto", "naive", "cpu", "cuda", "cuda+cpu"]  # Who counts
    threads: int  # Number of threads of the cpu engine, at most four for each core
    isa: Value  # Instruction set of the cpu engine
    devices: int | Sequence[int]  # GPUs to use, by their numbers in `albireo devices`
    precision: Literal["exact", "f64", "f32"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    part: File | bool  # The file of the part
    plan: int | bool  # Count nothing
    los: Literal["x", "y", "z", "midpoint", "first", "end"]  # Line of sight of mu and pi
    rsd: Literal["x", "y", "z"]  # Bring the positions of snapshots in a box to redshift space along this axis
    pip_realizations: int  # Realizations N, the observed one among them
    pip_offset: int  # What is added to the common bits
    pip_always: int  # Bits that are set in every row, less those set in none
    pip_default: SupportsFloat  # Weight where the offset and the common bits are both 0
    pip_zero_truncated: bool  # The zero-truncated estimator
    pip_total: Literal["joint", "brute-force", "counter"]  # What counts are normalised by
    angular: Any  # Angular upweights of the counts of data
    theta_cut: Value  # Leave out of every count the pairs whose directions from the observer are LO up to HI degrees apart
    rp_cut: Value  # Leave out of every count the pairs that are LO up to HI apart across the line of sight of --los
    group: Value  # Leave out the pairs of data with the same integer in this column, such as members of one halo
    weight_set: Value  # A set of weights with a name, a column or an expression, `none` for unit weights
    second_weight_set: Value  # The weights of the second catalog in a set, where they differ
    shells: Edges | int  # Count the pairs within and between shells of distance from the observer, apart from one another
    checkpoint: File  # Save what is counted in this folder, and go on from what is there
    checkpoint_every: Value  # From one --checkpoint to the next, such as 30s, 5min or 1h


class EstimateOptions(SurveyOptions, total=False):
    """Of all estimates: :func:`albireo.xi`, :func:`albireo.wp` and those that they make."""

    cross: Any  # Second catalog
    cross_randoms: Any  # Random catalog of the second catalog
    shifted_randoms: Any  # Randoms shifted as the reconstructed DATA were
    cross_shifted_randoms: Any  # Randoms of the second catalog shifted as it was, with --shifted-randoms
    rr: Any  # Take RR from a result written earlier, after checking that it belongs to the same randoms, box and bins
    reuse: Any  # Take any counts, such as DR and DD, from results written earlier, after checking that they belong to the same particles, weights, box, bins, line of sight and cuts
    split_randoms: Value  # Count RR and SS within subsets of the randoms only
    split_randoms_above: SupportsFloat  # Split from this edge of --bins on, and count all pairs of randoms closer together
    mean_separation: Literal["pairs", "weighted"] | bool  # Add the mean separation
    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column, or an expression such as WEIGHT*WEIGHT_FKP
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Rows to look at of the first sample alone, others having such flags of their own, counting from 0 in each file, from A to below B, before the condition
    every: int  # Every N-th row only of the first sample alone, others having such flags of their own, before the condition
    join: Value  # Columns of another file, or of all that a pattern matches of the first sample alone, others having such flags of their own, by exact whole numbers in the column KEY of both
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    randoms_positions: Value  # Cartesian position columns of the randoms
    randoms_sky: Value  # Sky position columns of the randoms in degrees
    randoms_distance: Value  # Comoving distance column of the randoms, in the unit of the bins
    randoms_redshift: Value  # Redshift column of the randoms, turned into Mpc/h by --cosmology
    randoms_weight: Value  # Weight column of the randoms, or an expression such as WEIGHT*WEIGHT_FKP
    randoms_bits: Value  # Bit columns of the randoms
    randoms_where: Value  # Rows to keep of the randoms
    randoms_table: Value  # Table of the randoms
    randoms_rows: Value  # Rows to look at of the randoms
    randoms_every: int  # Every N-th row only of the randoms
    randoms_join: Value  # Columns of another file, or of all that a pattern matches of the randoms
    randoms_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the randoms whose key the joined file does not have
    cross_positions: Value  # Cartesian position columns of the cross catalog
    cross_sky: Value  # Sky position columns of the cross catalog in degrees
    cross_distance: Value  # Comoving distance column of the cross catalog, in the unit of the bins
    cross_redshift: Value  # Redshift column of the cross catalog, turned into Mpc/h by --cosmology
    cross_weight: Value  # Weight column of the cross catalog, or an expression such as WEIGHT*WEIGHT_FKP
    cross_bits: Value  # Bit columns of the cross catalog
    cross_where: Value  # Rows to keep of the cross catalog
    cross_table: Value  # Table of the cross catalog
    cross_rows: Value  # Rows to look at of the cross catalog
    cross_every: int  # Every N-th row only of the cross catalog
    cross_join: Value  # Columns of another file, or of all that a pattern matches of the cross catalog
    cross_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the cross catalog whose key the joined file does not have
    weight_set: Value  # A set of weights with a name, a column or an expression, `none` for unit weights
    randoms_weight_set: Value  # The weights of the randoms in a set, where they differ
    cross_weight_set: Value  # The weights of the cross catalog in a set, where they differ
    wrap: bool  # Wrap positions outside the box into it instead of refusing them
    partial_set: bool  # Go on with some of the files of a snapshot or group catalogue, whose headers speak of more
    ignore_units: Value  # Columns whose numbers are taken as they are, whatever unit the file states
    redshift_unit: Literal["1"]  # Unit of redshifts
    unit: Value  # Unit of length
    los: Literal["x", "y", "z", "midpoint", "first", "end"]  # Line of sight of mu and pi
    rsd: Literal["x", "y", "z"]  # Bring the positions of snapshots in a box to redshift space along this axis
    theta_cut: Value  # Leave out of every count the pairs whose directions from the observer are LO up to HI degrees apart
    rp_cut: Value  # Leave out of every count the pairs that are LO up to HI apart across the line of sight of --los
    group: Value  # Leave out the pairs of data with the same integer in this column, such as members of one halo
    regions_nside: int  # The HEALPix pixels of this resolution that hold randoms
    regions_cubes: int  # N x N x N equal sub-cubes of the periodic box
    regions_column: Value  # The integers in a column that all catalogs have
    regions_radial: int  # Cut each of --regions, or of --regions-nside, into M layers of distance from the observer
    regions_seed: int  # Seed of k-means and of the bootstrap
    jackknife: Literal["standard", "mohammad-percival", "mohammad-percival-pairs"] | bool  # Leave out one region at a time
    bootstrap: int  # Draw as many regions with replacement, N times
    regions_output: File | bool  # Write the rows of every catalog with their region
    region_sums: File | bool  # Write what each catalog weighs outside each region, with the weights of --bits of its rows
    region_map: File | bool  # Draw the randoms
    pip_realizations: int  # Realizations N, the observed one among them
    pip_offset: int  # What is added to the common bits
    pip_always: int  # Bits that are set in every row, less those set in none
    pip_default: SupportsFloat  # Weight where the offset and the common bits are both 0
    pip_zero_truncated: bool  # The zero-truncated estimator
    pip_total: Literal["joint", "brute-force", "counter"]  # What counts are normalised by
    angular: Any  # Angular upweights of the counts of data
    engine: Literal["auto", "naive", "cpu", "cuda", "cuda+cpu"]  # Who counts
    threads: int  # Number of threads of the cpu engine, at most four for each core
    isa: Value  # Instruction set of the cpu engine
    devices: int | Sequence[int]  # GPUs to use, by their numbers in `albireo devices`
    precision: Literal["exact", "f64", "f32"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    part: File | bool  # The file of the part
    plan: int | bool  # Count nothing
    checkpoint: File  # Save what is counted in this folder, and go on from what is there
    checkpoint_every: Value  # From one --checkpoint to the next, such as 30s, 5min or 1h


class XiOptions(EstimateOptions, total=False):
    """Of :func:`albireo.xi`."""

    multipoles: int | Sequence[int]  # Legendre multipoles of xi(s, mu)
    wedges: int  # Wedges of xi(s, mu)
    wedge_edges: SupportsFloat | Sequence[SupportsFloat]  # Wedges between these mu instead
    wedge_bins: Literal["part", "middle"]  # Which bins in mu a wedge has
    poles_from: Literal["mu", "legendre"]  # What multipoles are made of


class WpOptions(EstimateOptions, total=False):
    """Of :func:`albireo.wp`."""



class RdfOptions(SecondOptions, total=False):
    """Of :func:`albireo.rdf`."""

    r_min: SupportsFloat  # Smallest separation
    beyond_half: bool  # Let bins reach beyond half the box
    walls: Value  # Walls that the particles are between
    randoms: Any  # Random points that fill the same volume as the particles, in the same box in all frames, whose pairs are counted as RR
    topology: Any  # Names, residues, masses and bonds of the particles, where the trajectory has none
    frames: Value  # Frames, counted from 0 over all files
    species: Value  # The column whose values are species, all pairs of which are counted, or `none`
    select: Value  # Particles by a condition instead, under a name
    update: bool  # Ask the conditions of --select and --where again in every frame
    pairs: Value  # Pairs of species to count
    centres: Value  # Count centres of mass of what has the same value in this column
    bonded: int  # Exclude the pairs with up to N bonds between them
    plane: Literal["xy", "xz", "yz"]  # Count in a plane
    cylinder: Literal["x", "y", "z"]  # Count g(rho, z) across and along this axis instead, for pores and membranes
    heights: Edges  # Bins in |z|, the distance along the axis of --cylinder
    norm: Literal["pairs", "n2", "gc", "density", "none"]  # What g(r) is normalised by
    pmf: bool  # Add the potential of mean force, -ln g in units of kT
    kirkwood_buff: Literal["plain", "box"] | bool  # Add Kirkwood-Buff integrals up to each edge, of g normalised by n2
    block_counts: File | bool  # Write the counts and g(r) of blocks of frames, too
    block: int  # Frames of a block in --block-counts
    blocks: int  # Blocks of consecutive frames, as even as can be, whose scatter is `g_block_error`
    block_error: Literal["blocks", "plateau"]  # How `g_block_error` is found
    checkpoint: File  # Save what is done in this file now and then, and go on from there when the command is run again
    checkpoint_every: Value  # From one --checkpoint to the next, such as 30s, 5min or 1h
    frames_per_device: int  # Frames that each GPU counts side by side
    frame_column: Value  # Tables
    box_table: Any  # Tables
    lags: Value  # Van Hove function instead of g(r)
    origins: int  # Every so many frames one from which lags begin
    frame_weights: Value  # Weights of frames
    running: bool  # Add the running mean of g to --block-counts
    structure: File | bool  # Write S(q) here
    q: Edges  # The q at the middles of these bins, 2 pi over the unit of the positions
    window: Literal["none", "lorch", "hann"]  # What g - 1 is multiplied by, so that its end does not ring in S(q)
    debye: bool  # By Debye's sum over the pairs in bins
    scattering: Value  # Scattering lengths of the species
    p_of_r: File | bool  # Write P(r) here, how often distances occur in bodies of any shape, each pair weighed by --scattering
    solvent: Value  # Take off the solvent that the particles displace
    total_g: File | bool  # Write what neutrons see of g(r) here, with the lengths of --scattering
    group: Value  # Exclude the pairs with the same integer in this column, such as the atoms of one molecule
    bonds: Any  # Exclude the pairs listed in a file, such as bonds
    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column, or an expression such as WEIGHT*WEIGHT_FKP
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Rows to look at of the first sample alone, others having such flags of their own, counting from 0 in each file, from A to below B, before the condition
    every: int  # Every N-th row only of the first sample alone, others having such flags of their own, before the condition
    join: Value  # Columns of another file, or of all that a pattern matches of the first sample alone, others having such flags of their own, by exact whole numbers in the column KEY of both
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    second_positions: Value  # Cartesian position columns of the second file
    second_sky: Value  # Sky position columns of the second file in degrees
    second_distance: Value  # Comoving distance column of the second file, in the unit of the bins
    second_redshift: Value  # Redshift column of the second file, turned into Mpc/h by --cosmology
    second_weight: Value  # Weight column of the second file, or an expression such as WEIGHT*WEIGHT_FKP
    second_bits: Value  # Bit columns of the second file
    second_where: Value  # Rows to keep of the second file
    second_table: Value  # Table of the second file
    second_rows: Value  # Rows to look at of the second file
    second_every: int  # Every N-th row only of the second file
    second_join: Value  # Columns of another file, or of all that a pattern matches of the second file
    second_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the second file whose key the joined file does not have
    wrap: bool  # Wrap positions outside the box into it instead of refusing them
    partial_set: bool  # Go on with some of the files of a snapshot or group catalogue, whose headers speak of more
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    ignore_units: Value  # Columns whose numbers are taken as they are, whatever unit the file states
    redshift_unit: Literal["1"]  # Unit of redshifts
    unit: Value  # Unit of length
    engine: Literal["auto", "naive", "cpu", "cuda", "cuda+cpu"]  # Who counts
    threads: int  # Number of threads of the cpu engine, at most four for each core
    isa: Value  # Instruction set of the cpu engine
    devices: int | Sequence[int]  # GPUs to use, by their numbers in `albireo devices`
    precision: Literal["exact", "f64", "f32"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    part: File | bool  # The file of the part
    plan: int | bool  # Count nothing


class RandomsOptions(TypedDict, total=False):
    """Of :func:`albireo.randoms`."""

    mask: Any  # In the `HEALPix` pixels of a mask, evenly
    mask_pixels: Value  # Column of the mask with the numbers of pixels
    mask_where: Value  # Rows of a mask with numbers of pixels that count
    mask_order: Literal["ring", "nested"]  # Order of the pixels
    nside: int  # Resolution of the footprint of --like, a power of 2 up to 8192
    smooth_nz: int  # Draw redshifts from the data's histogram in so many bins, joined by monotone cubics, instead of the data's own redshifts
    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column, or an expression such as WEIGHT*WEIGHT_FKP
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Rows to look at of the first sample alone, others having such flags of their own, counting from 0 in each file, from A to below B, before the condition
    every: int  # Every N-th row only of the first sample alone, others having such flags of their own, before the condition
    join: Value  # Columns of another file, or of all that a pattern matches of the first sample alone, others having such flags of their own, by exact whole numbers in the column KEY of both
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    ignore_units: Value  # Columns whose numbers are taken as they are, whatever unit the file states
    redshift_unit: Literal["1"]  # Unit of redshifts


class NzOptions(TypedDict, total=False):
    """Of :func:`albireo.nz`."""

    fkp_data: File | bool  # Write the rows of DATA as a catalogue
    fkp_randoms: File | bool  # The same of the randoms, by the n(z) of DATA
    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column, or an expression such as WEIGHT*WEIGHT_FKP
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Rows to look at of the first sample alone, others having such flags of their own, counting from 0 in each file, from A to below B, before the condition
    every: int  # Every N-th row only of the first sample alone, others having such flags of their own, before the condition
    join: Value  # Columns of another file, or of all that a pattern matches of the first sample alone, others having such flags of their own, by exact whole numbers in the column KEY of both
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    randoms_positions: Value  # Cartesian position columns of the randoms
    randoms_sky: Value  # Sky position columns of the randoms in degrees
    randoms_distance: Value  # Comoving distance column of the randoms, in the unit of the bins
    randoms_redshift: Value  # Redshift column of the randoms, turned into Mpc/h by --cosmology
    randoms_weight: Value  # Weight column of the randoms, or an expression such as WEIGHT*WEIGHT_FKP
    randoms_bits: Value  # Bit columns of the randoms
    randoms_where: Value  # Rows to keep of the randoms
    randoms_table: Value  # Table of the randoms
    randoms_rows: Value  # Rows to look at of the randoms
    randoms_every: int  # Every N-th row only of the randoms
    randoms_join: Value  # Columns of another file, or of all that a pattern matches of the randoms
    randoms_join_missing: Literal["refuse", "drop", "zero"]  # Rows of the randoms whose key the joined file does not have
    ignore_units: Value  # Columns whose numbers are taken as they are, whatever unit the file states
    redshift_unit: Literal["1"]  # Unit of redshifts
    engine: Literal["auto", "naive", "cpu", "cuda", "cuda+cpu"]  # Who counts
    threads: int  # Number of threads of the cpu engine, at most four for each core
    isa: Value  # Instruction set of the cpu engine
    devices: int | Sequence[int]  # GPUs to use, by their numbers in `albireo devices`
    precision: Literal["exact", "f64", "f32"]  # Arithmetic of the cuda engine
    kernel: Literal["auto", "simple", "constant", "shared"]  # Kernel of the cuda engine
    shard: Value  # Count part I of N only, I from 0 to N-1, and write it to the file of --part
    part: File | bool  # The file of the part
    plan: int | bool  # Count nothing


class CompletenessOptions(TypedDict, total=False):
    """Of :func:`albireo.completeness`."""

    probability: Value  # Probability to be observed, where there are no --bits
    realizations: int  # Realizations that the probability is a share of
    table: Value  # Table


class FieldOptions(TypedDict, total=False):
    """Of :func:`albireo.field`."""

    topology: Any  # What a topology
    frame: int  # The frame of a trajectory, from 0, a table or H5MD file of frames included
    ending: Literal["smooth", "sharp"]  # How coulomb and gravity end
    radius: SupportsFloat  # The radius of top-hat and spline, the sigma of gaussian
    alpha: SupportsFloat  # The alpha of ewald, erfc(alpha r)/r, in inverse lengths
    cell: SupportsFloat | Sequence[SupportsFloat]  # The cells of cic and tsc, or along each axis
    values: Any  # The values of kernel table
    epsilon: Value  # Epsilon of the sources of lj
    sigma: Value  # Sigma of the sources of lj
    probe: SupportsFloat | Sequence[SupportsFloat]  # Epsilon and sigma of the probe of lj
    mixing: Literal["lorentz-berthelot", "geometric"]  # How epsilon and sigma of probe and source make those of the pair
    r_min: SupportsFloat  # Below this distance coulomb, gravity, ewald
    units: Literal["e/A", "kT/e", "V", "kcal/mol/e"]  # Unit of a coulomb potential of elementary charges, lengths that state no unit being Angstrom
    temperature: SupportsFloat  # Temperature of kT, in kelvin
    grid_of: Any  # The grid of an `OpenDX` file
    ions: Value  # Ions to place on the grid, one after the other, each where the potential with those before is most favourable
    ion_source: SupportsFloat  # The least distance of ions from sources
    ion_ion: SupportsFloat  # The least distance of ions from each other
    positions: Value  # Cartesian position columns
    sky: Value  # Sky position columns in degrees
    distance: Value  # Comoving distance column, in the unit of the bins
    redshift: Value  # Redshift column, turned into Mpc/h by --cosmology
    weight: Value  # Weight column, or an expression such as WEIGHT*WEIGHT_FKP
    bits: Value  # Bit columns
    where: Value  # Rows to keep
    table: Value  # Table
    rows: Value  # Rows to look at of the first sample alone, others having such flags of their own, counting from 0 in each file, from A to below B, before the condition
    every: int  # Every N-th row only of the first sample alone, others having such flags of their own, before the condition
    join: Value  # Columns of another file, or of all that a pattern matches of the first sample alone, others having such flags of their own, by exact whole numbers in the column KEY of both
    join_missing: Literal["refuse", "drop", "zero"]  # Rows whose key the joined file does not have
    wrap: bool  # Wrap positions outside the box into it instead of refusing them
    partial_set: bool  # Go on with some of the files of a snapshot or group catalogue, whose headers speak of more
    cosmology: Any  # Cosmology that turns redshifts into Mpc/h
    ignore_units: Value  # Columns whose numbers are taken as they are, whatever unit the file states
    redshift_unit: Literal["1"]  # Unit of redshifts
    unit: Value  # Unit of length
    engine: Literal["auto", "naive", "cpu", "cuda", "cuda+cpu"]  # Who sums
    devices: int | Sequence[int]  # GPUs to use, by their numbers in `albireo devices`
    threads: int  # Number of threads of the cpu engine, at most four for each core
    isa: Value  # Instruction set of the cpu engine
    precision: Literal["double", "single"]  # Terms in float64 or in float32, which is faster
    variant: Literal["direct", "large-bins", "small-bins", "cylinder"]  # Sources meet the points of a grid in this way, on cpu
    bin_side: SupportsFloat  # Side of bins
    bin_sources: int  # The most sources of a small bin, up to 32
    sum: Literal["exact", "plain", "compensated"]  # How terms are added


class MdOptions(TypedDict, total=False):
    """Of :func:`albireo.md`."""

    potential: Literal["cut", "shifted", "force-shifted", "wca"]  # How the Lennard-Jones potential ends
    cutoff: SupportsFloat  # Where it ends, in the sigma of each pair
    species: Value  # Species with their masses
    pair: Value  # Epsilon and sigma of two species
    seed: int  # Seed of velocities, species and noise
    precision: Literal["double", "single"]  # Impulses of pairs in float64, or in float32, which is faster
    thermostat: Literal["none", "langevin", "rescale"]  # What holds the temperature
    friction: SupportsFloat  # Friction of langevin, an inverse time
    rescale_every: int  # Steps from one rescaling to the next
    and_back: bool  # Go the same steps back with negated momenta, and fail unless every word of the start is back
    trajectory_every: int  # Steps from one frame to the next
    velocities: bool  # Write velocities beside the positions
    author: Value  # Who made the frames, which H5MD files say
    rdf_bins: Edges  # Bins of g(r)
    rdf_every: int  # Steps from one count to the next
    checkpoint: File  # Save what is done in this file now and then, and go on from there when the command is run again
    checkpoint_every: Value  # From one --checkpoint to the next, such as 30s, 5min or 1h
    engine: Literal["cpu", "cuda", "naive"]  # Who makes the forces
    traversal: Literal["cells", "all-pairs"]  # How pairs are found
    skin: SupportsFloat  # Lists hold pairs up to this beyond the cutoff
    device: int  # Which GPU of the cuda engine makes the steps
    threads: int  # Number of threads of the cpu engine, at most four for each core
    isa: Value  # Instruction set of the cpu engine
