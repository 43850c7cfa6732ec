//! What comes next in the text of an expression: signs, words, names, numbers, texts.
//!
//! Entry: the methods of [`Parser`], which puts them together.

use super::error::ExpressionError;
use super::parse::{Names, Parsed, Parser, tree};
use super::phrases::translated;
use super::tree::Kind;

/// Characters of the longest name that is looked for without backquotes.
const LONGEST: usize = 1024;

impl Parser<'_> {
    /// A number: decimal, or hexadecimal behind `0x`.
    pub(super) fn number(&mut self) -> Parsed {
        let at = self.position;
        let within = |c: &&char| c.is_ascii_alphanumeric() || ".+-".contains(**c);
        let rest: String = self.chars[at..].iter().take_while(within).collect();
        if let Some(digits) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            let end = digits
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(digits.len());
            if let Ok(value) = i128::from_str_radix(&digits[..end], 16) {
                self.position += 2 + end;
                return self.node(at, Kind::Integer(value));
            }
        }
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut end = digits(&rest);
        if rest[end..].starts_with('.') {
            end += 1 + digits(&rest[end + 1..]);
        }
        let exponent = &rest[end..];
        if let Some(power) = exponent.strip_prefix(['e', 'E']) {
            let sign = usize::from(power.starts_with(['+', '-']));
            let count = digits(&power[sign..]);
            end += if count > 0 { 1 + sign + count } else { 0 };
        }
        let word = &rest[..end];
        let follows = self.chars.get(at + end).copied();
        let kind = match (word.parse::<i128>(), word.parse::<f64>()) {
            _ if follows.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') => None,
            (Ok(value), _) => Some(Kind::Integer(value)),
            (_, Ok(value)) => Some(Kind::Float(value)),
            _ => None,
        };
        match kind {
            Some(kind) => {
                self.position += end;
                self.node(at, kind)
            }
            None => Err(self.error("a number or a quoted text")),
        }
    }

    /// What stands between the quote here and the next of its kind.
    pub(super) fn quoted(&mut self, expected: &str) -> Result<String, ExpressionError> {
        let start = self.position;
        let quote = self.chars[start];
        match self.chars[start + 1..].iter().position(|&c| c == quote) {
            Some(length) => {
                self.position = start + length + 2;
                Ok(self.chars[start + 1..=start + length].iter().collect())
            }
            None => Err(self.error(&format!("{expected}, closed by {quote}"))),
        }
    }

    /// The name that begins here, and whether it is known to be that of a column.
    pub(super) fn name(&self) -> (String, bool) {
        let within = |c: &&char| c.is_alphanumeric() || "_./+-[]:".contains(**c);
        let long: Vec<char> = self.chars[self.position..]
            .iter()
            .take_while(within)
            .take(LONGEST)
            .copied()
            .collect();
        let plain = |c: &&char| !"+-/".contains(**c);
        let short = || long.iter().take_while(plain).collect::<String>();
        match self.names {
            Names::Paths => (long.iter().collect(), false),
            Names::Words => (short(), false),
            Names::Further(_) => {
                let within = |c: &&char| c.is_alphanumeric() || "_.".contains(**c);
                (long.iter().take_while(within).collect(), false)
            }
            Names::Of(known) => {
                let ends = (1..=long.len())
                    .rev()
                    .filter(|&end| long.get(end).is_none_or(|next| "./+-[]:".contains(*next)));
                let mut prefixes = ends.map(|end| long[..end].iter().collect::<String>());
                // A path to nothing is named whole in what is said of it.
                let is_path = || {
                    let rest = long.iter().skip_while(|c| plain(c)).collect::<String>();
                    let mut below = rest.strip_prefix('/').into_iter().flat_map(str::chars);
                    below.next().is_some_and(|c| c.is_alphabetic() || c == '_') && !known(&short())
                };
                match prefixes.find(|name| known(name)) {
                    Some(name) => (name, true),
                    None if is_path() => (long.iter().collect(), false),
                    None => (short(), false),
                }
            }
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.position).copied()
    }

    pub(super) fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.position += 1;
        }
    }

    /// The position of what comes next.
    pub(super) fn start(&mut self) -> usize {
        self.skip_space();
        self.position
    }

    pub(super) fn ahead(&self, sign: &str) -> bool {
        let mut signs = sign.chars().enumerate();
        signs.all(|(k, c)| self.chars.get(self.position + k) == Some(&c))
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        self.skip_space();
        let found = self.ahead(sign);
        if found {
            self.position += sign.chars().count();
        }
        found
    }

    /// A word in any case of letters, with no letter behind it.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let end = self.position + word.len();
        let Some(found) = self.chars.get(self.position..end) else {
            return false;
        };
        let same = found
            .iter()
            .zip(word.chars())
            .all(|(c, w)| c.eq_ignore_ascii_case(&w));
        let ends = self
            .chars
            .get(end)
            .is_none_or(|c| !(c.is_alphanumeric() || "_.:[/".contains(*c)));
        if same && ends {
            self.position = end;
        }
        same && ends
    }

    /// A word behind another, as `resname SOL` of other programs has them, or anything else where an operator should stand.
    pub(super) fn no_operator(&self, expected: &str) -> ExpressionError {
        let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
        let before = self.chars[..self.position]
            .iter()
            .rposition(|c| !c.is_whitespace());
        let begin = before.map_or(0, |last| {
            let other = self.chars[..=last].iter().rposition(|c| !is_word(c));
            other.map_or(0, |other| other + 1)
        });
        let is_end = |c: &char| *c == ')';
        let end = self.chars[self.position..].iter().position(is_end);
        let end = end.map_or(self.chars.len(), |end| self.position + end);
        let here: String = self.chars[begin..end].iter().collect();
        let whole = translated(self.text).filter(|text| tree(text, self.names).is_ok());
        match (translated(&here), whole) {
            (Some(phrase), Some(whole)) if phrase != whole => {
                self.error(&format!("{expected}, such as {phrase}, in all {whole}"))
            }
            (Some(phrase), _) => self.error(&format!("{expected}, such as {phrase}")),
            (None, _) => self.error(expected),
        }
    }

    pub(super) fn error(&self, expected: &str) -> ExpressionError {
        let from = self.position.min(self.chars.len());
        let rest: String = self.chars[from..].iter().take(20).collect();
        ExpressionError {
            expression: self.text.to_owned(),
            position: from,
            expected: expected.to_owned(),
            found: if rest.is_empty() {
                "the end".to_owned()
            } else {
                format!("`{rest}`")
            },
        }
    }
}
