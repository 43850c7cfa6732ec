//! Texts that no particle of the first frame has, as of a selection in another case of letters.
//!
//! Entry: [`FrameChoice::misspelt`].

use std::collections::HashSet;

use albireo_catalogs::{Attribute, Filter, Frame, did_you_mean};

use super::{FrameChoice, NumberedFrame, Species};
use crate::error::Result;
use crate::notice::Notice;
use crate::shown::in_short_list;

impl FrameChoice {
    /// Texts of conditions and species of pairs that no particle of the first frame has, where others are like them or nothing is kept.
    ///
    /// # Errors
    /// As [`FrameChoice::job`] of that frame.
    pub fn misspelt(&self, first: &NumberedFrame) -> Result<Vec<Notice>> {
        let reading = &self.reading;
        let conditions = match &reading.species {
            Species::Conditions(conditions) => &conditions[..],
            _ => &[],
        };
        if reading.filter.is_none() && conditions.is_empty() && reading.more_species.is_empty() {
            return Ok(Vec::new());
        }
        let atoms = self.merged(&first.frame)?;
        let frame = reading.whole(first.frame.clone(), atoms, &self.numbering)?;
        let mut found = Vec::new();
        if let Some(filter) = &reading.filter {
            found.extend(absent(first, &frame, "--where", filter)?);
        }
        for (name, filter) in conditions {
            found.extend(absent(first, &frame, &format!("--select {name}"), filter)?);
        }
        if let Some(column) = &self.column {
            let there = texts_of(&frame, column);
            let more = reading.more_species.iter();
            let more = more.filter_map(|name| {
                let hint = hint(&there, column, name).filter(|_| !there.contains(name))?;
                Some(Notice::warning(format!(
                    "--pairs: no particle of the first frame of {} has `{column}` \"{name}\"{hint}",
                    first.path.display()
                )))
            });
            found.extend(more);
        }
        Ok(found)
    }
}

/// The texts that a condition compares columns with and that no particle has.
fn absent(
    first: &NumberedFrame,
    frame: &Frame,
    flag: &str,
    filter: &Filter,
) -> Result<Vec<Notice>> {
    let compared = filter.compared_texts();
    if compared.is_empty() || frame.is_empty() {
        return Ok(Vec::new());
    }
    let keeps_none = frame.selected(filter, &first.path)?.is_empty();
    let mut found = Vec::new();
    for (column, text) in compared {
        let there = texts_of(frame, column);
        if there.is_empty() || there.iter().any(|other| other == text) {
            continue;
        }
        let listed = || keeps_none.then(|| format!("; the values are: {}", in_short_list(&there)));
        if let Some(hint) = hint(&there, column, text).or_else(listed) {
            found.push(Notice::warning(format!(
                "{flag}: no particle of the first frame of {} has `{column}` \"{text}\"{hint}",
                first.path.display()
            )));
        }
    }
    Ok(found)
}

/// The different texts of a column, in order.
fn texts_of(frame: &Frame, column: &str) -> Vec<String> {
    let Some(Attribute::Texts { texts, codes }) = frame.atoms.get(column) else {
        return Vec::new();
    };
    let used: HashSet<u32> = codes.iter().copied().collect();
    let texts = texts.iter().enumerate();
    let texts = texts.filter(|(code, _)| u32::try_from(*code).is_ok_and(|c| used.contains(&c)));
    let mut texts: Vec<String> = texts.map(|(_, text)| text.clone()).collect();
    texts.sort();
    texts
}

/// What may be meant by a text that is not there: one like it, or a pattern.
fn hint(there: &[String], column: &str, text: &str) -> Option<String> {
    if text.contains(['*', '?']) {
        return Some(format!(
            ": patterns stand behind `like`, {column} like \"{text}\""
        ));
    }
    Some(did_you_mean(text, there)).filter(|hint| !hint.is_empty())
}
