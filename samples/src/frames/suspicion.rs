//! What looks wrong about the first frame of a trajectory: boxes that it does not suit, as of another unit, and numbers of molecules.
//!
//! Entry: [`FrameChoice::suspicions`].

use albireo::{Axis, Points};
use albireo_catalogs::{Cell, in_short};

use super::centres::Molecules;
use super::molecules::{Numbering, RESIDUES, keys, molecule_keys, text_of};
use super::{Exclusion, FrameChoice, NumberedFrame};
use crate::notice::Notice;
use crate::shown::in_short_list;
use crate::space::{BoxSpec, Rows, differ, is_rectangular};
use crate::suspicion::Boxed;

/// Columns that number molecules and residues, whose atoms are near each other.
const NUMBERED: [&str; 2] = ["molecule", RESIDUES];

impl FrameChoice {
    /// What looks wrong about the first frame and the box that it is counted in.
    pub fn suspicions(&self, first: &NumberedFrame, unit: Option<&str>) -> Vec<Notice> {
        let mut found: Vec<Notice> = self.used_again(first).into_iter().collect();
        found.extend(self.wide_groups(first));
        let is_said = !found.is_empty();
        found.extend(self.repeated_residues(first, is_said));
        found.extend(self.unused_topology(first));
        let guessed = self.guesses.iter().map(|guess| {
            Notice::note(format!(
                "{} tells no `{}`: by the names of the atoms, {}",
                first.path.display(),
                guess.column,
                in_short_list(&guess.of_names)
            ))
        });
        found.extend(guessed);
        let given = self.reading.space.and_then(|space| rows(space.spec));
        let stated = first.frame.cell.as_ref().map(Cell::vectors);
        if let (Some(given), Some(stated)) = (given, stated)
            && differ(&given, &stated.map(Some))
        {
            found.push(Notice::warning(format!(
                "--box {} is used, but the first frame of {} states {}{}",
                text(&given),
                first.path.display(),
                text(&stated.map(Some)),
                unit.map(|unit| format!(" {unit}")).unwrap_or_default()
            )));
        }
        if let Some(rows) = self.rows_of_box(first) {
            found.extend(self.in_plane(first, &rows));
        }
        found.extend(self.other_box(first));
        found
    }

    /// The box that the frame is counted in.
    fn rows_of_box(&self, first: &NumberedFrame) -> Option<Rows> {
        let spec = self.reading.space.map_or(BoxSpec::File, |space| space.spec);
        if spec != BoxSpec::File {
            return rows(spec);
        }
        let cell = first.frame.cell.as_ref()?;
        let vectors = cell.vectors();
        Some([0, 1, 2].map(|k| cell.periodic()[k].then_some(vectors[k])))
    }

    /// A box that does not suit the particles, as one in another unit.
    pub(super) fn other_box(&self, first: &NumberedFrame) -> Option<Notice> {
        let rows = self.rows_of_box(first)?;
        let [x, y, z] = first.frame.positions.clone();
        let points = Points::new(x, y, z).ok()?;
        let is_given = self
            .reading
            .space
            .is_some_and(|space| space.spec != BoxSpec::File);
        let boxed = Boxed {
            particles: format!(
                "the particles of the first frame of {}",
                first.path.display()
            ),
            points: &points,
            rows: &rows,
            flat: self.reading.flat.map(Axis::index),
            only_given: is_given && first.frame.cell.is_none(),
        };
        boxed.suspicion()
    }

    /// Particles that all lie in a plane, in a box that is periodic along all axes.
    fn in_plane(&self, first: &NumberedFrame, rows: &Rows) -> Option<Notice> {
        if self.reading.flat.is_some() || rows.contains(&None) {
            return None;
        }
        let alike = |axis: usize| {
            let along = &first.frame.positions[axis];
            along.len() > 2 && along.iter().all(|x| *x == along[0])
        };
        let mut axes = [Axis::X, Axis::Y, Axis::Z].into_iter();
        let normal = axes.find(|axis| alike(axis.index()))?;
        Some(Notice::warning(format!(
            "{}: the particles of the first frame lie in a plane normal to {}, and the box has a length along it: --plane {} makes g(r) of \
             the plane",
            first.path.display(),
            normal.name(),
            ["yz", "xz", "xy"][normal.index()]
        )))
    }

    /// Numbers of molecules that begin again.
    fn used_again(&self, first: &NumberedFrame) -> Option<Notice> {
        let Numbering::UsedAgain {
            numbers,
            molecules,
            molecule,
            distance,
            half,
        } = &self.numbering
        else {
            return None;
        };
        Some(Notice::warning(format!(
            "{}: `{}` has {} numbers for {} molecules: atoms of {molecule} are {} apart, more than half the box, {}: each run of \
             particles with one number is taken for a molecule",
            first.path.display(),
            self.reading.centres.as_ref()?,
            numbers,
            molecules,
            in_short(*distance),
            in_short(*half)
        )))
    }

    /// Molecules whose pairs are left out, and which seem to be several of one number.
    fn wide_groups(&self, first: &NumberedFrame) -> Option<Notice> {
        let reading = &self.reading;
        let columns = reading
            .excluded
            .iter()
            .filter_map(|excluded| match excluded {
                Exclusion::Within(column) => Some(column),
                _ => None,
            });
        let mut columns = columns.filter(|column| NUMBERED.contains(&column.as_str()));
        let column = columns.next().filter(|_| reading.centres.is_none())?;
        // What is wrong with the column or the box is an error where particles are chosen.
        let atoms = self.merged(&first.frame).ok()?;
        let domain = reading.domain(first.frame.cell.as_ref()).ok()?;
        let molecules = Molecules::of(&first.frame.positions, &atoms, column, &domain).ok()?;
        let Numbering::UsedAgain {
            molecule,
            distance,
            half,
            ..
        } = molecules.numbering()
        else {
            return None;
        };
        Some(Notice::warning(format!(
            "{}: --exclude-same {column}: atoms of {molecule} are {} apart, more than half the box, {}: are numbers used again? Pairs of all particles \
             with one number are left out",
            first.path.display(),
            in_short(distance),
            in_short(half)
        )))
    }

    /// Numbers of residues that several have; those of no chain are left to other warnings where these were said.
    fn repeated_residues(&self, first: &NumberedFrame, is_said: bool) -> Option<Notice> {
        let is_of =
            |excluded: &Exclusion| matches!(excluded, Exclusion::Within(c) if c == RESIDUES);
        let reading = &self.reading;
        let centred = reading.centres.as_deref() == Some(RESIDUES);
        if !centred && !reading.excluded.iter().any(is_of) {
            return None;
        }
        // What is wrong with the column is an error where particles are chosen.
        let atoms = self.merged(&first.frame).ok()?;
        let path = first.path.clone();
        let numbers = Numbering::Unique.rows_of(&keys(atoms.get(RESIDUES)?));
        let of_residues = molecule_keys(&atoms, RESIDUES)?;
        let residues = Numbering::Unique.rows_of(&of_residues).len();
        if residues > numbers.len() {
            return Some(Notice::note(format!(
                "{}: `resid` has {} numbers for {residues} residues, distinguished by chain, segment and insertion code",
                path.display(),
                numbers.len()
            )));
        }
        let is_split = |rows: &&Vec<u32>| rows.windows(2).any(|two| two[1] != two[0] + 1);
        let split = numbers.iter().find(is_split).filter(|_| !is_said)?;
        Some(Notice::warning(format!(
            "{}: `resid` has {residues} numbers in {} runs of particles: those of {} do not follow one another and are taken for one \
             residue; if they are of several chains, give a --topology that states chains or segments",
            path.display(),
            Numbering::runs_of(&of_residues).len(),
            text_of(atoms.get(RESIDUES)?, split[0] as usize)
        )))
    }

    /// A topology that tells nothing that frames do not.
    fn unused_topology(&self, first: &NumberedFrame) -> Option<Notice> {
        let topology = self.reading.topology.as_ref()?;
        let own = &first.frame.atoms;
        let is_new = |name: &str| own.get(name).is_none();
        if !topology.bonds().is_empty() || topology.names().any(is_new) {
            return None;
        }
        let (path, columns) = (first.path.display(), topology.names().collect::<Vec<_>>());
        let lacks = match columns.as_slice() {
            [] => format!("it tells no names, types, masses or bonds of the particles of {path}"),
            columns => format!(
                "it has no bonds, and {path} has its columns too: {}",
                columns.join(", ")
            ),
        };
        Some(Notice::warning(format!("--topology is not used: {lacks}")))
    }
}

/// The vectors of a box that is given; `None` along open axes.
pub(super) fn rows(space: BoxSpec) -> Option<Rows> {
    match space {
        BoxSpec::Lengths(lengths) => Some([0, 1, 2].map(|k| {
            let mut row = [0.0; 3];
            row[k] = lengths[k]?;
            Some(row)
        })),
        BoxSpec::Vectors(vectors) => Some(vectors.map(Some)),
        BoxSpec::Open | BoxSpec::File => None,
    }
}

/// As --box takes it.
pub(super) fn text(rows: &Rows) -> String {
    let number = |value: f64| format!("{}", (value * 1e6).round() / 1e6);
    let numbers: Vec<String> = if is_rectangular(rows) {
        let length = |k: usize| rows[k].map_or("none".to_owned(), |row| number(row[k]));
        (0..3).map(length).collect()
    } else {
        rows.iter()
            .flatten()
            .flatten()
            .map(|&v| number(v))
            .collect()
    };
    numbers.join(",")
}
