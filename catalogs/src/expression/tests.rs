#![allow(clippy::unnecessary_box_returns, reason = "trees are made of boxes")]

use std::borrow::Cow;
use std::sync::Arc;

use super::tree::{Binary, Relation, Unary};
use super::*;

fn node(kind: Kind) -> Box<Node> {
    Box::new(Node::new(0, kind))
}

fn column(name: &str) -> Box<Node> {
    node(Kind::Column(name.to_owned()))
}

fn number(value: i128) -> Box<Node> {
    node(Kind::Integer(value))
}

fn tree(text: &str) -> Node {
    Expression::parse(text).unwrap().tree
}

#[test]
fn what_binds_tighter_stands_deeper() {
    for (text, grouped) in [
        (
            "a == 1 || b < 2 && c >= -3e2",
            "(a == 1) || ((b < 2) && (c >= -300.0))",
        ),
        ("a or b and not c == d", "a or (b and (not (c == d)))"),
        ("!a && !b", "(!a) && (!b)"),
        ("FLAG & 4 == 0", "(FLAG & 4) == 0"),
        ("a | b & c << 1 + d * e", "a | (b & (c << (1 + (d * e))))"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c % d", "((a / b) * c) % d"),
        ("-a ** 2", "-(a ** 2)"),
        ("a ** -b ** c", "a ** (-(b ** c))"),
        ("2 ** 3 ** 2", "2 ** (3 ** 2)"),
        ("-a * b", "(-a) * b"),
        ("~a & b", "(~a) & b"),
        ("a + b in (1, 2) and c", "((a + b) in (1, 2)) and c"),
        ("a not in (1)", "not (a in (1))"),
        ("a between 1 and 2 and b", "(a >= 1 && a <= 2) and b"),
        (
            "a is not null or b is null",
            "(not (a is null)) or (b is null)",
        ),
        ("x<>1", "x != 1"),
        ("+a - +3", "a - 3"),
        ("0x1F == 31", "31 == 31"),
    ] {
        assert_eq!(tree(text), tree(grouped), "{text}");
    }
    assert_eq!(tree("a and b and c"), tree("a && b && c"));
    assert_eq!(tree("A AND B Or NOT C"), tree("A && B || !C"));
    let compared = Kind::Compare(Relation::Less, column("a"), number(-2));
    assert_eq!(tree("a<-2"), *node(compared));
}

#[test]
fn names_literals_and_columns() {
    let text = "pos[0]<1&&`Cl 1`!='a b'&&PartType0/x == \"O\"&&pos[0]>.5";
    let filter = Filter::parse(text).unwrap();
    assert_eq!(filter.to_string(), text);
    // A table that has the path has it meant.
    let known = |name: &str| {
        [
            "pos[0]",
            "Cl 1",
            "PartType0/x",
            "a-b",
            "in",
            "true",
            "x",
            "y",
        ]
        .contains(&name)
    };
    let names = filter.expression().columns_for(&known);
    assert_eq!(names, ["pos[0]", "Cl 1", "PartType0/x"]);
    let names = |text: &str| Expression::parse(text).unwrap().columns_for(&known);
    assert_eq!(names("a-b-1"), ["a-b"]);
    assert_eq!(names("a-c-1"), ["a", "c"]);
    assert_eq!(names("true + true"), ["true"]);
    assert_eq!(names("in == 3"), ["in"]);
    assert_eq!(names("x/y + PartType0/x*2"), ["x", "y", "PartType0/x"]);
    assert_eq!(names("PartType1/x > 2"), ["PartType1/x"]);
    assert_eq!(names("1/y"), ["y"]);
    assert_eq!(names("sqrt(x) + log == 3"), ["x", "log"]);
    // What only reads with signs in its names does.
    assert_eq!(Filter::parse("/x > 3").unwrap().columns(), ["/x"]);
}

#[cfg(feature = "hdf5")]
#[test]
fn pinned_only_where_every_row_must_agree() {
    for (text, pinned) in [
        ("frame == 3 && s == 1", Some(3.0)),
        ("frame == 3 || s == 1", None),
        ("frame >= 3", None),
        ("s == 1 && (t == 2 && frame == 0)", Some(0.0)),
        ("s == 1 and 2 == frame", Some(2.0)),
        ("!(frame == 3)", None),
        ("frame == 3.0", Some(3.0)),
    ] {
        assert_eq!(
            Filter::parse(text).unwrap().pinned("frame"),
            pinned,
            "{text}"
        );
    }
}

#[test]
fn errors_name_the_position() {
    for (text, position, expected) in [
        ("", 0, "a column name or `(`"),
        ("x = 1", 2, "one of `==`"),
        ("x == ", 5, "a number or a quoted text"),
        ("x == 1 && ", 10, "a column name or `(`"),
        ("x == 1 y", 7, "`&&`, `||` or the end"),
        ("(x == 1", 7, "`)`, `&&` or `||`"),
        ("x == \"O", 5, "closed by \""),
        ("x < \"O\"", 4, "`==` and `!=` only"),
        ("x == 1)", 6, "`&&`, `||` or the end"),
        ("1 < x < 2", 6, "do not chain"),
        ("x in 3", 5, "`(` with the values"),
        ("x in (3; 4)", 7, "`,` or `)`"),
        ("x between 1, 2", 11, "`and`"),
        ("x is 3", 5, "`null`"),
        ("2x > 1", 0, "a number"),
        ("arcsin(x) > 1", 0, "function (abs"),
        ("min(x) > 1", 0, "min with 2 to 16 arguments (not 1)"),
        ("sqrt(x, y)", 0, "sqrt with 1 argument (not 2)"),
        ("x ^ 2", 2, "an operator"),
        ("resname SOL", 8, "such as resname == \"SOL\""),
        (
            "x > 1 && (resid 5)",
            16,
            "`)`, `&&` or `||`, such as resid == 5",
        ),
        ("name like H", 10, "a quoted pattern"),
        ("\u{e9}\u{e9} == ", 6, "a column name"),
    ] {
        let error = Expression::parse(text).unwrap_err();
        assert_eq!(error.position, position, "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    for deep in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "abs(".repeat(1000),
        "not ".repeat(1000),
    ] {
        let error = Expression::parse(&deep).unwrap_err().to_string();
        assert!(error.contains("fewer nested"), "{error}");
    }
    let tall = format!("x{}", " + x".repeat(100_000));
    let error = Expression::parse(&tall).unwrap_err().expected;
    assert_eq!(error, "fewer operations in one another");
    // Long lists of conditions are not deep.
    let long = format!("x == 0{}", " || x == 1".repeat(20_000));
    assert_eq!(Filter::parse(&long).unwrap().columns(), ["x"]);
    assert!(Filter::parse("\"O\"").is_err() && Filter::parse("0.5").is_err());
}

#[test]
fn errors_point_at_the_place() {
    let error = Filter::parse("z > 0.2 && (FLAG & 4 = 0)").unwrap_err();
    let message = error.to_string();
    let lines: Vec<&str> = message.lines().collect();
    assert!(
        lines[0].starts_with("at character 22 of `z > 0.2 && (FLAG & 4 = 0)`: expected one of")
    );
    assert_eq!(lines[1], "  z > 0.2 && (FLAG & 4 = 0)");
    assert_eq!(lines[2].find('^'), lines[1].find('='));
    let long = format!("{} x ? 3", "x == 1 && ".repeat(100));
    let message = Filter::parse(&long).unwrap_err().to_string();
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(
        lines[1].chars().nth(lines[2].len() - 1),
        Some('?'),
        "{message}"
    );
}

/// Random numbers without a crate: a linear congruence, its high bits.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn node(&mut self, depth: u64) -> Box<Node> {
        let leaf = depth == 0 || self.below(5) == 0;
        let kind = if leaf {
            self.leaf()
        } else {
            self.inner(depth - 1)
        };
        node(kind)
    }

    fn leaf(&mut self) -> Kind {
        match self.below(7) {
            0 => Kind::Integer(i128::from(self.below(1 << 30)) - (1 << 29)),
            1 => Kind::Float(self.below(1000) as f64 / 8.0 - 50.0),
            2 => Kind::Float(1e300),
            3 => Kind::Bool(self.below(2) == 0),
            4 => Kind::Text("it's".to_owned()),
            5 => Kind::Column(
                ["Cl 1", "in", "pos[0]", "a-b", "min"][self.below(5) as usize].to_owned(),
            ),
            _ => Kind::Column("x".to_owned()),
        }
    }

    fn inner(&mut self, depth: u64) -> Kind {
        const BINARY: [Binary; 10] = [
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Divide,
            Binary::Remainder,
            Binary::Power,
            Binary::BitAnd,
            Binary::BitOr,
            Binary::Left,
            Binary::Right,
        ];
        match self.below(9) {
            8 => Kind::Like(self.node(depth), "it's *".to_owned()),
            0 => Kind::Unary(
                [Unary::Negate, Unary::Complement, Unary::Not][self.below(3) as usize],
                self.node(depth),
            ),
            1 => Kind::Compare(Relation::LessEqual, column("y"), self.node(depth)),
            2 => Kind::In(self.node(depth), vec![*number(3), *column("z")]),
            3 => Kind::IsNull(self.node(depth)),
            4 => Kind::All(vec![*self.node(depth), *self.node(depth)]),
            5 => Kind::Any(vec![*self.node(depth), *self.node(depth), *column("b")]),
            6 => Kind::Call(
                functions::Function::Max,
                vec![*self.node(depth), *number(-1)],
            ),
            _ => Kind::Binary(
                BINARY[self.below(10) as usize],
                self.node(depth),
                self.node(depth),
            ),
        }
    }
}

/// Signs before numbers are part of them when they are read.
fn folded(text: &str) -> Node {
    parse::tree(text, Names::Words).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_is_shown_reads_back() {
    let mut draw = Draw(1);
    let mut read = 0;
    for _ in 0..5000 {
        let shown = draw.node(5).to_string();
        // Text under `<=` is refused where it is read.
        let Ok(first) = parse::tree(&shown, Names::Words) else {
            assert!(shown.contains("<= \"it's\""), "{shown}");
            continue;
        };
        assert_eq!(folded(&first.to_string()), first, "{shown}");
        read += 1;
    }
    assert!(read > 4500);
    assert_eq!(tree("(a+b)*-c**2").to_string(), "(a + b) * -c ** 2");
    assert_eq!(
        tree("`a b` in ('x','y')").to_string(),
        "`a b` in (\"x\", \"y\")"
    );
}

/// Columns `i` (integers), `f` (floats), `b` (conditions), `t` (texts) and `n` (integers, the second missing).
struct Sample;

impl Table for Sample {
    type Error = String;

    fn locate(&mut self, column: &str) -> Result<Located, String> {
        let position = ["i", "f", "b", "t", "n"]
            .iter()
            .position(|name| *name == column);
        let position = position.ok_or_else(|| format!("no {column}"))?;
        let of = [
            Type::Number,
            Type::Number,
            Type::Bool,
            Type::Text,
            Type::Number,
        ][position];
        Ok(Located {
            position,
            of,
            labels: Vec::new(),
            dtype: "some".to_owned(),
        })
    }

    fn comparable(&self, column: &str, _: &Located) -> String {
        format!("what {column} holds")
    }

    fn open(
        &self,
        name: &str,
        texts: &[&str],
        numbers: &[String],
    ) -> Result<Arc<dyn FileFunction>, String> {
        Err(format!(
            "{name} of {} and {}",
            texts.join(", "),
            numbers.join(", ")
        ))
    }
}

const BIG: i128 = 1 << 53;

fn sample() -> Vec<Column<'static>> {
    let texts = ["LRG", "ELG", "LRG", ""].map(str::to_owned);
    let each = |values: Values<'static>| Column::of(values);
    vec![
        each(Values::Integers(Run::Each(
            vec![BIG + 1, -7, 6, i128::from(u64::MAX)].into(),
        ))),
        each(Values::Floats(Run::Each(
            vec![BIG as f64, 0.5, f64::NAN, -2.0].into(),
        ))),
        each(Values::Bools(Run::Each(
            vec![true, false, true, false].into(),
        ))),
        each(Values::Texts(Run::Each(texts.to_vec().into()))),
        Column {
            values: Values::Integers(Run::Each(vec![1, 0, 3, 4].into())),
            missing: Some(Cow::Owned(vec![false, true, false, false])),
        },
    ]
}

fn bound(text: &str) -> Result<Bound, String> {
    bind(text, &tree(text), &mut Sample).map_err(|unfit| match unfit {
        Unfit::Column(error) => error,
        Unfit::Expression(error) => error.to_string(),
    })
}

fn rows<'a>(columns: &'a [Column<'a>]) -> Rows<'a> {
    Rows {
        count: 4,
        columns,
        live: None,
    }
}

fn kept(text: &str) -> Vec<usize> {
    let columns = sample();
    let mask = condition(&bound(text).unwrap(), rows(&columns)).unwrap();
    (0..4).filter(|&row| mask[row]).collect()
}

#[test]
fn conditions_hold_for_the_right_rows() {
    for (text, expected) in [
        ("i == 9007199254740993", &[0][..]),
        ("i == f", &[]),
        ("i > f", &[0, 3]),
        ("i == 18446744073709551615", &[3]),
        ("i >= 18446744073709551615.0", &[]),
        ("i < 18446744073709551616.0 && i > 1e10", &[0, 3]),
        ("f != f", &[2]),
        ("isnan(f)", &[2]),
        ("!(f > 0)", &[2, 3]),
        ("f between -2 and 0.5", &[1, 3]),
        ("b", &[0, 2]),
        ("!b", &[1, 3]),
        ("~b", &[1, 3]),
        ("~(i > 6)", &[1, 2]),
        ("b == 1", &[0, 2]),
        ("b & (i > 6)", &[0]),
        ("t == \"LRG\"", &[0, 2]),
        ("t in ('ELG', '') or i == 6", &[1, 2, 3]),
        ("t not in ('ELG', 'LRG')", &[3]),
        ("t like 'L*'", &[0, 2]),
        ("t like '*LG' and not t like 'L?G'", &[1]),
        ("t not like '?*'", &[3]),
        ("t like '%R%' || t like ''", &[0, 2, 3]),
        ("t like 'l*'", &[]),
        ("i in (6, -7, 3)", &[1, 2]),
        ("i & 1 == 1", &[0, 1, 3]),
        ("(i & 4) && true", &[2, 3]),
        ("~i == 6", &[1]),
        ("i % 4 == 1", &[0, 1]),
        ("i % -4 == -3", &[0, 1]),
        ("1 << 3 == 8 && i >> 1 == 3", &[2]),
        ("i ** 2 == 36", &[2]),
        ("i / 4 == 1.5", &[2]),
        ("min(i, 0, n) == -7", &[]),
        ("max(i, 3) == 3", &[1]),
        ("n > 2", &[2, 3]),
        ("!(n > 2)", &[0]),
        ("n is null", &[1]),
        ("n is not null and b", &[0, 2]),
        ("n > 2 || i == -7", &[1, 2, 3]),
        ("!(n > 2 && i == 0)", &[0, 1, 2, 3]),
        ("n in (1, 3)", &[0, 2]),
        ("n not in (1, 3)", &[3]),
        ("i % (n - 3) == 0", &[3]),
        ("(i % (n - 3)) is null", &[1, 2]),
        ("true", &[0, 1, 2, 3]),
        ("0", &[]),
        ("sin(pi / 2) == 1 and abs(-3) == 3", &[0, 1, 2, 3]),
    ] {
        assert_eq!(kept(text), expected, "{text}");
    }
}

#[test]
fn rows_without_a_result_are_refused_where_they_matter() {
    let columns = sample();
    let refused = |text: &str| condition(&bound(text).unwrap(), rows(&columns)).unwrap_err();
    let none = refused("f < 100 && f & 1 == 0");
    assert_eq!((none.row, none.at, none.found.as_str()), (1, 11, "0.5"));
    assert_eq!(refused("f").row, 1);
    // The inner product is the first that is too large, where i is 2^64 - 1.
    assert_eq!(refused("i * i * i * i > 0").row, 3);
    assert_eq!(
        refused("1 << i > 0").expected,
        "a shift by 0 to 63 bits within 128 bits"
    );
    // What is decided before does not matter.
    assert_eq!(kept("i == -7 && f * 2 & 1 == 1"), [1]);
    assert_eq!(kept("i != 6 || 1 << i == 64"), [0, 1, 2, 3]);
}

#[test]
fn kinds_that_do_not_fit_are_refused() {
    for (text, part) in [
        (
            "t > 3",
            "at character 5 of `t > 3`: expected what t holds, found the number 3",
        ),
        (
            "i == \"O\"",
            "at character 6 of `i == \"O\"`: expected what i holds, found the text \"O\"",
        ),
        ("t == i", "expected text, found a number"),
        ("i == t", "expected a number, found text"),
        ("t + 1 == 2", "expected a number, found text"),
        ("t < t", "`==` and `!=` only"),
        (
            "i like '3*'",
            "expected text (`like` compares it), found a number",
        ),
        ("!t", "expected a number, found text"),
        (
            "i == 6 or 7",
            "at character 11 of `i == 6 or 7`: expected a condition, as in `a == 1 or a == 2` or `a in (1, 2)`, found 7",
        ),
        (
            "0.5 and f > 2",
            "at character 1 of `0.5 and f > 2`: expected a condition",
        ),
        ("sqrt(t) > 1", "expected a number, found text"),
        ("mag > 1", "no mag"),
    ] {
        let message = bound(text).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
}
