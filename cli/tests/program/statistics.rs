//! What the counts and their errors are held to.

use crate::folder::Folder;

#[test]
fn more_bins_than_a_count_holds_are_refused_before_a_file_is_read() {
    let folder = Folder::new();
    for (flags, message) in [
        (
            "count none.csv --statistic s-mu --bins lin:0:1:1000000 --mu-bins lin:0:1:1000000",
            "at most 16777216 bins in all, found 1000000 x 1000000",
        ),
        (
            "xi none.csv --statistic rp-pi --bins lin:0:1:4097 --pi-bins lin:0:1:4096",
            "at most 16777216 bins in all, found 4097 x 4096",
        ),
        (
            "wp none.csv --bins lin:0:1:70000 --pi-bins lin:0:1:70000",
            "at most 16777216 bins in all, found 70000 x 70000",
        ),
        (
            "rdf none.csv --r-max 1 --n-bins 4000000000",
            "at most 16777216 bins in all, found 4000000000",
        ),
        (
            "count none.csv --bins lin:0:1:16777217",
            "a number of bins from 1 to 16777216, found `16777217`",
        ),
    ] {
        let run = folder.run(flags);
        assert_ne!(run.code, 0, "{flags}");
        assert!(run.stderr.contains(message), "{flags}: {}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{flags}: {}", run.stderr);
    }
}
