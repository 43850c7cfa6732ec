//! Names and values that other programs have, or that come to mind, with what is written here.
//!
//! A row is `words: answer`, the words in lower case without - and _.

/// Names of flags, and what to write: the first of those between ` / ` of which the command has the flag, or a text for any command.
pub(super) const FLAGS: &str = "
analyticrr: leave it out: RR of a periodic box is known
autocorr doauto: leave it out: pairs within one sample are counted unless there is a second one
backend opt: --engine
b begin e end first fps framestep last start step stop: --frames START:STOP:STEP
bin binwidth binsize delta dr nbin nbins numbins: --n-bins / --bins lin:LO:HI:N
binedges edges: --bins edges:A,B,..
binfile: --bins @FILE
bintype logbins rpmax rpmin: --bins log:LO:HI:N
boot: --bootstrap
boxlength boxsize cell pbc periodic period: --box
catalog1 catalogue data data1 file filename input inputfile sample1: give the file without a flag, behind the subcommand
catalog2 data2 filename2 sample2: --cross / give the second file without a flag, behind the first
chunksize: leave it out: files are read in blocks
comoving dist iscomovingdist: --distance
com centerofmass centreofmass selrpos: --centres COLUMN
cond condition filter query: --where
config: albireo run FILE.toml
cores cpus j ncores ncpus njobs nproc nprocs nthread nthreads numthreads nworkers omp ompnumthreads processes t thread: --threads
cosmo cosmoparams: --cosmology
cov: --covariance
crossmode second: --cross
cut: --where / --r-min
cutoff max maxdist maxsep range rmax: --r-max / --bins lin:LO:HI:N
cz czcol redshiftcol z zcol: --redshift
dec deccol ra racol: --sky RA,DEC
device gpuid gpuids gpus: --devices
dtype prec: --precision
element: --species / --where
ell ells nell poles: --multipoles
errors: --regions / --blocks
estimatortype: --estimator
excl: --exclude-bonded
exclude: --exclude-same / --where
excludesame exclusionblock mol: --exclude-same
f trajectory: give the trajectory without a flag, behind `rdf`
fkpweights: --weight WEIGHT*WEIGHT_FKP / albireo nz --fkp
force: --overwrite
fsky skyarea skyfraction solidangle: --area DEGREES2
gpu usegpu: --engine cuda
groups: --select / --exclude-same
hdu ext: --table
jack varmethod: --jackknife
jackknives jk njack njackknife njk npatch nregions patches: --regions
json: --output FILE.json
lineofsight: --los
log loglevel: --verbose
maxsepunits sepunits units: --unit
metric mode: --statistic
min minsep rmin: --r-min / --bins lin:LO:HI:N
mpicomm: start `albireo-mpi` by mpirun, with the same flags
mubin: --mu-bins
mumax: --mu-bins lin:0:MAX:N
n: --n-bins / --number / --bins lin:LO:HI:N
natoms: --atoms
nbinsmu nmu nmubins: --mu-bins lin:0:1:N
normalisation normalization normalize: --norm / --estimator
normalizationmode: --norm
npibins pimax: --pi-bins lin:0:MAX:N
npoints nrandoms: --number
nsteps: --steps
nwedges: --wedges
omegam omegam0 om: --cosmology om=0.31
out outfile outfn outname outputfile outputfn save: --output
outputrpavg outputravg outputsavg: --mean-separation
pos position xyz: --positions
positiontype: --sky RA,DEC or --positions X,Y,Z
r2: --scale-by 2
radec: --sky
rand randcat randfile randfilename random randomcatalog randomfile randoms1: --randoms
randoms2 random2: --cross-randoms
rbins rbin rpbins sbins: --bins
rc rcut: --cutoff / --r-max
ref sel1 sel2: --select NAME=CONDITION and --pairs A-B
rho: --density
rrange: --r-min and --r-max / --bins lin:LO:HI:N
rrprecomputed: --rr
savefig: --plot
sel: --select
selection: --select / --where
shifted: --shifted-randoms
silent: --quiet
skip stride: --frames START:STOP:STEP / --every
smax smin: --bins lin:LO:HI:N
subsample: --every
temp: --temperature
theta wtheta: --statistic theta
thetabins thetamax: --statistic theta --bins
timestep: --dt
top: --topology
type: --statistic / --species
vel: --velocities
w wcol weightattrs weightcol weightname weights weights1 weighttype: --weight
weights2: --cross-weight
x xcol: --positions X,Y,Z
xvg: --output FILE.xvg
zmax: --where 'Z < MAX'
zmin: --where 'Z > MIN'
zrange: --where 'Z > MIN and Z < MAX'
";

/// A flag and values that are typed, and what to write.
pub(super) const VALUES: &str = "
engine gpu cupy nvidia: cuda
engine openmp omp avx avx2 avx512f avx512: cpu
engine serial: cpu --threads 1
engine fastest: auto
engine bruteforce: naive
engine both: cuda+cpu
statistic multipoles: s-mu --multipoles 0,2,4
statistic wedges: s-mu --wedges 3
statistic s 3d xi: r
statistic rppi 2d: rp-pi
statistic wp projected: rp-pi, or `albireo wp`
statistic angular arc wtheta w: theta
estimator ls compensated landyszalay: landy-szalay
estimator davispeebles dp: davis-peebles
estimator simple peebleshauser: natural
estimator ham: hamilton
los firstpoint: first
los endpoint: end
los pair local radial: midpoint
los 0: x
los 1: y
los 2: z
norm rdf exact gr: ideal
norm finitesize: n2
norm raw: counts
precision float64 fp64 f8: double
precision float32 float fp32 f4: single
thermostat nve: none
thermostat nvt: langevin
thermostat vrescale: rescale
format txt tsv: csv
potential lj: cut
jackknife true: standard
kernel potential charge: coulomb
kernel ngp: cic
kernel sph: spline
kernel mass: gravity
";

/// Names of subcommands elsewhere.
pub(super) const COMMANDS: &str = "
2pcf autocorr corr correlation mocks npcf theory tpcf: xi
angular w wtheta: xi --statistic theta
cov: result covariance
combine: result combine
cross: xi --cross FILE
dd paircount paircounts pairs: count
density potential: field
draw: plot
gofr gr: rdf
gpu gpus: devices
head show: info
multipoles: xi --statistic s-mu --multipoles 0,2,4
rand: randoms
rebin: result rebin
simulate: md
smu: xi --statistic s-mu
sq: rdf --structure FILE
wedges: xi --statistic s-mu --wedges 3
wprp: wp
";

/// Words before the names of flags of other samples, and what stands before them here.
pub(super) const SAMPLES: [(&str, &str); 8] = [
    ("randoms", "--randoms-"),
    ("random", "--randoms-"),
    ("rand", "--randoms-"),
    ("cross", "--cross-"),
    ("second", "--cross-"),
    ("data", "--"),
    ("r", "--randoms-"),
    ("d", "--"),
];
