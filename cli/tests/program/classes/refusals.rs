//! What makes no classes, and what results of classes are not taken for.

use super::*;

/// Catalogues beside those of the folder: with too many values, a NaN, other classes, texts, and too few of them.
fn odd_folder() -> Folder {
    let rows = (0..70).map(|k| format!("{k},0,0,{k},{}", k % 2));
    let many = rows.collect::<Vec<_>>().join("\n");
    folder()
        .with("many.csv", &format!("x,y,z,id,two\n{many}"))
        .with("nan.csv", "x,y,z,delta\n0,0,0,1\n1,0,0,nan\n2,0,0,3\n")
        .with("other.csv", "x,y,z,bin\n0,0,0,2\n1,0,0,9\n2,0,0,3\n")
        .with("texts.csv", "x,y,z,bin\n0,0,0,a\n1,0,0,b\n2,0,0,a\n")
        .with("few.csv", "x,y,z,bin\n0,0,0,2\n1,0,0,3\n2,0,0,3\n")
}

#[test]
fn what_makes_no_classes_is_refused() {
    let folder = odd_folder();
    let count = |rest: &str| format!("count {rest} --bins lin:0:3:2 -o no.csv");
    let refuse = |rest: &str, code, parts: &[&str]| refused(&folder, &count(rest), code, parts);
    refuse(
        "many.csv --classes id",
        1,
        &[
            "`id` has 70 different values",
            "64 classes",
            "--quantiles N",
        ],
    );
    refuse(
        "d.csv --classes delta",
        1,
        &["whole numbers", "--class-edges"],
    );
    refuse(
        "d.csv --classes type --quantiles 3",
        1,
        &["`type` holds texts", "--quantiles cuts numbers"],
    );
    refuse(
        "nan.csv --classes delta --quantiles 2",
        1,
        &["nan.csv", "`delta`", "row 1"],
    );
    refuse(
        "many.csv --classes two --quantiles 3",
        1,
        &["2 different values", "--quantiles 3"],
    );
    refuse(
        "d.csv --classes delta --class-edges 0,50",
        1,
        &["no object of the data is in class 2 of column `delta`"],
    );
    refuse(
        "d.csv --classes delta --class-edges 1,0",
        2,
        &["--class-edges", "rising"],
    );
    refuse(
        "d.csv --classes delta --quantiles 1",
        2,
        &["--quantiles", "2 to 64"],
    );
    refuse("d.csv --classes none", 2, &["--classes none"]);
    refuse(
        "d.csv --classes bin --weight-set a=w",
        2,
        &["--classes", "--weight-set"],
    );
    refuse(
        "d.csv --classes bin --shells 2",
        2,
        &["--classes", "--shells"],
    );
}

#[test]
fn estimates_of_classes_that_have_no_meaning_are_refused() {
    let folder = odd_folder();
    let xi = |rest: &str| format!("xi d.csv --classes bin --bins lin:0:3:2 -o no.csv {rest}");
    let refuse = |rest: &str, code, parts: &[&str]| refused(&folder, &xi(rest), code, parts);
    refuse(
        "--randoms other.csv",
        1,
        &["the class 9", "2, 3, 4", "--randoms-classes none"],
    );
    refuse(
        "--randoms texts.csv",
        1,
        &["one type", "texts in", "numbers in"],
    );
    refuse(
        "--randoms few.csv",
        1,
        &["no object of the randoms is in class 4"],
    );
    refuse(
        "--randoms r.csv --randoms few.csv --regions 3",
        2,
        &["--classes", "--regions"],
    );
    refuse("--randoms r.csv --split-randoms 2", 2, &["--split-randoms"]);
    refuse(
        "--randoms r.csv --estimator hamilton",
        2,
        &["hamilton", "two classes"],
    );
    refuse(
        "--randoms r.csv --estimator (DD-DR)/RR",
        2,
        &["two classes"],
    );
    refuse("--box 10 --randoms-classes bin", 2, &["randoms"]);
}

#[test]
fn results_of_classes_are_refused_where_one_pair_is_taken() {
    let folder = folder();
    folder.good("count d.csv --classes bin --bins lin:0:3:2 -o all.csv");
    for (command, part) in [
        ("result slice all.csv --range 0:1.5", "--classes A,B"),
        ("result rebin all.csv --by 2", "--classes A,B"),
        (
            "result slice all.csv --classes 2,9",
            "its classes are 2, 3, 4",
        ),
        ("result slice all.csv --classes 2", "expected two names"),
    ] {
        let code = if part.starts_with("expected") { 2 } else { 1 };
        refused(&folder, &format!("{command} -o no.csv"), code, &[part]);
    }
    refused(
        &folder,
        "xi d.csv --randoms r.csv --rr all.csv --bins lin:0:3:2 -o no.csv",
        1,
        &["tables of 6 pairs of classes"],
    );
    refused(
        &folder,
        "result slice all.csv --classes 2,3 -o no.npy",
        1,
        &["pairs of two classes"],
    );
    refused(
        &folder,
        "count d.csv --classes bin --bins lin:0:3:2 -o no.npy",
        2,
        &["--classes", ".npy"],
    );
}
