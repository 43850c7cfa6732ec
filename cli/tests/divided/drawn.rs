//! What a case is drawn from: numbers, catalogues and commands.

use std::fmt::Write as _;

use crate::halos;
use crate::random::Random;

impl Random {
    /// From 1 to `most`, small numbers as often as large ones.
    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        (((most as f64).ln() * self.unit()).exp() as usize).clamp(1, most)
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
            let [x, y, z] = [(); 3].map(|()| 10.0 * size * self.unit());
            let [w, v] = [(); 2].map(|()| 0.5 + self.unit());
            writeln!(text, "{x:?},{y:?},{z:?},{w:?},{v:?}").unwrap();
        }
        text
    }

    /// Halos of Abacus in a box of 10 Mpc/h, with velocities.
    pub(crate) fn halos(&mut self) -> Vec<u8> {
        let n = 2 + self.up_to(5000);
        let header =
            "BoxSize: 10.0, H0: 70.0, Omega_M: 0.3, Redshift: 1.0, VelZSpace_to_kms: 400.0";
        let mut vectors = || -> Vec<[f32; 3]> {
            let vector = |_| [(); 3].map(|()| self.unit() as f32 - 0.5);
            (0..n).map(vector).collect()
        };
        halos::asdf(header, &vectors(), &vectors())
    }

    /// Bins that reach so far at most.
    fn bins(&mut self, most: f64) -> String {
        let reach = most * (0.2 + 0.8 * self.unit());
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
        let space = self.pick(&["", " --box 10", " --box 10,0,0,2,10,0,1,-1,10 --wrap"]);
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
                let los = self.pick(&["", " --los first", " --los midpoint"]);
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
                self.pick(&["x", "y", "z"]),
                self.pick(&["s-mu --mu-bins lin:0:1:3", "rp-pi --pi-bins lin:0:2:4"]),
                self.bins(0.8)
            ),
            _ => format!(
                "count d.csv{space} --bins {} --weight-set a=w --weight-set b=w*v",
                self.bins(0.9)
            ),
        }
    }

    /// Flags of the engine.
    pub(crate) fn engine(&mut self) -> &'static str {
        self.pick(&[
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
