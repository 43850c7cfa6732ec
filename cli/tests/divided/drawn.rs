//! What a case is drawn from: numbers, catalogs and commands.

use std::fmt::Write as _;

/// Numbers that depend on a seed and the number of a case.
pub(crate) struct Drawn(u64);

impl Drawn {
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let mut drawn = Self(seed ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        drawn.next();
        drawn
    }

    /// Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// From 0 to below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Once in so many.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From 1 to `most`, small numbers as often as large ones.
    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        (((most as f64).ln() * self.uniform()).exp() as usize).clamp(1, most)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }

    /// Rows of `x,y,z,w,v`, some of them in a clump; few or many.
    pub(crate) fn catalog(&mut self) -> String {
        let n = 1 + self.up_to(9000);
        let clump = [0.1, 0.5, 1.0][self.below(3)];
        let mut text = String::from("x,y,z,w,v\n");
        for row in 0..n {
            let size = if row.is_multiple_of(2) { clump } else { 1.0 };
            let [x, y, z] = [(); 3].map(|()| 10.0 * size * self.uniform());
            let [w, v] = [(); 2].map(|()| 0.5 + self.uniform());
            writeln!(text, "{x:?},{y:?},{z:?},{w:?},{v:?}").unwrap();
        }
        text
    }

    /// Halos of Abacus in a box of 10 Mpc/h, with velocities, as ASDF: a tree in YAML, then a block for each array.
    pub(crate) fn halos(&mut self) -> Vec<u8> {
        let n = 2 + self.up_to(5000);
        let header =
            "BoxSize: 10.0, H0: 70.0, Omega_M: 0.3, Redshift: 1.0, VelZSpace_to_kms: 400.0";
        let mut text =
            format!("#ASDF 1.0.0\n%YAML 1.1\n--- !core/asdf-1.1.0\nheader: {{{header}}}\ndata:\n");
        for (source, name) in ["x_L2com", "v_L2com"].iter().enumerate() {
            let array =
                format!("source: {source}, datatype: float32, byteorder: little, shape: [{n}, 3]");
            writeln!(text, "  {name}: !core/ndarray-1.1.0 {{{array}}}").unwrap();
        }
        let mut bytes = (text + "...\n").into_bytes();
        for _ in 0..2 {
            bytes.extend(b"\xd3BLK\x00\x30\x00\x00\x00\x00\x00\x00\x00\x00");
            for _ in 0..3 {
                bytes.extend((12 * n as u64).to_be_bytes());
            }
            bytes.extend([0; 16]);
            let numbers = (0..3 * n).map(|_| self.uniform() as f32 - 0.5);
            bytes.extend(numbers.flat_map(f32::to_le_bytes));
        }
        bytes
    }

    /// Bins that reach so far at most.
    fn bins(&mut self, most: f64) -> String {
        let reach = most * (0.2 + 0.8 * self.uniform());
        let number = 1 + self.below(6);
        if self.once_in(3) {
            return format!("log:{}:{reach}:{number}", reach / 30.0);
        }
        format!("lin:0:{reach}:{number}")
    }

    /// A command that counts pairs of `d.csv`, or of it and `r.csv`.
    pub(crate) fn command(&mut self) -> String {
        let weight = ["", " --weight w", " --weight w*v"][self.below(3)];
        let mean = match (weight, self.below(4)) {
            (_, 0) => " --mean-separation",
            (" --weight w", 1) => " --mean-separation=weighted",
            _ => "",
        };
        let space = self.one_of(&["", " --box 10", " --box 10,0,0,2,10,0,1,-1,10 --wrap"]);
        match self.below(7) {
            0 => format!("count d.csv{weight}{mean}{space} --bins {}", self.bins(0.9)),
            1 => format!(
                "count d.csv r.csv{weight}{mean}{space} --bins {}",
                self.bins(0.9)
            ),
            2 => format!(
                "count d.csv r.csv{weight} --statistic theta --bins {}",
                self.bins(9.0)
            ),
            3 => {
                let los = self.one_of(&["", " --los first", " --los midpoint"]);
                format!(
                    "xi d.csv --randoms r.csv{weight}{los} --statistic s-mu --bins {} --mu-bins lin:0:1:3",
                    self.bins(0.8)
                )
            }
            4 => format!(
                "wp d.csv{weight} --box 10 --bins {} --pi-bins lin:0:2:4",
                self.bins(0.8)
            ),
            5 => format!(
                "count h.asdf --rsd {} --statistic {} --bins {}",
                self.one_of(&["x", "y", "z"]),
                self.one_of(&["s-mu --mu-bins lin:0:1:3", "rp-pi --pi-bins lin:0:2:4"]),
                self.bins(0.8)
            ),
            _ => format!(
                "count d.csv{space} --bins {} --weight-set a=w --weight-set b=w*v",
                self.bins(0.9)
            ),
        }
    }

    /// Who counts.
    pub(crate) fn engine(&mut self) -> &'static str {
        self.one_of(&[
            " --threads 1",
            " --threads 2",
            " --threads 3",
            " --threads 2 --isa portable",
            " --engine cpu",
        ])
    }

    /// The nodes of some ranks; a dash behind them where they have no memory in common.
    pub(crate) fn nodes(&mut self, most: usize) -> String {
        let ranks = 1 + self.below(most);
        let nodes = 1 + self.below(3);
        // Every node has a rank.
        let mut all: Vec<usize> = (0..ranks).map(|rank| rank % nodes).collect();
        self.shuffle(&mut all);
        let all: Vec<String> = all.iter().map(usize::to_string).collect();
        let memory = if self.once_in(5) { "-" } else { "" };
        all.join(",") + memory
    }
}
