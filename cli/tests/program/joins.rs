//! Columns of other files by exact whole numbers: `--join`.

use crate::folder::{Folder, integers};

/// Keys that float64 cannot tell apart.
const DATA: &str =
    "ID,x,y,z\n39627600000001000,0,0,0\n39627600000001001,1,0,0\n39627600000001002,2,0,0\n";
/// In two files and another order, one key beyond them.
const FIRST: &str = "ID,BITS,w,kind\n39627600000001001,3,2.5,ELG\n39627600000001003,1,9,LRG\n";
const SECOND: &str =
    "ID,BITS,w,kind\n39627600000001000,-9223372036854775807,0.5,LRG\n39627600000001002,1,4,LRG\n";

fn folder() -> Folder {
    Folder::new()
        .with("g.csv", DATA)
        .with("full_1.csv", FIRST)
        .with("full_2.csv", SECOND)
        .with(
            "r.csv",
            "TARGET,ID\n39627600000001001,1\n39627600000001000,2\n7,3\n",
        )
}

#[test]
fn columns_come_by_exact_keys() {
    let folder = folder();
    let count = |flags: &[&str]| {
        let words = ["count", "g.csv", "--bins", "edges:0,30", "-o", "out.json"];
        let run = folder.run_with(&[&words[..], flags].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        folder.table("out.json").meta["samples"][0].clone()
    };
    let join = "full_*.csv:ID=w,kind";
    let sample = count(&["--join", join, "--weight", "w*(1 + x)"]);
    assert_eq!(sample["weight_sum"], 0.5 + 2.0 * 2.5 + 3.0 * 4.0);
    assert_eq!(sample["joins"][0]["files"][1], "full_2.csv");
    assert_eq!(sample["joins"][0]["sha256"][1].as_str().unwrap().len(), 64);
    let sample = count(&["--join", join, "--where", "kind == 'LRG'", "--weight", "w"]);
    assert_eq!(
        (&sample["rows_used"], &sample["weight_sum"]),
        (&2.into(), &4.5.into())
    );
    // A row of ours is not there.
    let one = ["--join", "full_2.csv:ID=w", "--weight", "w"];
    let dropped = count(&[&one[..], &["--join-missing", "drop"]].concat());
    assert_eq!(
        (&dropped["rows_used"], &dropped["rows_read"]),
        (&2.into(), &3.into())
    );
    assert_eq!(dropped["weight_sum"], 4.5);
    let zeros = count(&[&one[..], &["--join-missing", "zero"]].concat());
    assert_eq!(
        (&zeros["rows_used"], &zeros["weight_sum"]),
        (&3.into(), &4.5.into())
    );
    // It is left out before the condition, which it would hold to.
    let condition = ["--join-missing", "drop", "--where", "w < 9"];
    let both = count(&[&one[..], &condition].concat());
    assert_eq!(both["rows_used"], 2);
}

#[test]
fn keys_have_two_names_and_bits_join_too() {
    let folder = folder();
    folder.good(
        "count g.csv r.csv --positions x,y,z --cross-join g.csv:TARGET=ID=x,y,z \
         --cross-join-missing drop --bins edges:0,30 -o out.json",
    );
    let table = folder.table("out.json");
    assert_eq!(table.meta["samples"][1]["rows_used"], 2);
    assert_eq!(integers(&table, "npairs"), [6]);
    folder.good(
        "count g.csv --join full_*.csv:ID=BITS --bits BITS --pip-realizations 64 --bins edges:0,30 -o bits.json",
    );
    let own = folder.table("bits.json");
    let text = "ID,x,y,z,BITS\n1,0,0,0,-9223372036854775807\n2,1,0,0,3\n3,2,0,0,1\n";
    std::fs::write(folder.path("whole.csv"), text).unwrap();
    folder
        .good("count whole.csv --bits BITS --pip-realizations 64 --bins edges:0,30 -o whole.json");
    assert_eq!(own.columns, folder.table("whole.json").columns);
}

/// Redshifts of randoms from the data of both caps, where `ALBIREO_TEST_DATA` has such files: equal to those that the randoms have.
#[cfg(feature = "fits")]
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
fn a_survey_s_randoms_take_redshifts_of_its_data() {
    let data = std::env::var_os("ALBIREO_TEST_DATA").map(std::path::PathBuf::from);
    let data = data.map(|data| data.join("entrance/desi"));
    let Some(data) = data.filter(|data| data.exists()) else {
        eprintln!("skipped: ALBIREO_TEST_DATA does not name the folder of the reference data");
        return;
    };
    let folder = Folder::new();
    let data = data.display().to_string();
    folder.good(&format!(
        "count {data}/fits/LRG_SGC_clustering.dat.fits --join {data}/LRG_full_HPmapcut.dat.fits:TARGETID=Z_not4clus,LOCATION_ASSIGNED \
         --sky RA,DEC --redshift Z_not4clus --where LOCATION_ASSIGNED --cosmology DESI --bins lin:0:200:5 -o full.json"
    ));
    folder.good(&format!(
        "count {data}/fits/LRG_SGC_clustering.dat.fits --sky RA,DEC --redshift Z --cosmology DESI --bins lin:0:200:5 -o own.json"
    ));
    assert_eq!(
        folder.table("full.json").columns,
        folder.table("own.json").columns
    );
    assert_eq!(
        folder.table("full.json").meta["samples"][0]["rows_used"],
        86
    );
}
