//! Small binary trajectories as tests write them: AMBER `NetCDF` and GSD, a value after the other.

/// What an attribute holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stated {
    Text(&'static str),
    Real(f32),
    Whole(i32),
}

/// A variable of float32. A first length of 0 is that of frames.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) shape: Vec<u32>,
    pub(crate) attributes: Vec<(&'static str, Stated)>,
    /// The values of each frame, or of all.
    pub(crate) frames: Vec<Vec<f32>>,
}

impl Variable {
    /// A variable without attributes.
    pub(crate) fn new(name: &'static str, shape: &[u32], frames: &[&[f32]]) -> Self {
        Self {
            name,
            shape: shape.to_vec(),
            attributes: Vec::new(),
            frames: frames.iter().map(|values| values.to_vec()).collect(),
        }
    }

    /// With one more attribute.
    pub(crate) fn stating(mut self, name: &'static str, stated: Stated) -> Self {
        self.attributes.push((name, stated));
        self
    }

    fn is_framed(&self) -> bool {
        self.shape.first() == Some(&0)
    }

    /// Bytes of a frame.
    fn size(&self) -> u32 {
        4 * self.shape[usize::from(self.is_framed())..]
            .iter()
            .product::<u32>()
    }
}

fn word(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend(value.to_be_bytes());
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    word(bytes, text.len() as u32);
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

fn attributes(bytes: &mut Vec<u8>, attributes: &[(&'static str, Stated)]) {
    word(bytes, if attributes.is_empty() { 0 } else { 12 });
    word(bytes, attributes.len() as u32);
    for (name, stated) in attributes {
        text(bytes, name);
        match stated {
            Stated::Text(value) => {
                word(bytes, 2);
                text(bytes, value);
            }
            Stated::Real(value) => {
                word(bytes, 5);
                word(bytes, 1);
                bytes.extend(value.to_be_bytes());
            }
            Stated::Whole(value) => {
                word(bytes, 4);
                word(bytes, 1);
                bytes.extend(value.to_be_bytes());
            }
        }
    }
}

/// The header of a classic file whose variables begin at these bytes.
fn header(convention: &'static str, variables: &[Variable], begins: &[u32]) -> Vec<u8> {
    let mut bytes = b"CDF\x01".to_vec();
    let framed = variables.iter().find(|variable| variable.is_framed());
    word(&mut bytes, framed.map_or(0, |one| one.frames.len() as u32));
    let mut lengths: Vec<u32> = variables.iter().flat_map(|one| one.shape.clone()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    word(&mut bytes, 10);
    word(&mut bytes, lengths.len() as u32);
    for length in &lengths {
        text(&mut bytes, &format!("of{length}"));
        word(&mut bytes, *length);
    }
    attributes(&mut bytes, &[("Conventions", Stated::Text(convention))]);
    word(&mut bytes, 11);
    word(&mut bytes, variables.len() as u32);
    for (variable, begin) in variables.iter().zip(begins) {
        text(&mut bytes, variable.name);
        word(&mut bytes, variable.shape.len() as u32);
        for length in &variable.shape {
            let place = lengths.iter().position(|other| other == length);
            word(&mut bytes, place.unwrap() as u32);
        }
        attributes(&mut bytes, &variable.attributes);
        word(&mut bytes, 5);
        word(&mut bytes, variable.size());
        word(&mut bytes, *begin);
    }
    bytes
}

/// A classic `NetCDF` file of this convention.
pub(crate) fn netcdf(convention: &'static str, variables: &[Variable]) -> Vec<u8> {
    let length = header(convention, variables, &vec![0; variables.len()]).len();
    let mut begins = vec![0; variables.len()];
    let mut at = length as u32;
    for framed in [false, true] {
        for (begin, variable) in begins.iter_mut().zip(variables) {
            if variable.is_framed() == framed {
                *begin = at;
                at += variable.size();
            }
        }
    }
    let mut bytes = header(convention, variables, &begins);
    let mut write = |values: &[f32]| {
        let values = values.iter().flat_map(|value| value.to_be_bytes());
        bytes.extend(values);
    };
    let (framed, fixed): (Vec<_>, Vec<_>) = variables.iter().partition(|one| one.is_framed());
    for one in fixed {
        write(&one.frames[0]);
    }
    let frames = framed.first().map_or(0, |one| one.frames.len());
    for frame in 0..frames {
        for one in &framed {
            write(&one.frames[frame]);
        }
    }
    bytes
}

/// The values of a chunk of GSD.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    Whole(Vec<u32>),
    Reals(Vec<f32>),
}

/// A chunk: its name, its width and its values, row by row.
pub(crate) type Chunk = (&'static str, u32, Values);

/// A GSD file of these frames.
pub(crate) fn gsd(frames: &[Vec<Chunk>]) -> Vec<u8> {
    let mut names: Vec<&str> = Vec::new();
    let (mut chunks, mut index) = (Vec::new(), Vec::new());
    for (frame, held) in frames.iter().enumerate() {
        for (name, width, values) in held {
            let id = names.iter().position(|other| other == name);
            let id = id.unwrap_or(names.len());
            if id == names.len() {
                names.push(name);
            }
            let place = 256 + chunks.len() as u64;
            let (count, kind) = match values {
                Values::Whole(values) => {
                    chunks.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                    (values.len(), 3)
                }
                Values::Reals(values) => {
                    chunks.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                    (values.len(), 9)
                }
            };
            for word in [frame as u64, count as u64 / u64::from(*width), place] {
                index.extend(word.to_le_bytes());
            }
            index.extend(width.to_le_bytes());
            index.extend((id as u16).to_le_bytes());
            index.extend([kind, 0]);
        }
    }
    let mut list: Vec<u8> = names.join("\0").into_bytes();
    list.resize((list.len() + 2).next_multiple_of(64), 0);
    let begin = 256 + chunks.len() as u64;
    let list_begin = begin + index.len() as u64;
    let mut bytes = Vec::new();
    for word in [
        0x65df_65df_65df_65df,
        begin,
        index.len() as u64 / 32,
        list_begin,
        list.len() as u64 / 64,
    ] {
        bytes.extend(word.to_le_bytes());
    }
    // The schema 1.4 in a file of version 2.0.
    bytes.extend((1u32 << 16 | 4).to_le_bytes());
    bytes.extend((2u32 << 16).to_le_bytes());
    bytes.resize(112, 0);
    bytes.extend(b"hoomd");
    bytes.resize(256, 0);
    bytes.extend(chunks);
    bytes.extend(index);
    bytes.extend(list);
    bytes
}
