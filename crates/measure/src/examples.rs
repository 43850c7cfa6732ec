//! Examples that the help of each subcommand ends with; a test runs them.

// Lines of at most 78 characters, so that no terminal breaks a command.
pub(crate) const COUNT_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo count catalogs/samples/galaxies_box.h5 --bins log:0.1:25:20 \\
      -o dd.csv
  albireo count catalogs/samples/survey_galaxies.fits \\
      catalogs/samples/survey_randoms.parquet --sky RA,DEC --redshift Z \\
      --cosmology Planck18 --statistic s-mu --bins lin:0:60:12 \\
      --mu-bins lin:0:1:20 -o dr.ecsv
  albireo count catalogs/samples/survey_galaxies.fits --statistic theta \\
      --bins log:0.01:10:20

  # Inverse probabilities of pairs (PIP), from the bits of a column
  albireo count catalogs/samples/survey_fibres.parquet --bits BITWEIGHT \\
      --statistic theta --bins log:0.01:1:20 -o pip_dd.csv

  # Without pairs that two fibres cannot both reach
  albireo count catalogs/samples/survey_galaxies.fits \\
      --cosmology Planck18 --bins lin:0:60:12 \\
      --theta-cut 0:0.05";

pub(crate) const XI_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo xi catalogs/samples/galaxies_box.h5 --bins log:0.1:25:20 -o xi.csv
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet --sky RA,DEC \\
      --redshift Z --cosmology Planck18 --weight WEIGHT --bins lin:0:60:30
  albireo xi catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --statistic s-mu --bins lin:0:40:20 --mu-bins lin:0:1:20 \\
      --multipoles 0,2,4
  albireo xi catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --statistic s-mu --bins lin:0:40:20 --mu-bins lin:0:1:30 \\
      --wedges 3
  albireo xi catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --statistic s-mu --bins lin:0:20:10 --multipoles 0,2,4 \\
      --poles-from legendre

  # Any estimator, as a formula of normalised counts
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins log:1:25:5 --estimator 'DD*RR/DR^2 - 1'

  # Without the pairs less than 1 Mpc/h apart across the line of sight
  albireo xi catalogs/samples/galaxies_box.h5 --bins lin:0:20:10 --rp-cut 0:1

  # Far pairs of the randoms within twenty subsets of them only
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins lin:0:60:12 --split-randoms 20 \\
      --split-randoms-above 5

  # Count RR once, use it again
  albireo count catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins log:0.1:25:20 -o rr.csv
  albireo xi catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet --rr rr.csv \\
      --cosmology Planck18 --bins log:0.1:25:20

  # Fibre collisions: PIP, IIP and angular upweights. First w(theta) of the
  # parent sample and of the observed one, then any statistic with both
  albireo xi catalogs/samples/survey_galaxies.fits --randoms-every 20 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --statistic theta --bins log:0.02:2:12 -o w_parent.csv
  albireo xi catalogs/samples/survey_fibres.parquet --randoms-every 20 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --statistic theta --bins log:0.02:2:12 --bits BITWEIGHT -o w_fibres.csv
  albireo xi catalogs/samples/survey_fibres.parquet --randoms-every 20 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --cosmology Planck18 --bins log:1:15:6 --bits BITWEIGHT \\
      --angular w_parent.csv,w_fibres.csv";

pub(crate) const WP_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo wp catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --bins log:0.1:20:14 --pi-bins lin:0:40:40 -o wp.csv
  albireo wp catalogs/samples/survey_galaxies.fits \\
      --randoms catalogs/samples/survey_randoms.parquet --sky RA,DEC \\
      --redshift Z --cosmology Planck18 --bins log:0.1:20:14 \\
      --pi-bins lin:0:60:60 --pi-max 40 --counts xi_rp_pi.parquet";

pub(crate) const RDF_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo rdf catalogs/samples/liquid_frame.parquet --r-max 5 --n-bins 150
  albireo rdf catalogs/samples/liquid_frame.parquet \\
      --where 'species == \"A\"' --bins lin:0.5:5:90
  albireo rdf catalogs/samples/liquid_frame.parquet \\
      --where 'species == \"A\"' --cross-where 'species == \"B\"' \\
      --r-max 5 --n-bins 150 -o g_AB.csv
  albireo rdf catalogs/samples/liquid_frame.parquet --box none \\
      --volume 3333 --r-max 2 --n-bins 50    # open space

  # All partials of a trajectory, as far as the box allows, and S(q)
  albireo rdf catalogs/samples/liquid_trajectory.parquet --r-max half \\
      --n-bins 100 --structure s.csv --q lin:1:21:100 -o partials.csv

  # Some frames, some pairs; groups by conditions, which may share particles
  albireo rdf catalogs/samples/liquid_trajectory.parquet --frames 10::10 \\
      --pairs A-A,A-B --r-max 2.5 --n-bins 50 --block-counts frames.csv
  albireo rdf catalogs/samples/liquid_trajectory.parquet --r-max 2 \\
      --n-bins 40 --select 'B=species == \"B\"' --select 'all=index >= 0' \\
      --pairs B-all";

pub(crate) const RESULT_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo xi catalogs/samples/galaxies_box.h5 --rows 0:2500 \\
      --bins log:1:20:2 -o mock_1.csv
  albireo xi catalogs/samples/galaxies_box.h5 --rows 2500:5000 \\
      --bins log:1:20:2 -o mock_2.csv
  albireo xi catalogs/samples/galaxies_box.h5 --rows 5000:7500 \\
      --bins log:1:20:2 -o mock_3.csv
  albireo result covariance 'mock_*.csv' -o cov.csv --mean mean.csv

  # Pair counts in coarser bins, in fewer, and of several samples
  albireo count catalogs/samples/galaxies_box.h5 --rows 0:5000 \\
      --bins lin:0:20:20 -o dd_1.csv
  albireo count catalogs/samples/galaxies_box.h5 --rows 5000:9000 \\
      --bins lin:0:20:20 -o dd_2.csv
  albireo result rebin dd_1.csv --by 4 -o coarse.csv
  albireo result slice dd_1.csv --range 5:10 -o near.csv
  albireo result sum 'dd_*.csv' -o all.csv

  # Two parts of the sky as one, by the regions of both
  albireo xi catalogs/samples/survey_galaxies.fits --where 'DEC >= 20' \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --randoms-every 50 --cosmology Planck18 --bins lin:0:40:8 \\
      --regions 8 --region-counts north_regions.csv -o north.csv
  albireo xi catalogs/samples/survey_galaxies.fits --where 'DEC < 20' \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --randoms-every 50 --cosmology Planck18 --bins lin:0:40:8 \\
      --regions 8 --region-counts south_regions.csv -o south.csv
  albireo result combine north.csv south.csv \\
      --by-region north_regions.csv south_regions.csv -o both.csv

  # Bins that adjoin, another total, both signs of pi together
  albireo count catalogs/samples/galaxies_box.h5 --rows 0:5000 \\
      --bins lin:20:40:4 -o far.csv
  albireo result concatenate dd_1.csv far.csv -o joined.csv
  albireo result renormalise dd_1.csv --total-weight 1 -o one.csv
  albireo count catalogs/samples/galaxies_box.h5 --rows 0:5000 \\
      --statistic rp-pi --bins lin:0:20:5 --pi-bins lin:-20:20:20 -o pi.csv
  albireo result wrap pi.csv -o wrapped.csv

  # The window of a survey; w(theta) with its integral constraint
  albireo count catalogs/samples/survey_randoms.parquet --every 20 \\
      --cosmology Planck18 --statistic s-mu --bins lin:0:400:20 \\
      --mu-bins lin:0:1:20 -o rr.csv
  albireo result window rr.csv --multipoles 0,2,4 -o window.csv
  albireo xi catalogs/samples/survey_galaxies.fits --every 10 \\
      --randoms catalogs/samples/survey_randoms.parquet \\
      --randoms-every 20 --statistic theta --bins log:0.1:180:30 -o w.csv
  albireo result integral-constraint w.csv --power-law 0.8 \\
      --fit 0.2:10 -o w_ic.csv";

pub(crate) const RANDOMS_EXAMPLES: &str =
    "A footprint is the HEALPix pixels that hold objects: where a survey ends within a \
pixel, the randoms go on to its border; masks finer than pixels are not seen.

Examples, on the catalogs that come with albireo:
  albireo randoms --number 100000 --seed 1 \\
      --like catalogs/samples/survey_galaxies.fits --sky RA,DEC \\
      --redshift Z --smooth-nz 30 -o survey_like.parquet
  albireo randoms --number 50000 --box 420 -o box.parquet
  albireo randoms --number 50000 --sky-window 150:240,-5:60 -o sky.fits
  albireo randoms --number 50000 --shell 500:1200 -o shell.csv";

pub(crate) const RANDOM_EXAMPLES: &str =
    "The sequence is one: parts of it are no independent streams. Numbers 2^40 apart share \
their low 40 bits, those 2^k apart their low k.

Examples:
  albireo random -n 1000000 --seed 1 -o numbers.parquet
  albireo random -n 10 --seed 1 --function lrand48 --skip 9999999 -o -";

pub(crate) const NZ_EXAMPLES: &str =
    "Volumes are those of shells of the area between comoving distances; weights FKP = \
1/(1 + n(z) P0) (Feldman, Kaiser & Peacock 1994).

Examples, on the catalogs that come with albireo:
  albireo nz catalogs/samples/survey_galaxies.fits --cosmology Planck18 \\
      --area 2946 --bins lin:0.02:0.14:12 -o nz.csv --plot nz.png
  albireo nz catalogs/samples/survey_galaxies.fits --cosmology Planck18 \\
      --nside 32 --randoms catalogs/samples/survey_randoms.parquet \\
      --fkp 10000 --fkp-data galaxies_fkp.parquet \\
      --fkp-randoms randoms_fkp.parquet";

pub(crate) const RUN_EXAMPLES: &str =
    "Keys of a job are the flags of the subcommands, by their long names.

Examples, on the catalogs that come with albireo:
  albireo run --template > job.toml
  albireo run job.toml
  albireo run wp.csv    # the command that made this result, again";

pub(crate) const INFO_EXAMPLES: &str = "Examples, on the catalogs that come with albireo:
  albireo info catalogs/samples/galaxies_box.h5";

#[cfg(feature = "plot")]
pub(crate) const PLOT_EXAMPLES: &str =
    "Maps of xi(rp, pi) have contours at 1 and 3 times powers of ten, drawn \
through values smoothed over three bins either way.

Examples, on the catalogs that come with albireo:
  albireo wp catalogs/samples/galaxies_box.h5 --bins log:0.1:20:14 \\
      --pi-bins lin:0:40:40 -o real.csv
  albireo wp catalogs/samples/galaxies_box.h5 --positions x,y,z_rsd \\
      --bins log:0.1:20:14 --pi-bins lin:0:40:40 -o redshift.csv
  albireo plot real.csv redshift.csv -o wp.pdf --x-range 0.5:20 \\
      --y-range 1:300";

#[cfg(feature = "plot")]
pub(crate) const REPORT_EXAMPLES: &str =
    "The page is one file, opens without a network, and can be sent as it is. Figures show what `albireo plot` draws, and the regions of
--regions-output; tables their first rows.

Examples, on the catalogs that come with albireo:
  albireo wp catalogs/samples/galaxies_box.h5 --bins log:0.1:20:14 \\
      --pi-bins lin:0:40:40 --regions-cubes 4 --covariance wp_cov.csv -o wp.csv
  albireo report wp.csv wp_cov.csv -o report.html";
