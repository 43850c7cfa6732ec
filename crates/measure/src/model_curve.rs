//! Curves of models in text files, for figures: `--model FILE[:COLUMN]`.
//!
//! Entry: [`ModelSpec`].

use std::path::PathBuf;

use albireo_figures::Model;
use anyhow::{Context, Result, bail};

use crate::text::words;

/// A file of columns, the first of which is the separation, and which of the others is the curve.
#[derive(Debug, Clone)]
pub(crate) struct ModelSpec {
    pub(crate) path: PathBuf,
    /// By its name in a header or its number, from 1; the second where not given.
    column: Option<String>,
}

impl std::str::FromStr for ModelSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, column) = match text.rsplit_once(':') {
            Some((path, column)) if !column.contains(['/', '\\']) => (path, Some(column)),
            _ => (text, None),
        };
        if path.is_empty() || column == Some("") {
            return Err(format!("expected FILE or FILE:COLUMN, found `{text}`"));
        }
        Ok(Self {
            path: path.into(),
            column: column.map(str::to_owned),
        })
    }
}

impl ModelSpec {
    /// Reads lines of numbers, separated by blanks or commas; the last line before them, a comment or not, may name the columns.
    pub(crate) fn read(&self) -> Result<Model> {
        let path = self.path.display();
        let text = std::fs::read_to_string(&self.path);
        let text = text.with_context(|| format!("--model: cannot read {path}"))?;
        let (mut header, mut column) = (Vec::new(), None);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let found = words(line);
            let numbers: Option<Vec<f64>> = found.iter().map(|word| word.parse().ok()).collect();
            let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else {
                let is_comment = line.trim_start().starts_with(['#', '@']);
                if !found.is_empty() && !is_comment && !x.is_empty() {
                    bail!(
                        "{path}: line {}: expected numbers, found `{}`",
                        number + 1,
                        line.trim()
                    );
                }
                if x.is_empty() && !found.is_empty() {
                    header = words(line.trim_start().trim_start_matches('#'));
                }
                continue;
            };
            let at = match column {
                Some(at) => at,
                None => *column.insert(self.place(&header, numbers.len())?),
            };
            let Some(value) = numbers.get(at) else {
                bail!(
                    "{path}: line {}: expected {} columns, found {}",
                    number + 1,
                    at + 1,
                    numbers.len()
                );
            };
            x.push(numbers[0]);
            y.push(*value);
        }
        if x.is_empty() {
            bail!("{path}: expected lines of numbers, x and the model, found none");
        }
        let file = self.path.file_name().unwrap_or(self.path.as_os_str());
        let file = file.to_string_lossy();
        let name = match &self.column {
            Some(column) => format!("{file}:{column}"),
            None => file.into_owned(),
        };
        Ok(Model { name, x, y })
    }

    /// Which of `width` columns is the curve, counted from 0.
    fn place(&self, header: &[&str], width: usize) -> Result<usize> {
        let column = self.column.as_deref().unwrap_or("2");
        let named = header.iter().position(|name| *name == column);
        let numbered = column
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let found = named.or(numbered).filter(|&at| at < width);
        found.with_context(|| {
            let names = if header.len() == width {
                format!(" ({})", header.join(", "))
            } else {
                String::new()
            };
            format!(
                "{}: expected a column {column}, found {width} columns{names}",
                self.path.display()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_or_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.txt");
        std::fs::write(&path, "# made by hand\n# s xi0 xi2\n1 2 3\n2, 4, 6\n").unwrap();
        let model = |column: &str| {
            let spec: ModelSpec = format!("{}{column}", path.display()).parse().unwrap();
            spec.read()
        };
        assert_eq!(model("").unwrap().y, [2.0, 4.0]);
        assert_eq!(model(":xi2").unwrap().y, [3.0, 6.0]);
        assert_eq!(model(":3").unwrap().y, [3.0, 6.0]);
        assert_eq!(model(":3").unwrap().x, [1.0, 2.0]);
        let error = model(":xi4").unwrap_err().to_string();
        assert!(error.contains("found 3 columns (s, xi0, xi2)"), "{error}");
        assert!(":xi".parse::<ModelSpec>().is_err());
        std::fs::write(&path, "1 2\n2 x\n").unwrap();
        assert!(model("").unwrap_err().to_string().contains("line 2"));
    }
}
