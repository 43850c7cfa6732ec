//! Names of sets in columns, and sets as flags name them.

use super::together::{of_column, own_column, tells_bins};
use super::*;

#[test]
fn columns_of_sets_have_their_names_and_lose_them_again() {
    for (own, of_set) in [
        ("xi", "xi_fkp"),
        ("xi_error", "xi_fkp_error"),
        ("xi_2_error", "xi_fkp_2_error"),
        ("DD_npairs", "DD_fkp_npairs"),
        ("wp", "wp_fkp"),
    ] {
        assert_eq!(of_column(own, "fkp"), of_set);
        assert_eq!(own_column(of_set, "fkp").unwrap(), own);
        assert_eq!(own_column(of_set, "fk"), None);
        assert_eq!(own_column(of_set, "plain"), None);
    }
    for name in ["lo", "hi", "centre", "rp_lo", "pi_centre"] {
        assert!(tells_bins(name), "{name}");
    }
    assert!(!tells_bins("xi") && !tells_bins("xi_fkp_error"));
}

#[test]
fn sets_are_told_by_name_and_column() {
    let set = named_set("fkp=W*WEIGHT_FKP").unwrap();
    assert_eq!(set.weight.as_deref(), Some("W*WEIGHT_FKP"));
    assert_eq!(named_set("unit=none").unwrap().weight, None);
    // A comparison may stand in an expression.
    assert_eq!(named_set("a=W*(Z==1)").unwrap().weight.unwrap(), "W*(Z==1)");
    for bad in ["fkp", "fkp=", "=W", "a_b=W", "2=W", "a b=W"] {
        assert!(named_set(bad).is_err(), "{bad}");
    }
}
