//! Several forms of one input, `galaxies.{fits|h5}`: the first that is there.
//!
//! Entry: [`choose`]. A form is there where a file has its name or matches its pattern, or where a measurement of the job writes it.

use std::collections::HashMap;

use anyhow::Result;

use super::Measurement;
use super::order::{plain, writers};
use crate::catalogs::Files;
use crate::usage::usage;

/// The texts that `{A|B}` in a text stands for, those of the first such braces varying slowest; the text alone without any.
fn forms(text: &str) -> Vec<String> {
    let braces = text.match_indices('{').filter_map(|(open, _)| {
        let inside = text[open + 1..].split_once('}')?.0;
        let is_choice = inside.contains('|') && !inside.contains('{');
        is_choice.then_some((open, inside))
    });
    let Some((open, inside)) = braces.into_iter().next() else {
        return vec![text.to_owned()];
    };
    let (before, after) = (&text[..open], &text[open + inside.len() + 2..]);
    let ends = forms(after);
    let each = inside.split('|').map(|form| format!("{before}{form}"));
    each.flat_map(|start| ends.iter().map(move |end| format!("{start}{end}")))
        .collect()
}

/// Puts the form that is there in the place of every input that has several.
///
/// # Errors
/// An input of which no form is there.
pub(super) fn choose(measurements: &mut [Measurement]) -> Result<()> {
    let outputs = measurements.iter().flat_map(|made| &made.files.outputs);
    let outputs: HashMap<String, usize> = outputs.map(|output| (plain(output), 0)).collect();
    let is_there = |form: &&String| {
        let Ok(files) = form.parse::<Files>();
        writers(form, &outputs).next().is_some() || files.iter().any(std::path::Path::exists)
    };
    for made in measurements {
        for input in &mut made.files.inputs {
            let forms = forms(input);
            if forms.len() == 1 {
                continue;
            }
            let found = forms.iter().find(is_there).ok_or_else(|| {
                usage(format!(
                    "line {}: [{}]: none of these files is there: {}",
                    made.line,
                    made.name,
                    forms.join(", ")
                ))
            })?;
            for word in &mut made.arguments {
                if let Some(text) = word.to_str() {
                    *word = text.replace(&*input, found).into();
                }
            }
            input.clone_from(found);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::forms;

    #[test]
    fn braces_with_bars_are_forms() {
        assert_eq!(forms("a.{fits|h5}"), ["a.fits", "a.h5"]);
        assert_eq!(
            forms("{a|b}_[0-4].fits{|.gz}"),
            [
                "a_[0-4].fits",
                "a_[0-4].fits.gz",
                "b_[0-4].fits",
                "b_[0-4].fits.gz"
            ]
        );
        assert_eq!(forms("{}_{cap}"), ["{}_{cap}"]);
    }
}
