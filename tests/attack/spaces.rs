//! Draws spaces: open, periodic on some axes, cells of every shape, crystals.

use super::case::Space;
use super::draw::Draft;
use super::random::Random;

/// Three numbers near 1.
fn near_one(random: &mut Random) -> [f64; 3] {
    [0; 3].map(|_| random.between(0.5, 2.0))
}

/// A space of any kind.
pub fn space(draft: &mut Draft<'_>) -> Space {
    type Draw = fn(&mut Random) -> Space;
    fn some(random: &mut Random, round: bool) -> f64 {
        if round {
            random.pick(&[1.0, 2.0, 5.0, 10.0, 100.0])
        } else {
            random.between(0.5, 20.0)
        }
    }
    let open: Draw = |_| Space::Open;
    let cubic: Draw = |random| {
        let round = random.once_in(2);
        Space::Box([Some(some(random, round)); 3])
    };
    let oblong: Draw = |random| {
        let lengths = [0; 3].map(|_| Some(random.decades(1.0, 1000.0)));
        Space::Box(lengths)
    };
    let slab: Draw = |random| {
        let round = random.once_in(2);
        let length = some(random, round);
        let open = random.whole(1, 6);
        Space::Box([1, 2, 4].map(|bit| (open & bit == 0).then_some(length)))
    };
    let mild: Draw = |random| Space::Cell(cell(random, 0.5));
    let skewed: Draw = |random| {
        let mut v = cell(random, 0.5);
        // The same lattice, or one near it, given by vectors that lean far over.
        let lean = random.decades(1.0, 1e6).round();
        let (from, to) = random.pick(&[(0, 1), (0, 2), (1, 2), (2, 0)]);
        v[to] = std::array::from_fn(|axis| v[to][axis] + lean * v[from][axis]);
        Space::Cell(v)
    };
    let aspect: Draw = |random| {
        let mut v = cell(random, 0.5);
        let stretch = [0; 3].map(|_| random.decades(1.0, 1e6));
        for (row, factor) in v.iter_mut().zip(stretch) {
            *row = row.map(|c| c * factor);
        }
        Space::Cell(v)
    };
    let sc: Draw = |random| {
        let a = some(random, true);
        Space::Cell([[a, 0.0, 0.0], [0.0, a, 0.0], [0.0, 0.0, a]])
    };
    let bcc: Draw = |random| {
        let h = some(random, true) / 2.0;
        Space::Cell([[-h, h, h], [h, -h, h], [h, h, -h]])
    };
    let fcc: Draw = |random| {
        let h = some(random, true) / 2.0;
        Space::Cell([[h, h, 0.0], [h, 0.0, h], [0.0, h, h]])
    };
    let hcp: Draw = |random| {
        let a = some(random, true);
        let root3 = 3f64.sqrt();
        Space::Cell([
            [a, 0.0, 0.0],
            [-a / 2.0, a * root3 / 2.0, 0.0],
            [0.0, 0.0, a * (8.0f64 / 3.0).sqrt()],
        ])
    };
    let supercell: Draw = |random| {
        let h = some(random, true);
        let n = f64::from(random.whole(1, 4));
        Space::Cell([[h * n, h * n, 0.0], [h, 0.0, h], [0.0, h * n, h * n]])
    };
    let draw = draft.class(&[
        ("space open", open),
        ("space open", open),
        ("space open", open),
        ("space open", open),
        ("space open", open),
        ("space open", open),
        ("space open", open),
        ("space cubic", cubic),
        ("space cubic", cubic),
        ("space oblong", oblong),
        ("space slab", slab),
        ("space slab", slab),
        ("space triclinic", mild),
        ("space skewed", skewed),
        ("space aspect", aspect),
        ("space sc", sc),
        ("space bcc", bcc),
        ("space fcc", fcc),
        ("space hcp", hcp),
        ("space supercell", supercell),
    ]);
    draw(draft.random)
}

/// Vectors of about the same length with off-diagonal parts up to `lean`.
fn cell(random: &mut Random, lean: f64) -> [[f64; 3]; 3] {
    let lengths = near_one(random);
    std::array::from_fn(|row| {
        std::array::from_fn(|axis| {
            if row == axis {
                10.0 * lengths[row]
            } else {
                10.0 * random.between(-lean, lean)
            }
        })
    })
}

/// The largest separation that bins may reach: any number where the space is open.
fn limit(space: &Space) -> f64 {
    match space.domain() {
        Ok(domain) if domain.reach().is_finite() => domain.reach(),
        Ok(_) | Err(_) => 10.0,
    }
}

/// How far bins reach: as far as any image is the nearest, or beyond, where that is asked for.
pub fn limit_or_beyond(draft: &mut Draft<'_>, space: &Space) -> (f64, bool) {
    let limit = limit(space);
    if *space == Space::Open {
        return (limit, false);
    }
    let beyond = draft.class(&[
        ("within half the box", false),
        ("within half the box", false),
        ("within half the box", false),
        ("beyond half the box", true),
    ]);
    // To the corners of cubes, and of longer cells to what lies behind the third or so image.
    let factor = if beyond {
        draft.random.between(0.9, 4.0)
    } else {
        1.0
    };
    (limit * factor, beyond)
}
