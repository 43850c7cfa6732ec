//! Texts, and what becomes of them.

use albireo::particles::Column;
use albireo::tally::{End, Exchange, PairProgram};
use albireo::{
    Bins, Domain, Edges, LineOfSight, Particles, Points, RBins, RpPiBins, SMuBins, SignedEdges,
};

use crate::{Geometry, ObjectColumn, Objects, PairSumError, PairSumSpec, PairSums};

/// Columns by their names; `v` has three components.
fn width(name: &str) -> usize {
    if name == "v" || name == "u" { 3 } else { 1 }
}

fn specs(texts: &[&str]) -> Result<Vec<PairSumSpec>, PairSumError> {
    texts.iter().map(|text| text.parse()).collect()
}

fn parse(texts: &[&str]) -> Result<PairSums, PairSumError> {
    PairSums::parse(&specs(texts)?, &[], &width)
}

/// What is wrong with a sum of this expression.
fn refused(text: &str) -> String {
    let parsed = parse(&[&format!("s={text}")]);
    parsed.map(|_| ()).unwrap_err().to_string()
}

fn r_bins(from: f64) -> Bins {
    RBins::new(Edges::linear(from, from + 10.0, 2).unwrap()).into()
}

fn sample(n: usize) -> Particles {
    let row = |k: usize| {
        [
            k as f64 * 1.3,
            (k * k % 7) as f64,
            10.0 + (k * 5 % 11) as f64,
        ]
    };
    let rows: Vec<[f64; 3]> = (0..n).map(row).collect();
    Particles::new(Points::from_rows(&rows).unwrap())
}

/// A program over a sample of five, whose columns are read by `of`.
fn bound(
    sums: &PairSums,
    geometry: &Geometry,
    of: fn(&str, usize) -> f64,
) -> Result<PairProgram, PairSumError> {
    let particles = sample(5);
    let columns = sums.columns_of_both();
    let values = columns.iter().map(|column| match column {
        ObjectColumn::Read(text) | ObjectColumn::Identity(text) => {
            Column::from((0..5).map(|row| of(text, row)).collect::<Vec<f64>>())
        }
        other => other.of_points(&particles).unwrap(),
    });
    let particles = particles.clone().with_columns(values.collect()).unwrap();
    let objects = Objects {
        particles: &particles,
        columns: &columns,
    };
    sums.bind(&objects, &objects, geometry)
}

fn made(text: &str, geometry: &Geometry) -> Result<PairProgram, PairSumError> {
    bound(&parse(&[text])?, geometry, |text, row| {
        text.len() as f64 * 0.5 + row as f64
    })
}

fn open(bins: &Bins) -> Geometry {
    Geometry::of(bins, &Domain::Open)
}

fn read(texts: &[&str]) -> Vec<ObjectColumn> {
    texts
        .iter()
        .map(|text| ObjectColumn::Read((*text).to_owned()))
        .collect()
}

#[test]
fn parts_of_one_object_become_columns() {
    for (text, first, second) in [
        ("i.m*j.m", &["m"][..], &["m"][..]),
        ("exp(i.m/2)*log(j.m)", &["exp(m / 2)"], &["log(m)"]),
        ("i.`a-b` - j.VEL[0]", &["a-b"], &["VEL[0]"]),
        ("i.v[1]*(i.m + 1)*r", &["`v[1]` * (m + 1)"], &[]),
        (
            "norm(i.v)*r",
            &["sqrt(`v[0]` * `v[0]` + `v[1]` * `v[1]` + `v[2]` * `v[2]`)"],
            &[],
        ),
        (
            "(i.z between 1 and 2 && r > 0)*1",
            &["z >= 1 && z <= 2"],
            &[],
        ),
        (
            "(i.class == 'LRG')*r + (j.FLAG & 4)",
            &["class == \"LRG\""],
            &["FLAG & 4"],
        ),
        ("mean(i.m)*r", &["m"], &[]),
        ("radial(i.v)", &["v[0]", "v[1]", "v[2]"], &[]),
        ("i.`pos` - j.m", &["pos"], &["m"]),
        (
            "where(i.m > 0, log(i.m), 0)*r",
            &["where(m > 0, log(m), 0)"],
            &[],
        ),
    ] {
        let sums = parse(&[&format!("s={text}")]).unwrap();
        assert_eq!(sums.object_columns(End::First), read(first), "{text}");
        assert_eq!(sums.object_columns(End::Second), read(second), "{text}");
    }
    let sums = parse(&["s=i.id == j.id"]).unwrap();
    assert_eq!(
        sums.object_columns(End::First),
        [ObjectColumn::Identity("id".to_owned())]
    );
    let sums = parse(&["s=i.w*dot(i.pos, j.n)"]).unwrap();
    assert_eq!(sums.object_columns(End::First)[0], ObjectColumn::Weight);
    assert_eq!(
        sums.object_columns(End::Second),
        [0, 1, 2].map(ObjectColumn::Direction)
    );
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    for (text, message) in [
        (
            "mark",
            "at character 1 of `mark`: a column of which object? Write i.mark or j.mark, of the first or the second of the pair",
        ),
        (
            "2*rhar[0]",
            "Write i.rhar or j.rhar, of the first or the second of the pair (did you mean `rhat`?)",
        ),
        (
            "cos(r)",
            "at character 1 of `cos(r)`: cos of a pair's quantity: use cos2phi, mu, or a column of one object",
        ),
        (
            "radail(i.v)",
            "expected a function such as radial, found `radail(i.v)`",
        ),
        ("i.v + 1", "a vector and a number cannot be added"),
        (
            "i.v*j.v",
            "two vectors are multiplied by dot(u, v) or cross(u, v)",
        ),
        ("i.v - j.v", "expected a number, found a vector"),
        (
            "radial(i.m)",
            "at character 8 of `radial(i.m)`: expected a vector, found a number",
        ),
        ("r**2.5", "expected a whole number from -8 to 8, or 0.5"),
        ("r % 2", "`%` of a pair's quantity"),
        ("r == 'a'", "found text"),
        ("theta", "theta is not available in expressions"),
        ("L2(r)", "write L2(mu)"),
        ("mean(r)", "mean takes a quantity of one object"),
        ("exp(i.m*j.m)", "exp of a pair's quantity"),
        (
            "i.m*",
            "expected a column name or `(`, a number or a quoted text, found the end",
        ),
        (
            "i.v[3]",
            "at character 1 of `i.v[3]`: a vector has the components 0, 1 and 2",
        ),
        ("d[3]", "a vector has the components 0, 1 and 2, found 3"),
        ("r*inf", "expected a finite number"),
    ] {
        let said = refused(text);
        assert!(said.contains(message), "{text}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let said = |texts: &[&str]| parse(texts).map(|_| ()).unwrap_err().to_string();
    assert!(
        said(&["v13(a,b,c)"]).contains("or a form such as v12(vx, vy, vz) (did you mean `v12`?)"),
        "{}",
        said(&["v13(a,b,c)"])
    );
    assert!(said(&["v12(a,b)"]).contains("expected v12(vx, vy, vz), found 2 columns"));
    assert!(said(&["1a=r"]).contains("the name a letter"));
    assert_eq!(
        said(&["a=r", "a=r2"]),
        "two sums of a count are named a: give one of them another name"
    );
    let lets = [
        ("a".to_owned(), "b + 1".to_owned()),
        ("b".to_owned(), "a".to_owned()),
    ];
    let circle = PairSums::parse(&specs(&["s=a"]).unwrap(), &lets, &width).unwrap_err();
    assert!(
        circle.to_string().contains("a is made of itself: a, b"),
        "{circle}"
    );
}

#[test]
fn exchanges_are_found() {
    let los = |los| {
        Bins::from(
            SMuBins::new(
                Edges::linear(1.0, 9.0, 2).unwrap(),
                SignedEdges::linear(0.0, 1.0, 2).unwrap(),
                los,
            )
            .unwrap(),
        )
    };
    let bins = los(LineOfSight::Midpoint);
    for (text, expected) in [
        ("i.m*j.m", Exchange::Even),
        ("i.T - j.T", Exchange::Odd),
        ("i.m", Exchange::Neither),
        ("i.m + j.m", Exchange::Even),
        ("i.m*j.T", Exchange::Neither),
        ("radial(i.v - j.v)", Exchange::Even),
        ("radial(i.v + j.v)", Exchange::Odd),
        ("radial(i.v - j.v)**2", Exchange::Even),
        ("mu", Exchange::Odd),
        ("L2(mu)", Exchange::Even),
        ("L3(mu)*(i.T - j.T)", Exchange::Even),
        ("abs(i.T - j.T)", Exchange::Even),
        ("max(i.m, j.m)", Exchange::Even),
        ("min(i.m, j.m) - max(j.m, i.m)", Exchange::Even),
        ("i.m < j.m", Exchange::Neither),
        ("(i.m < j.m) - (j.m < i.m)", Exchange::Odd),
        ("i.id == j.id", Exchange::Even),
        ("i.id != j.id && r > 1", Exchange::Even),
        ("where(dlos > 0, dlos, -dlos)", Exchange::Neither),
        ("dlos*((dlos > 0) - (dlos < 0))", Exchange::Even),
        (
            "where(i.z != j.z, (i.T - j.T)/(i.z - j.z), 0)",
            Exchange::Even,
        ),
        ("i.cos2phi*j.cos2phi", Exchange::Even),
        ("(0.3*i.m)*j.m", Exchange::Neither),
        ("d[0]", Exchange::Odd),
        ("dot(i.n, d) + dot(j.n, d)", Exchange::Odd),
        ("floor(rp)", Exchange::Even),
    ] {
        let bound = Some(1e6);
        let spec = PairSumSpec {
            name: Some("s".to_owned()),
            text: text.to_owned(),
            bound,
        };
        let sums = PairSums::parse(&[spec], &[], &width).unwrap();
        let program = bound_program(&sums, &open(&bins));
        assert_eq!(program.sums()[0].exchange, expected, "{text}");
    }
    let of_first = los(LineOfSight::First);
    assert_eq!(
        made("s=mu", &open(&of_first)).unwrap().sums()[0].exchange,
        Exchange::Neither
    );
}

fn bound_program(sums: &PairSums, geometry: &Geometry) -> PairProgram {
    bound(sums, geometry, |text, row| {
        text.len() as f64 * 0.5 + row as f64
    })
    .unwrap()
}

#[test]
fn bounds_are_proved_or_asked_for() {
    // Columns hold half the length of their text, and up to 4 more.
    for (text, from, expected) in [
        ("s=i.m*j.m", 0.0, 4.5 * 4.5),
        ("s=i.m - j.m", 0.0, 4.0),
        ("s=r", 0.0, 10.0),
        ("s=1/r", 2.0, 0.5),
        ("s=where(r > 0.5, 1/r, 0)", 0.0, 1.0 / 0.5_f64.next_up()),
        ("s=where(r <= 0.5, 0, 1/r)", 0.0, 1.0 / 0.5_f64.next_up()),
        ("s=where(r <= 0.5, r, 0)", 0.0, 0.5),
        ("s=where(r >= 0.5, 1/r, 0)", 0.0, 2.0),
        ("s=where(r <= 0.5 || i.m > 1, 1/r, 0)", 0.0, f64::NAN),
        ("s=where(r > 0.5 && i.m > 1, 0, 1/r)", 0.0, f64::NAN),
        ("s=where(r > -3, 1/r2, 0)", 0.0, f64::NAN),
        (
            "s=where(sqrt(i.m - j.m) > 0.5, 0, sqrt(i.m - j.m))",
            0.0,
            f64::NAN,
        ),
        (
            "s=where(i.m > 1 && r > 0.5, 1/r, 0)",
            0.0,
            1.0 / 0.5_f64.next_up(),
        ),
        (
            "s=where(!(r <= 0.5 || i.m < 0), 1/r, 0)",
            0.0,
            1.0 / 0.5_f64.next_up(),
        ),
        ("s=sqrt(abs(i.m - j.m))", 0.0, 2.0),
        ("s=(i.m - j.m)**2", 0.0, 16.0),
        ("s=(i.m - j.m)**-2*0 + 1", 0.0, f64::NAN),
        ("s=1/r", 0.0, f64::NAN),
        ("s=sqrt(i.m - j.m)", 0.0, f64::NAN),
        ("s=floor(0 - r)", 0.0, 10.0),
        ("s=i.m == j.m", 0.0, 1.0),
        ("s=exp(400)*exp(400)*r", 0.0, f64::NAN),
        ("s=(i.m - j.m)*0", 0.0, 2.0_f64.powi(-400)),
    ] {
        let geometry = open(&r_bins(from));
        let made = made(text, &geometry);
        if expected.is_nan() {
            let said = made.unwrap_err().to_string();
            assert!(said.contains("--pair-bound s=B"), "{text}: {said}");
            let named = text.replacen("s=", "", 1);
            let spec = PairSumSpec {
                name: Some("s".to_owned()),
                text: named,
                bound: Some(3.0),
            };
            let program = bound_program(&PairSums::parse(&[spec], &[], &width).unwrap(), &geometry);
            assert_eq!(
                (program.sums()[0].bound, program.sums()[0].proven),
                (3.0, false),
                "{text}"
            );
        } else {
            let sum = made.unwrap().sums()[0].clone();
            assert_eq!((sum.bound, sum.proven), (expected, true), "{text}");
        }
    }
    let said = made("s=2/r", &open(&r_bins(0.0))).unwrap_err().to_string();
    assert_eq!(
        said,
        "at character 1 of `2/r`: r may be 0 in the first bin [0, 5): begin the bins above 0, guard with where(r > A, .., 0), or --pair-bound s=B with the largest magnitude of a value"
    );
    // Lengths bound better than components: at most sqrt(3)*4 of each velocity.
    let sum = made("s=radial(i.v - j.v)", &open(&r_bins(0.0)))
        .unwrap()
        .sums()[0]
        .clone();
    assert!(sum.proven && sum.bound > 6.9 && sum.bound < 7.0, "{sum:?}");
}

#[test]
fn what_makes_no_program_is_refused() {
    let geometry = open(&r_bins(1.0));
    let said = |text: &str| made(text, &geometry).unwrap_err().to_string();
    assert!(said("s=9007199254740993*r").contains("at character 1 of `9007199254740993*r`"));
    let many: Vec<String> = (0..300).map(|k| format!("r*{k}.5")).collect();
    assert!(refused(&many.join(" + ")).contains("fewer operations in one another"));
    let parts: Vec<String> = many.chunks(100).map(|part| part.join("+")).collect();
    let long = format!("s=({})", parts.join(") + ("));
    assert!(said(&long).contains("512 operations in all, found "));
    let infinite = said("s=mean(1/(i.w - i.w))*r");
    assert!(infinite.contains("expected finite numbers, found inf in row 1"));
    // Functions of constants are constants.
    assert_eq!(
        made("s=exp(2)*r/r", &geometry).unwrap().sums()[0].bound,
        libm::exp(2.0) * 11.0
    );
    let spec = PairSumSpec {
        name: Some("s".to_owned()),
        text: "r".to_owned(),
        bound: Some(-1.0),
    };
    let sums = PairSums::parse(&[spec], &[], &width).unwrap();
    let negative = bound(&sums, &geometry, |_, _| 0.0).unwrap_err().to_string();
    assert!(negative.contains("the bound of sum s must lie between"));
}

#[test]
fn means_and_deviations_are_those_of_all_rows() {
    let sums = parse(&["a=mean(i.m)*r", "b=std(i.m)*r", "c=mean(i.m*i.w)*r"]).unwrap();
    let program = bound(&sums, &open(&r_bins(1.0)), |_, row| {
        [1e16, 1.0, -1e16, 3.0, 6.0][row]
    })
    .unwrap();
    // The exact sum is 10; of the squares of 1e16 - 2 and its like that of 1e16 is left.
    let bounds: Vec<f64> = program.sums().iter().map(|sum| sum.bound).collect();
    assert_eq!(bounds[0], 2.0 * 11.0);
    assert_eq!(bounds[2], 2.0 * 11.0);
    assert!((bounds[1] / 11.0 / (1e16 * 0.4_f64.sqrt()) - 1.0).abs() < 1e-15);
}

#[test]
fn lines_of_sight_are_asked_for() {
    let refuse = |text: &str, geometry: &Geometry| {
        let said = made(text, geometry).unwrap_err().to_string();
        let early = parse(&[text])
            .unwrap()
            .within(geometry)
            .map(|_| ())
            .unwrap_err();
        assert_eq!(early.to_string(), said);
        said
    };
    let geometry = open(&r_bins(0.0));
    assert!(
        refuse("s=r*mu", &geometry).contains("at character 3 of `r*mu`: mu needs a line of sight")
    );
    assert!(refuse("s=cos2phi", &geometry).contains("measured across a fixed axis"));
    let along = geometry.with_line_of_sight(LineOfSight::Fixed(albireo::Axis::Z));
    assert!(made("s=L4(mu)*cos2phi + dlos/9", &along).unwrap().sums()[0].proven);
    let domain = Domain::Periodic(albireo::PeriodicBox::cubic(50.0).unwrap());
    let geometry = Geometry::of(&r_bins(0.0), &domain);
    assert!(refuse("s=j.cos2phi", &geometry).contains("periodic box"));
    let rp_pi = RpPiBins::new(
        Edges::linear(1.0, 9.0, 2).unwrap(),
        SignedEdges::linear(0.0, 1.0, 2).unwrap(),
        LineOfSight::Midpoint,
    );
    let sum = made("s=1/rp", &open(&rp_pi.unwrap().into()));
    assert!(sum.is_err() || sum.unwrap().sums()[0].proven);
}

#[test]
fn forms_have_names_and_choose_their_sky() {
    let sums = parse(&["v12(v)", "b=ia(e1, e2)", "q=marked(10**m)"]).unwrap();
    assert_eq!(
        sums.names().collect::<Vec<_>>(),
        ["V", "V2", "b_plus", "b_cross", "q"]
    );
    let derived: Vec<(&str, &str)> = sums
        .derived()
        .iter()
        .map(|d| (d.name.as_str(), d.formula.as_str()))
        .collect();
    assert_eq!(
        derived,
        [
            ("v12", "V/W"),
            ("sigma12", "sqrt(V2/W - (V/W)**2)"),
            ("q_M", "q/W")
        ]
    );
    let shapes = sums.only(|name| name.starts_with("b_"));
    assert!(shapes.derived().is_empty());
    let in_survey = shapes.clone().within(&open(&r_bins(0.0))).unwrap();
    let on_sky = [ObjectColumn::East(0), ObjectColumn::North(2)];
    assert!(
        on_sky
            .iter()
            .all(|column| in_survey.object_columns(End::Second).contains(column))
    );
    let along = open(&r_bins(0.0)).with_line_of_sight(LineOfSight::Fixed(albireo::Axis::Z));
    let in_box = shapes.within(&along).unwrap();
    assert_eq!(in_box.object_columns(End::Second), read(&["e1", "e2"]));
    assert_eq!(in_box.object_columns(End::First), []);
    assert!(
        PairSums::parse(&specs(&["ia(e1,e2)"]).unwrap(), &[], &width)
            .unwrap()
            .with_bound("minus", 1.0)
            .is_err()
    );
}
