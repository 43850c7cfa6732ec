//! Identifiers that sums over pairs compare: whole numbers beyond float64, and texts.

use albireo_catalogs::{Table, TableColumn};

use crate::folder::{Folder, floats, integers, refused};

/// What float64 has no room for: two neighbours, one of which it rounds to the other.
const LARGE: [u64; 2] = [(1 << 53) + 1, 1 << 53];

fn folder() -> Folder {
    let ids = vec![LARGE[0], LARGE[1], LARGE[0], 7, u64::MAX];
    let hosts = vec![LARGE[1], LARGE[0], 5, LARGE[0], u64::MAX - 1];
    let column = |name: &str, values: &[f64]| TableColumn::floats(name, "", values.to_vec());
    let table = Table {
        columns: vec![
            column("x", &[1.0, 2.0, 1.0, 1.0, 2.0]),
            column("y", &[1.0, 1.0, 2.0, 1.0, 2.0]),
            column("z", &[1.0, 1.0, 1.0, 2.0, 2.0]),
            TableColumn::integers("id", "", ids),
            TableColumn::integers("host", "", hosts),
        ],
        ..Table::default()
    };
    let folder = Folder::new().with(
        "names.csv",
        "x,y,z,name,k\n1,1,1,a,1\n2,1,1,b,2\n1,2,1,a,1\n1,1,2,c,4\n2,2,2,a,5\n",
    );
    table.write(&folder.path("ids.parquet")).unwrap();
    folder
}

/// The sum of a condition over all pairs.
fn number(folder: &Folder, files: &str, condition: &str) -> (f64, u64) {
    let sum = format!("s={condition}");
    let mut line: Vec<&str> = ["count"].into_iter().chain(files.split(' ')).collect();
    line.extend(["--bins", "lin:0:9:1", "--pair-sum", &sum, "-o", "s.json"]);
    let run = folder.run_with(&line);
    assert_eq!(run.code, 0, "{condition}: {}", run.stderr);
    let table = folder.table("s.json");
    (floats(&table, "s")[0], integers(&table, "npairs")[0])
}

#[test]
fn whole_numbers_beyond_float64_are_compared_exactly() {
    let folder = folder();
    let ids = "ids.parquet";
    assert_eq!(number(&folder, ids, "i.id == j.id"), (1.0, 10));
    assert_eq!(number(&folder, ids, "i.id != j.id"), (9.0, 10));
    // Two columns, both orders: objects 0, 2 are hosts of 1 and 3, object 1 is that of 0.
    assert_eq!(number(&folder, ids, "i.host == j.id"), (5.0, 20));
    // Between two samples.
    let twice = format!("{ids} {ids}");
    assert_eq!(number(&folder, &twice, "i.id == j.id").0, 7.0);
    let grouped = format!("{ids} --group id");
    assert_eq!(number(&folder, &grouped, "i.id == j.id"), (0.0, 9));
    refused(
        &folder,
        "count ids.parquet --bins lin:0:9:1 --pair-sum s=i.id*j.id",
        1,
        &["9007199254740993 has no exact float64"],
    );
}

#[test]
fn texts_are_compared_with_texts() {
    let folder = folder();
    let names = "names.csv";
    assert_eq!(number(&folder, names, "i.name == j.name"), (3.0, 10));
    assert_eq!(
        number(&folder, names, "(i.name == j.name)*(i.k != j.k)"),
        (2.0, 10)
    );
    assert_eq!(
        number(&folder, "names.csv --where k<3", "i.name != j.name").0,
        2.0
    );
    // Several files of one sample.
    let both = ["names.csv", "more.csv"].map(|name| folder.path(name));
    std::fs::copy(&both[0], &both[1]).unwrap();
    // Six of a, two of b and of c.
    let pairs = 15.0 + 1.0 + 1.0;
    assert_eq!(number(&folder, "[mn]*e*.csv", "i.name == j.name").0, pairs);
    refused(
        &folder,
        "count names.csv --bins lin:0:9:1 --pair-sum s=i.name==j.k",
        2,
        &["`name` holds texts and `k` numbers"],
    );
}

#[test]
fn frames_compare_their_species_and_molecules() {
    let text = "3\nLattice=\"6 0 0 0 6 0 0 0 6\" Properties=species:S:1:pos:R:3:mol:I:1\nA 1 1 1 1\nA 2 1 1 2\nB 1 3 2 1\n";
    let folder = Folder::new().with("d.xyz", &text.repeat(2));
    folder.good("rdf d.xyz --species none --bins lin:0.5:2.9:1 --pair-sum s=i.species==j.species --pair-sum m=i.mol==j.mol -o o.json");
    let table = folder.table("o.json");
    assert_eq!(integers(&table, "npairs"), [6]);
    assert_eq!([floats(&table, "s"), floats(&table, "m")], [[2.0], [2.0]]);
}
