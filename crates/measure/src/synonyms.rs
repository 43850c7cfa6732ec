//! What people type, and what is written here: names of flags and values in other programs, and those that come to mind.
//!
//! Entry: [`instead`] of a flag, [`value_instead`] of a value, [`command_instead`]. Flags, keys of job files and keywords of Python have the same table.

use clap::Command;

/// What is typed, in lower case without - and _, and what to write: the first of which the command has the flag, or a text for any command.
const FLAGS: &[(&str, &[&str])] = &[
    (
        "analyticrr",
        &["leave it out: RR of a periodic box is known"],
    ),
    (
        "autocorr",
        &["leave it out: pairs within one sample are counted unless there is a second one"],
    ),
    ("backend", &["--engine"]),
    ("b", &["--frames START:STOP:STEP"]),
    ("begin", &["--frames START:STOP:STEP"]),
    ("bin", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("binedges", &["--bins edges:A,B,.."]),
    ("binfile", &["--bins @FILE"]),
    ("bintype", &["--bins log:LO:HI:N"]),
    ("binwidth", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("binsize", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("boot", &["--bootstrap"]),
    ("boxlength", &["--box"]),
    ("boxsize", &["--box"]),
    (
        "catalog1",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "catalog2",
        &[
            "--cross",
            "give the second file without a flag, behind the first",
        ],
    ),
    (
        "catalogue",
        &["give the file without a flag, behind the subcommand"],
    ),
    ("cell", &["--box"]),
    ("chunksize", &["leave it out: files are read in blocks"]),
    ("comoving", &["--distance"]),
    ("cond", &["--where"]),
    ("condition", &["--where"]),
    ("config", &["albireo run FILE.toml"]),
    ("cores", &["--threads"]),
    ("cosmo", &["--cosmology"]),
    ("cosmoparams", &["--cosmology"]),
    ("cov", &["--covariance"]),
    ("cpus", &["--threads"]),
    ("crossmode", &["--cross"]),
    ("cut", &["--where", "--r-min"]),
    ("cutoff", &["--r-max", "--bins lin:LO:HI:N"]),
    ("cz", &["--redshift"]),
    ("czcol", &["--redshift"]),
    (
        "data",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "data1",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "data2",
        &[
            "--cross",
            "give the second file without a flag, behind the first",
        ],
    ),
    ("dec", &["--sky RA,DEC"]),
    ("deccol", &["--sky RA,DEC"]),
    ("delta", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("device", &["--devices"]),
    ("dist", &["--distance"]),
    (
        "doauto",
        &["leave it out: pairs within one sample are counted unless there is a second one"],
    ),
    ("dr", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("dtype", &["--precision"]),
    ("e", &["--frames START:STOP:STEP"]),
    ("edges", &["--bins edges:A,B,.."]),
    ("element", &["--species", "--where"]),
    ("ell", &["--multipoles"]),
    ("ells", &["--multipoles"]),
    ("end", &["--frames START:STOP:STEP"]),
    ("errors", &["--regions", "--blocks"]),
    ("estimatortype", &["--estimator"]),
    ("excl", &["--exclude-bonded"]),
    ("exclude", &["--exclude-same", "--where"]),
    ("excludesame", &["--exclude-same"]),
    ("exclusionblock", &["--exclude-same"]),
    ("f", &["give the trajectory without a flag, behind `rdf`"]),
    (
        "file",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "filename",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "filename2",
        &[
            "--cross",
            "give the second file without a flag, behind the first",
        ],
    ),
    ("filter", &["--where"]),
    ("first", &["--frames START:STOP:STEP"]),
    (
        "fkpweights",
        &["--weight WEIGHT*WEIGHT_FKP", "albireo nz --fkp"],
    ),
    ("force", &["--overwrite"]),
    ("fps", &["--frames START:STOP:STEP"]),
    ("framestep", &["--frames START:STOP:STEP"]),
    ("gpu", &["--engine cuda"]),
    ("gpuid", &["--devices"]),
    ("gpuids", &["--devices"]),
    ("gpus", &["--devices"]),
    ("groups", &["--select", "--exclude-same"]),
    ("hdu", &["--table"]),
    ("ext", &["--table"]),
    (
        "input",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "inputfile",
        &["give the file without a flag, behind the subcommand"],
    ),
    ("iscomovingdist", &["--distance"]),
    ("j", &["--threads"]),
    ("jack", &["--jackknife"]),
    ("jackknives", &["--regions"]),
    ("jk", &["--regions"]),
    ("last", &["--frames START:STOP:STEP"]),
    ("lineofsight", &["--los"]),
    ("log", &["--verbose"]),
    ("logbins", &["--bins log:LO:HI:N"]),
    ("loglevel", &["--verbose"]),
    ("max", &["--r-max", "--bins lin:LO:HI:N"]),
    ("maxdist", &["--r-max", "--bins lin:LO:HI:N"]),
    ("maxsep", &["--r-max", "--bins lin:LO:HI:N"]),
    ("maxsepunits", &["--unit"]),
    ("metric", &["--statistic"]),
    ("min", &["--r-min", "--bins lin:LO:HI:N"]),
    ("minsep", &["--r-min", "--bins lin:LO:HI:N"]),
    ("mode", &["--statistic"]),
    ("mol", &["--exclude-same"]),
    (
        "mpicomm",
        &["start `albireo-mpi` by mpirun, with the same flags"],
    ),
    ("mubin", &["--mu-bins"]),
    ("mumax", &["--mu-bins lin:0:MAX:N"]),
    ("n", &["--n-bins", "--number", "--bins lin:LO:HI:N"]),
    ("natoms", &["--atoms"]),
    ("nbin", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("nbins", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("nbinsmu", &["--mu-bins lin:0:1:N"]),
    ("ncores", &["--threads"]),
    ("ncpus", &["--threads"]),
    ("nell", &["--multipoles"]),
    ("njack", &["--regions"]),
    ("njackknife", &["--regions"]),
    ("njobs", &["--threads"]),
    ("njk", &["--regions"]),
    ("nmu", &["--mu-bins lin:0:1:N"]),
    ("nmubins", &["--mu-bins lin:0:1:N"]),
    ("normalisation", &["--norm", "--estimator"]),
    ("normalization", &["--norm", "--estimator"]),
    ("normalizationmode", &["--norm"]),
    ("normalize", &["--norm", "--estimator"]),
    ("npatch", &["--regions"]),
    ("npibins", &["--pi-bins lin:0:MAX:N"]),
    ("npoints", &["--number"]),
    ("nproc", &["--threads"]),
    ("nprocs", &["--threads"]),
    ("nrandoms", &["--number"]),
    ("nregions", &["--regions"]),
    ("nsteps", &["--steps"]),
    ("nthread", &["--threads"]),
    ("nthreads", &["--threads"]),
    ("numbins", &["--n-bins", "--bins lin:LO:HI:N"]),
    ("numthreads", &["--threads"]),
    ("nwedges", &["--wedges"]),
    ("nworkers", &["--threads"]),
    ("omegam", &["--cosmology om=0.31"]),
    ("omegam0", &["--cosmology om=0.31"]),
    ("om", &["--cosmology om=0.31"]),
    ("omp", &["--threads"]),
    ("ompnumthreads", &["--threads"]),
    ("opt", &["--engine"]),
    ("out", &["--output"]),
    ("outfile", &["--output"]),
    ("outfn", &["--output"]),
    ("outname", &["--output"]),
    ("outputfile", &["--output"]),
    ("outputfn", &["--output"]),
    ("outputrpavg", &["--mean-separation"]),
    ("outputravg", &["--mean-separation"]),
    ("outputsavg", &["--mean-separation"]),
    ("patches", &["--regions"]),
    ("pbc", &["--box"]),
    ("periodic", &["--box"]),
    ("period", &["--box"]),
    ("pimax", &["--pi-bins lin:0:MAX:N"]),
    ("poles", &["--multipoles"]),
    ("pos", &["--positions"]),
    ("position", &["--positions"]),
    ("positiontype", &["--sky RA,DEC or --positions X,Y,Z"]),
    ("prec", &["--precision"]),
    ("processes", &["--threads"]),
    ("query", &["--where"]),
    ("r2", &["--scale-by 2"]),
    ("ra", &["--sky RA,DEC"]),
    ("racol", &["--sky RA,DEC"]),
    ("radec", &["--sky"]),
    ("rand", &["--randoms"]),
    ("randcat", &["--randoms"]),
    ("randfile", &["--randoms"]),
    ("randfilename", &["--randoms"]),
    ("random", &["--randoms"]),
    ("randomcatalog", &["--randoms"]),
    ("randomfile", &["--randoms"]),
    ("randoms1", &["--randoms"]),
    ("randoms2", &["--cross-randoms"]),
    ("random2", &["--cross-randoms"]),
    ("range", &["--r-max", "--bins lin:LO:HI:N"]),
    ("rbins", &["--bins"]),
    ("rbin", &["--bins"]),
    ("rc", &["--cutoff", "--r-max"]),
    ("rcut", &["--cutoff", "--r-max"]),
    ("redshiftcol", &["--redshift"]),
    ("ref", &["--select NAME=CONDITION and --pairs A-B"]),
    ("rmax", &["--r-max", "--bins lin:LO:HI:N"]),
    ("rmin", &["--r-min", "--bins lin:LO:HI:N"]),
    ("rpbins", &["--bins"]),
    ("rpmax", &["--bins log:LO:HI:N"]),
    ("rpmin", &["--bins log:LO:HI:N"]),
    ("rrange", &["--r-min and --r-max", "--bins lin:LO:HI:N"]),
    ("rrprecomputed", &["--rr"]),
    (
        "sample1",
        &["give the file without a flag, behind the subcommand"],
    ),
    (
        "sample2",
        &[
            "--cross",
            "give the second file without a flag, behind the first",
        ],
    ),
    ("save", &["--output"]),
    ("savefig", &["--plot"]),
    ("sbins", &["--bins"]),
    ("second", &["--cross"]),
    ("sel", &["--select"]),
    ("sel1", &["--select NAME=CONDITION and --pairs A-B"]),
    ("sel2", &["--select NAME=CONDITION and --pairs A-B"]),
    ("selection", &["--select", "--where"]),
    ("selrpos", &["--centres"]),
    ("sepunits", &["--unit"]),
    ("shifted", &["--shifted-randoms"]),
    ("silent", &["--quiet"]),
    ("skip", &["--frames START:STOP:STEP", "--every"]),
    ("smax", &["--bins lin:LO:HI:N"]),
    ("smin", &["--bins lin:LO:HI:N"]),
    ("start", &["--frames START:STOP:STEP"]),
    ("step", &["--frames START:STOP:STEP"]),
    ("stop", &["--frames START:STOP:STEP"]),
    ("stride", &["--frames START:STOP:STEP", "--every"]),
    ("subsample", &["--every"]),
    ("t", &["--threads"]),
    ("temp", &["--temperature"]),
    ("theta", &["--statistic theta"]),
    ("thetabins", &["--statistic theta --bins"]),
    ("thetamax", &["--statistic theta --bins"]),
    ("thread", &["--threads"]),
    ("timestep", &["--dt"]),
    ("top", &["--topology"]),
    (
        "trajectory",
        &["give the trajectory without a flag, behind `rdf`"],
    ),
    ("type", &["--statistic", "--species"]),
    ("units", &["--unit"]),
    ("usegpu", &["--engine cuda"]),
    ("varmethod", &["--jackknife"]),
    ("vel", &["--velocities"]),
    ("w", &["--weight"]),
    ("wcol", &["--weight"]),
    ("weightattrs", &["--weight"]),
    ("weightcol", &["--weight"]),
    ("weightname", &["--weight"]),
    ("weights", &["--weight"]),
    ("weights1", &["--weight"]),
    ("weights2", &["--cross-weight"]),
    ("weighttype", &["--weight"]),
    ("wtheta", &["--statistic theta"]),
    ("x", &["--positions X,Y,Z"]),
    ("xcol", &["--positions X,Y,Z"]),
    ("xvg", &["--output FILE.xvg"]),
    ("xyz", &["--positions"]),
    ("z", &["--redshift"]),
    ("zcol", &["--redshift"]),
    ("zmax", &["--where 'Z < MAX'"]),
    ("zmin", &["--where 'Z > MIN'"]),
    ("zrange", &["--where 'Z > MIN and Z < MAX'"]),
];

/// A flag, a value that is typed, in the same form as those of [`FLAGS`], and what to write.
const VALUES: &[(&str, &str, &str)] = &[
    ("engine", "gpu", "cuda"),
    ("engine", "cupy", "cuda"),
    ("engine", "nvidia", "cuda"),
    ("engine", "openmp", "cpu"),
    ("engine", "omp", "cpu"),
    ("engine", "serial", "cpu --threads 1"),
    ("engine", "avx", "cpu"),
    ("engine", "avx2", "cpu"),
    ("engine", "avx512f", "cpu"),
    ("engine", "avx512", "cpu"),
    ("engine", "fastest", "auto"),
    ("engine", "bruteforce", "naive"),
    ("engine", "both", "cuda+cpu"),
    ("statistic", "multipoles", "s-mu --multipoles 0,2,4"),
    ("statistic", "wedges", "s-mu --wedges 3"),
    ("statistic", "s", "r"),
    ("statistic", "3d", "r"),
    ("statistic", "xi", "r"),
    ("statistic", "rppi", "rp-pi"),
    ("statistic", "2d", "rp-pi"),
    ("statistic", "wp", "rp-pi, or `albireo wp`"),
    ("statistic", "projected", "rp-pi, or `albireo wp`"),
    ("statistic", "angular", "theta"),
    ("statistic", "arc", "theta"),
    ("statistic", "wtheta", "theta"),
    ("statistic", "w", "theta"),
    ("estimator", "ls", "landy-szalay"),
    ("estimator", "compensated", "landy-szalay"),
    ("estimator", "landyszalay", "landy-szalay"),
    ("estimator", "davispeebles", "davis-peebles"),
    ("estimator", "dp", "davis-peebles"),
    ("estimator", "simple", "natural"),
    ("estimator", "peebleshauser", "natural"),
    ("estimator", "ham", "hamilton"),
    ("los", "firstpoint", "first"),
    ("los", "endpoint", "end"),
    ("los", "pair", "midpoint"),
    ("los", "local", "midpoint"),
    ("los", "radial", "midpoint"),
    ("los", "0", "x"),
    ("los", "1", "y"),
    ("los", "2", "z"),
    ("norm", "rdf", "ideal"),
    ("norm", "exact", "ideal"),
    ("norm", "finitesize", "n2"),
    ("norm", "gr", "ideal"),
    ("norm", "raw", "counts"),
    ("precision", "float64", "double"),
    ("precision", "float32", "single"),
    ("precision", "float", "single"),
    ("precision", "fp64", "double"),
    ("precision", "fp32", "single"),
    ("precision", "f8", "double"),
    ("precision", "f4", "single"),
    ("thermostat", "nve", "none"),
    ("thermostat", "nvt", "langevin"),
    ("thermostat", "vrescale", "rescale"),
    ("format", "txt", "csv"),
    ("format", "tsv", "csv"),
    ("potential", "lj", "cut"),
    ("jackknife", "true", "standard"),
    ("kernel", "potential", "coulomb"),
    ("kernel", "charge", "coulomb"),
    ("kernel", "ngp", "cic"),
    ("kernel", "sph", "spline"),
    ("kernel", "mass", "gravity"),
];

/// Names of subcommands elsewhere.
const COMMANDS: &[(&str, &str)] = &[
    ("2pcf", "xi"),
    ("angular", "xi --statistic theta"),
    ("autocorr", "xi"),
    ("corr", "xi"),
    ("correlation", "xi"),
    ("cov", "result covariance"),
    ("covariance", "result covariance"),
    ("combine", "result combine"),
    ("cross", "xi --cross FILE"),
    ("dd", "count"),
    ("density", "field"),
    ("draw", "plot"),
    ("gofr", "rdf"),
    ("gpu", "devices"),
    ("gpus", "devices"),
    ("gr", "rdf"),
    ("head", "info"),
    ("mocks", "xi"),
    ("multipoles", "xi --statistic s-mu --multipoles 0,2,4"),
    ("npcf", "xi"),
    ("paircount", "count"),
    ("paircounts", "count"),
    ("pairs", "count"),
    ("potential", "field"),
    ("rand", "randoms"),
    ("rebin", "result rebin"),
    ("show", "info"),
    ("simulate", "md"),
    ("smu", "xi --statistic s-mu"),
    ("sq", "rdf --structure FILE"),
    ("theory", "xi"),
    ("tpcf", "xi"),
    ("w", "xi --statistic theta"),
    ("wedges", "xi --statistic s-mu --wedges 3"),
    ("wprp", "wp"),
    ("wtheta", "xi --statistic theta"),
];

/// Words before the names of flags of other samples, and what stands before them here.
const SAMPLES: [(&str, &str); 8] = [
    ("randoms", "--randoms-"),
    ("random", "--randoms-"),
    ("rand", "--randoms-"),
    ("cross", "--cross-"),
    ("second", "--cross-"),
    ("data", "--"),
    ("r", "--randoms-"),
    ("d", "--"),
];

/// A name in the form of the tables.
fn plain(name: &str) -> String {
    let letters = name
        .chars()
        .filter(|c| !['-', '_', '.', ' ', ',', '(', ')'].contains(c));
    letters.flat_map(char::to_lowercase).collect()
}

fn takes(command: &Command, flag: &str) -> bool {
    let mut all = command.get_arguments();
    all.any(|arg| arg.get_long() == Some(flag))
}

/// Whether what is to be written holds a flag that the command does not have.
fn is_possible(command: &Command, write: &str) -> bool {
    match write.strip_prefix("--") {
        Some(flag) => takes(command, flag.split(' ').next().unwrap_or_default()),
        None => true,
    }
}

/// What the table has for a name.
fn listed(command: &Command, name: &str) -> Option<String> {
    let row = FLAGS.iter().find(|(typed, _)| *typed == name);
    let write = row.and_then(|(_, all)| all.iter().find(|write| is_possible(command, write)));
    write.map(|write| (*write).to_owned())
}

/// The flag of the command that is spelt so, but for case, - and _.
fn spelt(command: &Command, name: &str) -> Option<String> {
    let mut names = command.get_arguments().filter_map(|arg| arg.get_long());
    let found = names.find(|long| plain(long) == name);
    found.map(|long| format!("--{long}"))
}

/// What to write for the flag of another sample.
fn of_sample(command: &Command, name: &str) -> Option<String> {
    SAMPLES.iter().find_map(|(word, before)| {
        let rest = name.strip_prefix(word).filter(|rest| rest.len() > 1)?;
        let write = spelt(command, rest).or_else(|| listed(command, rest))?;
        let write = format!("{before}{}", write.strip_prefix("--")?);
        is_possible(command, &write).then_some(write)
    })
}

/// What to write in place of a flag, key or keyword that the command does not have, where that is known.
pub(crate) fn known(command: &Command, typed: &str) -> Option<String> {
    let name = plain(typed);
    let known = spelt(command, &name).or_else(|| listed(command, &name));
    known.or_else(|| of_sample(command, &name))
}

/// A hint about a flag, key or keyword that the command does not have: what to write, one that is a slip away, or where all of them are listed.
pub(crate) fn instead(command: &Command, words: &str, typed: &str) -> String {
    if let Some(write) = known(command, typed) {
        return if write.starts_with("--") || write.starts_with("albireo ") {
            format!("use {write}")
        } else {
            write
        };
    }
    let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let names: Vec<String> = visible
        .filter_map(|arg| arg.get_long())
        .map(str::to_owned)
        .collect();
    let typed = typed.trim_start_matches('-').replace('_', "-");
    match albireo_catalogs::near(&typed, &names).first() {
        Some(near) => format!("did you mean --{near}?"),
        None => format!("`{words} --help` lists all flags"),
    }
}

/// What to write in place of a value that a flag does not take, where that is known.
pub(crate) fn value_instead(flag: &str, typed: &str, valid: &[String]) -> Option<String> {
    let value = plain(typed);
    let rows = VALUES.iter().filter(|(of, ..)| *of == flag);
    let mut rows = rows.filter(|(_, typed, _)| *typed == value);
    let spelt = valid.iter().find(|other| plain(other) == value).cloned();
    let listed = || rows.next().map(|(.., write)| (*write).to_owned());
    let near = || albireo_catalogs::near(typed, valid).first().cloned();
    spelt.or_else(listed).or_else(near)
}

/// What to write in place of a subcommand that there is not.
pub(crate) fn command_instead(program: &Command, typed: &str) -> Option<String> {
    let name = plain(typed);
    let mut names = program
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    if let Some(found) = names.find(|other| plain(other) == name) {
        return Some(found);
    }
    if let Some((_, write)) = COMMANDS.iter().find(|(typed, _)| *typed == name) {
        return Some((*write).to_owned());
    }
    let names: Vec<String> = program
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .collect();
    albireo_catalogs::near(typed, &names).first().cloned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn tables_are_in_plain_form_and_lead_somewhere() {
        let mut program = Cli::command();
        program.build();
        let commands = || program.get_subcommands();
        for (typed, writes) in FLAGS {
            assert_eq!(plain(typed), *typed);
            for write in *writes {
                assert!(
                    commands().any(|command| is_possible(command, write)),
                    "{typed}: {write}"
                );
            }
        }
        for (flag, typed, _) in VALUES {
            assert_eq!(plain(typed), *typed);
            assert!(
                commands().any(|command| takes(command, flag)),
                "{flag} {typed}"
            );
        }
        for (typed, write) in COMMANDS {
            let first = write.split(' ').next().unwrap();
            assert!(commands().any(|c| c.get_name() == first), "{typed}");
            assert!(
                commands().all(|c| c.get_name() != *typed),
                "{typed} is a command"
            );
        }
    }

    #[test]
    fn names_of_other_programs_are_known() {
        let program = Cli::command();
        for (command, typed, write) in [
            ("xi", "ells", "use --multipoles"),
            ("rdf", "rmax", "use --r-max"),
            ("rdf", "n_bins", "use --n-bins"),
            ("xi", "nbins", "use --bins lin:LO:HI:N"),
            ("rdf", "dr", "use --n-bins"),
            ("wp", "pimax", "use --pi-max"),
            ("xi", "weights", "use --weight"),
            ("count", "nthreads", "use --threads"),
            ("xi", "random", "use --randoms"),
            ("xi", "rand_weights", "use --randoms-weight"),
            ("xi", "output-file", "use --output"),
            ("nz", "cosmo", "use --cosmology"),
            ("xi", "ra", "use --sky RA,DEC"),
            ("xi", "mubins", "use --mu-bins"),
            ("count", "boxsize", "use --box"),
            ("xi", "wheer", "did you mean --where?"),
            ("xi", "zebra", "`albireo xi --help` lists all flags"),
        ] {
            let words = format!("albireo {command}");
            let of = program.find_subcommand(command).unwrap();
            assert_eq!(instead(of, &words, typed), write, "{command} --{typed}");
        }
        assert_eq!(value_instead("engine", "GPU", &[]).as_deref(), Some("cuda"));
        assert_eq!(command_instead(&program, "tpcf").as_deref(), Some("xi"));
        assert_eq!(
            command_instead(&program, "radnoms").as_deref(),
            Some("randoms")
        );
    }
}
