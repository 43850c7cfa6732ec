//! Columns and conditions from files other than the catalogue.

use crate::folder::{Folder, integers};

/// Places at distance 10 along the sky's axes and near the poles of the Galaxy.
const SKY: &str =
    "RA,DEC,DIST,NTILE\n10,80,10,1\n100,80,10,2\n192.8,27.1,10,3\n12.8,-27.1,10,3\n300,-80,10,1\n";

fn used(folder: &Folder, condition: &str) -> u64 {
    let words = ["count", "sky.csv", "--bins", "edges:0,30", "-o", "out.json"];
    let run = folder.run_with(&[&words[..], &["--where", condition]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = folder.table("out.json");
    let rows = table.meta["samples"][0]["rows_used"].as_u64().unwrap();
    assert_eq!(integers(&table, "npairs")[0], rows * (rows - 1) / 2);
    rows
}

#[test]
fn conditions_know_the_sky() {
    let map = [[1; 4], [0; 4], [0; 4]].concat();
    let map: Vec<String> = map.iter().map(i32::to_string).collect();
    let map = map.join("\n");
    let header = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: MASK, datatype: int64}\n# meta: {ORDERING: RING}\n";
    let folder = Folder::new()
        .with("sky.csv", SKY)
        .with("north.ecsv", &format!("{header}MASK\n{map}"))
        .with(
            "some.ecsv",
            &format!(
                "{}PIXEL\n0\n3\n",
                header
                    .replace("MASK", "PIXEL")
                    .replace(": RING", ": NESTED, NSIDE: 1")
            ),
        );
    assert_eq!(used(&folder, "galactic_latitude(RA, DEC) > 0"), 3);
    assert_eq!(used(&folder, "abs(galactic_latitude(RA, DEC)) > 80"), 2);
    assert_eq!(
        used(&folder, "galactic_longitude(RA, DEC) between 110 and 140"),
        2
    );
    // Between its corners the northern cap of nside 1 reaches down to the equator, but not at RA 193.
    assert_eq!(used(&folder, "in_pixels('north.ecsv', RA, DEC)"), 2);
    assert_eq!(used(&folder, "not in_pixels('north.ecsv', RA, DEC)"), 3);
    assert_eq!(used(&folder, "in_pixels(\"some.ecsv\", RA, DEC)"), 1);
}
