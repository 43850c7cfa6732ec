//! Names for messages: all that there are, and those that somebody may have meant.
//!
//! Entry: [`did_you_mean`], [`near`], [`listed`].

/// A question for a message about a name that is not there, in brackets behind a blank: which like it are; nothing where none is.
///
/// ```
/// let names = ["Na".to_owned(), "Cl".to_owned()];
/// assert_eq!(albireo_catalogs::did_you_mean("CL", &names), " (did you mean `Cl`?)");
/// assert_eq!(albireo_catalogs::did_you_mean("K", &names), "");
/// ```
pub fn did_you_mean(name: &str, available: &[String]) -> String {
    suggested(&near(name, available))
}

pub(crate) fn suggested(names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", listed(names))
    }
}

/// The names of `available` that a person may have meant by `name`: equal but for case, or one slip away.
///
/// ```
/// let names = ["where".to_owned(), "weight".to_owned()];
/// assert_eq!(albireo_catalogs::near("wheer", &names), ["where"]);
/// ```
pub fn near(name: &str, available: &[String]) -> Vec<String> {
    let wanted = name.to_lowercase();
    let close = |other: &String| {
        let other = other.to_lowercase();
        other == wanted
            || (wanted.len() > 2 && one_edit_apart(&wanted, &other))
            || other.rsplit('/').next() == Some(&wanted)
    };
    available
        .iter()
        .filter(|other| close(other))
        .take(3)
        .cloned()
        .collect()
}

/// Whether one insertion, deletion, replacement or swap of neighbours turns `a` into `b`.
fn one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let prefix = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    match (a, b) {
        ([x, y, a @ ..], [v, w, b @ ..]) if x == w && y == v && a == b => true,
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) => a == b,
        _ => false,
    }
}

/// Names for a message: all of them up to 40, then how many more.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 40;
    if names.is_empty() {
        return "(none)".to_owned();
    }
    let shown = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        format!("{shown} and {} more", names.len() - SHOWN)
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let names: Vec<String> = ["RA", "DEC", "weight", "box/x"]
            .iter()
            .map(|&s| s.to_owned())
            .collect();
        assert_eq!(near("ra", &names), ["RA"]);
        assert_eq!(near("wieght", &names), ["weight"]);
        assert_eq!(near("weigth", &names), ["weight"]);
        assert_eq!(near("weights", &names), ["weight"]);
        assert_eq!(near("x", &names), ["box/x"]);
        assert!(near("redshift", &names).is_empty());
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..50).map(|k| k.to_string()).collect();
        assert!(listed(&names).ends_with("`39` and 10 more"));
        assert_eq!(listed(&[]), "(none)");
    }
}
