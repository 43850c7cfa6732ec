//! Ready-made sums: expressions under a name, with their conventions and papers.
//!
//! Entry: [`forms`], the table. Its columns belong to both objects, or to the second where the form is not symmetric.

/// Expressions under a name: `v12(vx, vy, vz)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    /// What it is called.
    pub name: &'static str,
    /// Its columns.
    pub parameters: &'static [&'static str],
    /// Parts that its sums name.
    pub(crate) parts: &'static [(&'static str, &'static str)],
    /// What is summed.
    pub sums: &'static [FormSum],
    /// Columns that follow from the sums of one count: names and formulas over the sums, W the weight of the pairs.
    pub derived: &'static [(&'static str, &'static str)],
    /// What it measures, with its signs, and what else is made of it.
    pub meaning: &'static str,
    /// Where it is defined.
    pub paper: &'static str,
}

/// One sum of a form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormSum {
    /// What results call it.
    pub name: &'static str,
    /// The expression, with a line of sight along an axis or none.
    pub text: &'static str,
    /// The expression on the sky, where it is another.
    pub on_sky: Option<&'static str>,
}

const fn sum(name: &'static str, text: &'static str) -> FormSum {
    FormSum {
        name,
        text,
        on_sky: None,
    }
}

const fn either(name: &'static str, text: &'static str, on_sky: &'static str) -> FormSum {
    FormSum {
        name,
        text,
        on_sky: Some(on_sky),
    }
}

const VELOCITIES: &[&str] = &["vx", "vy", "vz"];
const DIFFERENCE: (&str, &str) = ("dv", "vec(i.vx, i.vy, i.vz) - vec(j.vx, j.vy, j.vz)");

const FORMS: [Form; 11] = [
    Form {
        name: "v12",
        parameters: VELOCITIES,
        parts: &[DIFFERENCE, ("v", "radial(dv)")],
        sums: &[sum("V", "v"), sum("V2", "v*v")],
        derived: &[("v12", "V/W"), ("sigma12", "sqrt(V2/W - (V/W)**2)")],
        meaning: "mean pairwise velocity along the separation, negative for infall, and its dispersion (population variance)",
        paper: "Davis & Peebles 1977; Juszkiewicz et al. 1999",
    },
    Form {
        name: "v-los",
        parameters: VELOCITIES,
        parts: &[DIFFERENCE, ("u", "dot(dv, los)*((dlos > 0) - (dlos < 0))")],
        sums: &[sum("U", "u"), sum("U2", "u*u")],
        derived: &[("v_los", "U/W"), ("sigma_los", "sqrt(U2/W - (U/W)**2)")],
        meaning: "mean pairwise velocity along the line of sight, negative for infall, and its dispersion",
        paper: "Davis & Peebles 1977; Juszkiewicz et al. 1999",
    },
    Form {
        name: "v-trans",
        parameters: VELOCITIES,
        parts: &[DIFFERENCE, ("v", "radial(dv)")],
        sums: &[sum("T", "dot(dv, dv) - v*v")],
        derived: &[("sigma_t", "sqrt(T/(2*W))")],
        meaning: "dispersion of one component of the relative velocity across the separation",
        paper: "Juszkiewicz et al. 1999",
    },
    Form {
        name: "marked",
        parameters: &["m"],
        parts: &[],
        sums: &[sum("mm", "i.m*j.m/mean(i.m)**2")],
        derived: &[("M", "mm/W")],
        meaning: "marked correlation function, the marks over their mean in the first sample",
        paper: "Sheth 2005",
    },
    Form {
        name: "ksz",
        parameters: &["dT"],
        parts: &[("c", "radial(i.n + j.n)*0.5")],
        sums: &[sum("N", "(i.dT - j.dT)*c"), sum("D", "c*c")],
        derived: &[("p", "-N/D")],
        meaning: "pairwise momentum of temperatures at the positions of clusters, c = (r_i - r_j)(1 + cos)/(2 r); dT less its mean at that redshift",
        paper: "Ferreira et al. 1999; Hand et al. 2012",
    },
    Form {
        name: "ia",
        parameters: &["e1", "e2"],
        parts: &[],
        sums: &[
            either(
                "plus",
                "j.e1*cos2phi + j.e2*sin2phi",
                "j.e1*j.cos2phi - j.e2*j.sin2phi",
            ),
            either(
                "cross",
                "j.e1*sin2phi - j.e2*cos2phi",
                "j.e1*j.sin2phi + j.e2*j.cos2phi",
            ),
        ],
        derived: &[],
        meaning: "intrinsic alignment, i of the density and j of the shapes; plus is above 0 for radial shapes; xi_g+ = (D1D2.plus - R1D2.plus)/R1R2",
        paper: "Mandelbaum et al. 2006; Singh et al. 2024",
    },
    Form {
        name: "ia-auto",
        parameters: &["e1", "e2"],
        parts: &[
            ("pi_axis", "i.e1*cos2phi + i.e2*sin2phi"),
            ("pj_axis", "j.e1*cos2phi + j.e2*sin2phi"),
            ("xi_axis", "i.e1*sin2phi - i.e2*cos2phi"),
            ("xj_axis", "j.e1*sin2phi - j.e2*cos2phi"),
            ("pi_sky", "i.e1*i.cos2phi - i.e2*i.sin2phi"),
            ("pj_sky", "j.e1*j.cos2phi - j.e2*j.sin2phi"),
            ("xi_sky", "i.e1*i.sin2phi + i.e2*i.cos2phi"),
            ("xj_sky", "j.e1*j.sin2phi + j.e2*j.cos2phi"),
        ],
        sums: &[
            either("pp", "pi_axis*pj_axis", "pi_sky*pj_sky"),
            either("xx", "xi_axis*xj_axis", "xi_sky*xj_sky"),
        ],
        derived: &[],
        meaning: "intrinsic alignment of shapes with shapes, each in its own frame; xi_++ = DD.pp/RR, xi_xx = DD.xx/RR",
        paper: "Mandelbaum et al. 2006; Singh et al. 2024",
    },
    Form {
        name: "gamma-t",
        parameters: &["g1", "g2"],
        parts: &[],
        sums: &[
            sum("T", "-(j.g1*j.cos2phi - j.g2*j.sin2phi)"),
            sum("X", "-(j.g1*j.sin2phi + j.g2*j.cos2phi)"),
        ],
        derived: &[("gamma_t", "T/W"), ("gamma_x", "X/W")],
        meaning: "tangential shear of sources j around lenses i; the second component has the sign of west, as in surveys",
        paper: "Mandelbaum et al. 2006",
    },
    Form {
        name: "shear",
        parameters: &["g1", "g2"],
        parts: &[
            ("ti", "i.g1*i.cos2phi - i.g2*i.sin2phi"),
            ("tj", "j.g1*j.cos2phi - j.g2*j.sin2phi"),
            ("xi", "i.g1*i.sin2phi + i.g2*i.cos2phi"),
            ("xj", "j.g1*j.sin2phi + j.g2*j.cos2phi"),
        ],
        sums: &[sum("plus", "ti*tj + xi*xj"), sum("minus", "ti*tj - xi*xj")],
        derived: &[("xi_plus", "plus/W"), ("xi_minus", "minus/W")],
        meaning: "correlation functions of shears, tangential and cross in the frame of each object",
        paper: "Schneider et al. 2002",
    },
    Form {
        name: "dipole",
        parameters: &["ux", "uy", "uz"],
        parts: &[
            ("ui", "vec(i.ux, i.uy, i.uz)"),
            ("uj", "vec(j.ux, j.uy, j.uz)"),
            ("s", "dot(ui, uj)"),
        ],
        sums: &[sum("S", "s"), sum("S2", "3*(radial(ui)*radial(uj)) - s")],
        derived: &[],
        meaning: "orientations of molecules, u their unit vectors: h110 = 3 S/ideal, h112 = 3/2 S2/ideal, g_K(r) = 1 + 2 sum S/N up to r",
        paper: "Hansen & McDonald, Theory of Simple Liquids, ch. 11",
    },
    Form {
        name: "force-rdf",
        parameters: &["fx", "fy", "fz"],
        parts: &[("df", "vec(i.fx, i.fy, i.fz) - vec(j.fx, j.fy, j.fz)")],
        sums: &[sum("F", "radial(df)/(2*r2)")],
        derived: &[],
        meaning: "g(r) from forces, at the edges of bins that begin above 0: sums of F below and above each edge, combined by their variances",
        paper: "Borgis et al. 2013; Rotenberg 2020; Coles et al. 2021",
    },
];

/// All forms.
///
/// ```
/// let v12 = albireo_pair_sums::forms().iter().find(|form| form.name == "v12").unwrap();
/// assert_eq!(v12.parameters, ["vx", "vy", "vz"]);
/// assert_eq!(v12.derived[0], ("v12", "V/W"));
/// ```
pub fn forms() -> &'static [Form] {
    &FORMS
}

/// The form that a text uses, with the text of its arguments and the characters before them.
pub(crate) fn used(text: &str) -> Option<(&'static Form, &str, usize)> {
    let (name, rest) = text.split_once('(')?;
    let form = FORMS.iter().find(|form| form.name == name.trim())?;
    let inside = rest.trim_end().strip_suffix(')')?;
    Some((form, inside, name.chars().count() + 1))
}

/// A formula with other names of sums.
pub(crate) fn renamed(formula: &str, of: impl Fn(&str) -> String) -> String {
    let mut made = String::new();
    let mut word = String::new();
    for c in formula.chars().chain(std::iter::once(' ')) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            made.push_str(&of(&word));
            word.clear();
        }
        made.push(c);
    }
    made.pop();
    made
}

/// A text cut at its commas, but for those between brackets and quotes.
pub(crate) fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0_usize, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}
