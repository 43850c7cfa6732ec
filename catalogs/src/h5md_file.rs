//! Frames of a simulation by the H5MD 1.1 convention, written one by one into room that the file has from the beginning.
//!
//! Entry: [`H5mdFile`]. de Buyl, Colberg & Höfling 2014, CPC 185, 1546, <https://doi.org/10.1016/j.cpc.2014.01.018>. The HDF5 library is not needed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::hdf5_head::{
    Dataset, Group, Message, Object, Place, Tree, attribute, bytes_of, enumeration, float64,
    integer, text_attribute, utf8,
};

/// Bytes of a position, a velocity or a force.
const VECTOR: u128 = 24;

/// Frames that are looked at together when a file is gone on with.
const READ_FRAMES: u16 = 4096;

/// What a file of frames says of all of them, in any units.
#[derive(Debug, Clone)]
pub struct H5mdContents<'a> {
    /// Who made it.
    pub author: &'a str,
    /// The program that wrote it, and its version.
    pub creator: [&'a str; 2],
    /// Names of quantities and what they are counted in, as attributes of the group `parameters`.
    pub units: &'a [(&'a str, &'a str)],
    /// Lengths of the periodic box.
    pub lengths: [f64; 3],
    /// Names of the species.
    pub names: &'a [String],
    /// The species of each particle, counting from 0.
    pub species: &'a [u32],
    /// The mass of each species.
    pub masses: &'a [f64],
    /// The number of frames.
    pub frames: u64,
    /// Steps from one frame to the next; the first is at step 0.
    pub every: u64,
    /// Time of a step.
    pub dt: f64,
    /// Whether there are velocities beside the positions.
    pub velocities: bool,
    /// Whether there are forces too.
    pub forces: bool,
}

/// A file in the making: a group `particles/all` with `position` (frames x particles x 3, float64), `velocity` and `force` on request, `species`, `mass` and
/// the box; their steps and times.
///
/// ```
/// use albireo_catalogs::{H5mdContents, H5mdFile};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("two.h5");
/// let contents = H5mdContents {
///     author: "N. N.",
///     creator: ["a program", "1.0"],
///     units: &[],
///     lengths: [2.0; 3],
///     names: &["A".to_owned()],
///     species: &[0, 0],
///     masses: &[1.0],
///     frames: 1,
///     every: 10,
///     dt: 0.005,
///     velocities: false,
///     forces: false,
/// };
/// let mut file = H5mdFile::begin(std::fs::File::create(&path)?, &contents)?;
/// file.write(0, &[[0.0, 0.5, 1.0], [1.5, 1.0, 0.5]], [&[], &[]])?;
/// file.sync()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct H5mdFile {
    file: File,
    /// Where steps, times and vectors begin, of the box, of positions, of velocities and of forces.
    starts: Vec<u64>,
    lengths: [f64; 3],
    particles: usize,
    /// Whether there are velocities and forces.
    moving: [bool; 2],
    frames: u64,
    every: u64,
    dt: f64,
}

impl H5mdFile {
    /// Begins an empty file: all but the frames.
    ///
    /// # Errors
    /// More frames than a file can have, and what the system says.
    pub fn begin(mut file: File, contents: &H5mdContents<'_>) -> io::Result<Self> {
        let tree = tree(contents)?;
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&tree.head)?;
        file.set_len(tree.end)?;
        Ok(Self::of(file, tree, contents))
    }

    /// Goes on with a file of the same contents, which must be open for reading too.
    ///
    /// # Errors
    /// A file that says other things, or is of another length, and what the system says.
    pub fn resume(mut file: File, contents: &H5mdContents<'_>) -> io::Result<Self> {
        let tree = tree(contents)?;
        let length = file.metadata()?.len();
        if length != tree.end {
            let expected = tree.end;
            return Err(io::Error::other(format!(
                "expected a file of {expected} bytes, found {length}"
            )));
        }
        let mut head = vec![0; tree.head.len()];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut head)?;
        let same = head == tree.head;
        let mut resumed = Self::of(file, tree, contents);
        if !(same && resumed.has_such_frames()?) {
            let told = "expected a file of the same particles, box and steps, found another";
            return Err(io::Error::other(told));
        }
        Ok(resumed)
    }

    /// Whether the frames that were written, whose box is not empty, are of these steps, times and box.
    fn has_such_frames(&mut self) -> io::Result<bool> {
        let [steps, times, boxes, ..] = self.starts[..] else {
            return Ok(true);
        };
        let mut first = 0;
        while first < self.frames {
            let n = u16::try_from(self.frames - first).unwrap_or(READ_FRAMES);
            let n = n.min(READ_FRAMES);
            let steps = self.words(steps + 8 * first, n)?;
            let times = self.words(times + 8 * first, n)?;
            let boxes = self.words(boxes + 24 * first, 3 * n)?;
            let lengths = self.lengths.map(f64::to_bits);
            for (k, edges) in boxes.as_chunks::<3>().0.iter().enumerate() {
                let step = (first + k as u64) * self.every;
                let expected = (step, (step as f64 * self.dt).to_bits(), &lengths);
                if *edges != [0; 3] && (steps[k], times[k], edges) != expected {
                    return Ok(false);
                }
            }
            first += u64::from(n);
        }
        Ok(true)
    }

    /// Words of the file.
    fn words(&mut self, at: u64, n: u16) -> io::Result<Vec<u64>> {
        let mut bytes = vec![0; 8 * usize::from(n)];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(words.iter().map(|&word| u64::from_le_bytes(word)).collect())
    }

    fn of(file: File, tree: Tree, contents: &H5mdContents<'_>) -> Self {
        Self {
            file,
            starts: tree.starts,
            lengths: contents.lengths,
            particles: contents.species.len(),
            moving: [contents.velocities, contents.forces],
            frames: contents.frames,
            every: contents.every,
            dt: contents.dt,
        }
    }

    /// Writes a frame in its place, with its velocities and forces, which are empty where there are none.
    ///
    /// # Errors
    /// A frame beyond the last or of another number of particles, and what the system says.
    pub fn write(
        &mut self,
        frame: u64,
        positions: &[[f64; 3]],
        moving: [&[[f64; 3]]; 2],
    ) -> io::Result<()> {
        if frame >= self.frames {
            let told = format!("expected {} frames, found number {frame}", self.frames);
            return Err(io::Error::other(told));
        }
        let step = frame * self.every;
        let time = step as f64 * self.dt;
        let own = [self.lengths];
        let moving = moving.into_iter().zip(self.moving);
        let moving = moving.filter_map(|(rows, held)| held.then_some(rows));
        let all = [&own[..], positions].into_iter().chain(moving);
        let (elements, _) = self.starts.as_chunks::<3>();
        for (k, (element, rows)) in elements.iter().zip(all).enumerate() {
            let expected = if k == 0 { 1 } else { self.particles };
            if rows.len() != expected {
                let found = rows.len();
                return Err(io::Error::other(format!(
                    "expected {expected} particles, found {found}"
                )));
            }
            let vectors = bytes_of(rows.as_flattened());
            let parts = [&step.to_le_bytes()[..], &time.to_le_bytes(), &vectors];
            for (start, bytes) in element.iter().zip(parts) {
                let at = start + frame * bytes.len() as u64;
                self.file.seek(SeekFrom::Start(at))?;
                self.file.write_all(bytes)?;
            }
        }
        Ok(())
    }

    /// Brings all bytes to the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }
}

fn group(members: Vec<(&'static str, Object)>, attributes: Vec<Message>) -> Object {
    Object::Group(Group {
        members,
        attributes,
    })
}

/// The groups and arrays of a file.
fn tree(contents: &H5mdContents<'_>) -> io::Result<Tree> {
    // The box, positions, velocities and forces with their steps and times, and the last step, stay within signed 64 bits.
    let vectors = 1 + 3 * contents.species.len() as u128;
    let bytes = u128::from(contents.frames) * (VECTOR * vectors + 4 * 16);
    let steps = u128::from(contents.frames) * u128::from(contents.every);
    if bytes.max(steps) >= 1 << 62 {
        let frames = contents.frames;
        return Err(io::Error::other(format!(
            "{frames} frames are more than a file can hold"
        )));
    }
    let [name, version] = contents.creator;
    let author = vec![text_attribute("name", contents.author)];
    let creator = vec![
        text_attribute("name", name),
        text_attribute("version", version),
    ];
    let numbers: Vec<u8> = [1i32, 1].into_iter().flat_map(i32::to_le_bytes).collect();
    let version = attribute("version", (integer(4), &[2]), &numbers);
    let h5md = vec![
        ("author", group(vec![], author)),
        ("creator", group(vec![], creator)),
    ];
    let units = contents.units.iter();
    let units = units.map(|(quantity, unit)| text_attribute(quantity, unit));
    let particles = vec![("all", group(particles(contents), vec![]))];
    Ok(Tree::new(Group {
        members: vec![
            ("h5md", group(h5md, vec![version])),
            ("parameters", group(vec![], units.collect())),
            ("particles", group(particles, vec![])),
        ],
        attributes: vec![],
    }))
}

fn particles(contents: &H5mdContents<'_>) -> Vec<(&'static str, Object)> {
    let atoms = contents.species.len() as u64;
    let boundary = "periodic";
    let periodic = (utf8(boundary.len()), &[3u64][..]);
    let bounds = vec![
        attribute("dimension", (integer(4), &[]), &3i32.to_le_bytes()),
        attribute("boundary", periodic, boundary.repeat(3).as_bytes()),
    ];
    let names: Vec<&str> = contents.names.iter().map(String::as_str).collect();
    let species = contents.species.iter().flat_map(|kind| kind.to_le_bytes());
    let species = Dataset::held(enumeration(&names), &[atoms], species.collect());
    let mass = |&kind: &u32| contents.masses.get(kind as usize).copied();
    let masses: Vec<f64> = contents.species.iter().filter_map(mass).collect();
    let mut members = vec![
        (
            "box",
            group(vec![("edges", moving(contents, &[3]))], bounds),
        ),
        ("species", species),
        (
            "mass",
            Dataset::held(float64(), &[atoms], bytes_of(&masses)),
        ),
        ("position", moving(contents, &[atoms, 3])),
    ];
    if contents.velocities {
        members.push(("velocity", moving(contents, &[atoms, 3])));
    }
    if contents.forces {
        members.push(("force", moving(contents, &[atoms, 3])));
    }
    members
}

/// Vectors of each frame, with their steps and times: of positions, which change, and of the box, where some readers expect them.
fn moving(contents: &H5mdContents<'_>, shape: &[u64]) -> Object {
    let frames = contents.frames;
    let behind = |kind: Vec<u8>, shape: &[u64]| {
        Object::Dataset(Dataset {
            kind,
            shape: shape.to_vec(),
            values: Place::Behind(8 * shape.iter().product::<u64>()),
            attributes: vec![],
        })
    };
    let each = [&[frames], shape].concat();
    let members = vec![
        ("step", behind(integer(8), &[frames])),
        ("time", behind(float64(), &[frames])),
        ("value", behind(float64(), &each)),
    ];
    group(members, vec![])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents<'a>(names: &'a [String], species: &'a [u32]) -> H5mdContents<'a> {
        H5mdContents {
            author: "N. N.",
            creator: ["albireo", "0"],
            units: &[("length", "sigma")],
            lengths: [3.0, 4.0, 5.0],
            names,
            species,
            masses: &[1.0, 2.5],
            frames: 3,
            every: 10,
            dt: 0.25,
            velocities: true,
            forces: true,
        }
    }

    #[test]
    fn frames_that_a_file_has_no_room_for_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let names = ["A".to_owned(), "B".to_owned()];
        let same = contents(&names, &[0, 1]);
        let mut file = H5mdFile::begin(File::create(&path).unwrap(), &same).unwrap();
        let rows = [[0.5; 3]; 2];
        assert!(file.write(3, &rows, [&rows; 2]).is_err());
        assert!(file.write(0, &rows, [&rows, &[]]).is_err());
        assert!(file.write(0, &rows, [&[], &rows]).is_err());
        assert!(file.write(0, &rows[1..], [&rows; 2]).is_err());
        file.write(2, &rows, [&rows; 2]).unwrap();
        let open = || File::options().read(true).write(true).open(&path).unwrap();
        H5mdFile::resume(open(), &same).unwrap();
        let other = H5mdContents {
            lengths: [3.0, 4.0, 6.0],
            ..same.clone()
        };
        let slower = H5mdContents {
            dt: 0.5,
            ..same.clone()
        };
        let heavier = H5mdContents {
            masses: &[1.0, 2.0],
            ..same.clone()
        };
        for other in [other, slower, heavier] {
            let told = H5mdFile::resume(open(), &other).unwrap_err().to_string();
            assert!(told.contains("same particles, box"), "{told}");
        }
        let longer = H5mdContents {
            frames: 4,
            ..same.clone()
        };
        let told = H5mdFile::resume(open(), &longer).unwrap_err().to_string();
        assert!(told.contains("bytes, found"), "{told}");
        let endless = H5mdContents {
            frames: u64::MAX,
            ..same
        };
        assert!(H5mdFile::begin(open(), &endless).is_err());
    }

    #[cfg(feature = "hdf5")]
    #[test]
    fn files_are_read_back_to_the_last_bit() {
        use crate::{Attribute, Stop, TrajectoryRequest, open_trajectory};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let names = ["A".to_owned(), "B".to_owned()];
        let same = contents(&names, &[1, 0, 1]);
        let mut file = H5mdFile::begin(File::create(&path).unwrap(), &same).unwrap();
        let rows = |frame: u64| {
            [0, 1, 2].map(|row| [0.1, 1.0 / 3.0, -2e-300].map(|v| v * (frame + row) as f64))
        };
        for frame in [2, 0, 1] {
            let velocities = rows(frame).map(|v| v.map(|v| -v));
            let forces = rows(frame).map(|v| v.map(|v| 3.0 * v));
            file.write(frame, &rows(frame), [&velocities, &forces])
                .unwrap();
        }
        let request = TrajectoryRequest {
            velocities: true,
            ..TrajectoryRequest::default()
        };
        let mut read = open_trajectory(&path, &request, Stop::never()).unwrap();
        assert_eq!((read.frames(), read.unit()), (Some(3), None));
        for number in 0..3 {
            let frame = read.next_frame().unwrap().unwrap();
            assert_eq!(frame.step, Some(10 * number as i64));
            assert_eq!(frame.time, Some(2.5 * number as f64));
            let cell = frame.cell.unwrap();
            assert_eq!(cell.lengths(), Some([3.0, 4.0, 5.0]));
            assert_eq!(cell.periodic(), [true; 3]);
            let axis = |k: usize| rows(number).map(|row| row[k]).to_vec();
            assert_eq!(frame.positions, [0, 1, 2].map(axis));
            for (k, name) in ["vx", "vy", "vz"].into_iter().enumerate() {
                let negated = axis(k).iter().map(|v| -v).collect();
                assert_eq!(frame.atoms.get(name), Some(&Attribute::Numbers(negated)));
                let force = ["fx", "fy", "fz"][k];
                let tripled = axis(k).iter().map(|v| 3.0 * v).collect();
                assert_eq!(frame.atoms.get(force), Some(&Attribute::Numbers(tripled)));
            }
            let species = Attribute::of_texts(["B", "A", "B"].map(str::to_owned).to_vec());
            assert_eq!(frame.atoms.get("species"), Some(&species));
            let masses = Attribute::Numbers(vec![2.5, 1.0, 2.5]);
            assert_eq!(frame.atoms.get("mass"), Some(&masses));
        }
        assert!(read.next_frame().unwrap().is_none());
    }
}
