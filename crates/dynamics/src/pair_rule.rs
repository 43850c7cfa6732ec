//! What two particles do to each other: THE definition of its operations, for float64 and float32, one pair at a time and in lanes.
//!
//! Entry: [`PairForce`], and [`PairEnergy`] where that is asked for. Kernels have their twin in `kernels/dynamics/forces.cu`.

use albireo_simd::{MOST_LANES, Numbers, Registers};

/// Coefficients of two species, which registers hold too: the same for all their lanes, or one pair of species a lane.
macro_rules! coefficients {
    ($(#[$what:meta])* $name:ident { $($(#[$of:meta])* $field:ident,)+ }) => {
        $(#[$what])*
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub(super) struct $name<D> {
            $($(#[$of])* pub(super) $field: D,)+
        }

        impl<N: Copy + Default> $name<N> {
            #[inline(always)]
            pub(super) fn same<L: Registers<Number = N>>(self, lanes: L) -> $name<L::D> {
                $name { $($field: lanes.same(self.$field),)+ }
            }

            /// Those of the pair of each lane.
            #[inline(always)]
            pub(super) fn each<'a, L: Registers<Number = N>>(
                lanes: L,
                pairs: impl Iterator<Item = &'a Self>,
            ) -> $name<L::D>
            where
                N: 'a,
            {
                let mut columns = $name { $($field: [N::default(); MOST_LANES],)+ };
                for (lane, pair) in pairs.enumerate() {
                    $(columns.$field[lane] = pair.$field;)+
                }
                $name { $($field: lanes.load(&columns.$field),)+ }
            }
        }
    };
}

coefficients! {
    /// What makes impulses, in the integers' units.
    PairForce {
        /// The square of the cutoff.
        reach2,
        sigma2,
        /// 48 and 24 epsilon/sigma^2 times half a step.
        repulsion,
        attraction,
        /// The force at the cutoff over sigma, times half a step, where it is taken off.
        force_off,
    }
}

coefficients! {
    /// What makes energies, in the integers' units.
    PairEnergy {
        /// 4 epsilon.
        well,
        /// The force at the cutoff, and the potential there with it.
        slope,
        energy_off,
    }
}

/// What two species do to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairRule {
    pub(super) force: PairForce<f64>,
    pub(super) energy: PairEnergy<f64>,
}

/// What the force of a pair is made of, and what it makes.
#[derive(Clone, Copy)]
pub(super) struct Pushed<D> {
    /// On the first particle, not yet rounded to integers.
    pub(super) impulse: [D; 3],
    /// `(sigma/r)^2`, 0 out of reach.
    pub(super) s: D,
    s3: D,
    r2: D,
    force: D,
}

impl<D: Copy> PairForce<D> {
    /// What the second particle does to the first, `apart` fractions of the box away in units of these lengths.
    #[inline(always)]
    pub(super) fn push<A: Numbers<D = D>, const FORCES_OFF: bool>(
        &self,
        a: A,
        units: &[D; 3],
        apart: [D; 3],
    ) -> Pushed<D> {
        // No closures among the lanes: one that is not inlined lacks the instructions.
        let mut d = apart;
        for k in 0..3 {
            d[k] = a.mul(apart[k], units[k]);
        }
        let r2 = a.add(a.mul(d[0], d[0]), a.mul(d[1], d[1]));
        let r2 = a.add(r2, a.mul(d[2], d[2]));
        let s = a.where_less(r2, self.reach2, a.div(self.sigma2, r2));
        let s3 = a.mul(a.mul(s, s), s);
        let slope = a.sub(a.mul(self.repulsion, s3), self.attraction);
        let mut force = a.mul(a.mul(s, s3), slope);
        if FORCES_OFF {
            force = a.sub(force, a.mul(self.force_off, a.sqrt(s)));
        }
        let mut impulse = d;
        for k in 0..3 {
            impulse[k] = a.mul(force, d[k]);
        }
        Pushed {
            impulse,
            s,
            s3,
            r2,
            force,
        }
    }
}

impl<D: Copy> PairEnergy<D> {
    /// The energy and the virial of a pair that these forces push, not yet rounded to integers.
    #[inline(always)]
    pub(super) fn of<A: Numbers<D = D>>(
        &self,
        a: A,
        (by, pushed): (&PairForce<D>, &Pushed<D>),
        virial_factor: D,
    ) -> [D; 2] {
        let Pushed { s3, r2, force, .. } = *pushed;
        let well = a.mul(s3, a.sub(a.mul(self.well, s3), self.well));
        let off = a.sub(a.mul(a.sqrt(r2), self.slope), self.energy_off);
        [
            a.where_less(r2, by.reach2, a.add(well, off)),
            a.mul(a.mul(force, r2), virial_factor),
        ]
    }
}
