//! The modules of a crate and which of them name which: enough of Rust's paths to find circles.
//!
//! Entry: [`Crate::read`], [`Crate::circles`]. Tests inside the files are left out, and so is what a parent says of its children.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module as the names that lead to it; none for the root.
type Module = Vec<String>;

/// The files of a crate by their modules, without comments and tests, and what modules pass on under a name.
pub(crate) struct Crate {
    files: BTreeMap<Module, String>,
    passed_on: BTreeMap<Module, BTreeMap<String, Module>>,
}

/// The code of a file: no comments, no tests.
fn code(text: &str) -> String {
    let tests = text.find("\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests].lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of a `use` tree such as `a::{b, c::{d, self}} as e`, each in its own names.
fn expanded(tree: &str) -> Vec<Module> {
    let tree = tree.trim();
    let Some((stem, group)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        let names = path
            .split("::")
            .map(str::trim)
            .filter(|name| !name.is_empty());
        return vec![names.map(str::to_owned).collect()];
    };
    let stem = expanded(stem).remove(0);
    let group = &group[..group.rfind('}').unwrap_or(group.len())];
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in group.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match parts.last_mut() {
            Some(_) if c == ',' && depth == 0 => parts.push(String::new()),
            Some(part) => part.push(c),
            None => {}
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    let paths = parts.flat_map(|part| expanded(part));
    paths
        .map(|path| stem.iter().cloned().chain(path).collect())
        .collect()
}

/// The text from `start` to the end of the path or `use` tree that begins there.
fn path_at(code: &str, start: usize) -> &str {
    let mut depth = 0;
    for (k, c) in code[start..].char_indices() {
        match c {
            '{' if code[..start + k].ends_with("::") || depth > 0 => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return &code[start..=start + k];
                }
            }
            _ if depth > 0 || c == ':' || c == '_' || c.is_alphanumeric() => {}
            _ => return &code[start..start + k],
        }
    }
    &code[start..]
}

/// A path from inside `module` as one from the root of the crate.
fn absolute(module: &[String], path: &[String]) -> Module {
    let mut at = module.to_vec();
    for (k, name) in path.iter().enumerate() {
        match name.as_str() {
            "crate" => at.clear(),
            "super" => {
                at.pop();
            }
            "self" => {}
            _ => {
                at.extend_from_slice(&path[k..]);
                break;
            }
        }
    }
    at
}

impl Crate {
    /// The sources in `folder`.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut found = vec![];
        super::sources(folder, &mut found);
        let mut files: BTreeMap<Module, String> = BTreeMap::new();
        for path in found {
            let inside = path.strip_prefix(folder).unwrap().with_extension("");
            let names = inside.iter().map(|name| name.to_str().unwrap().to_owned());
            let mut module: Module = names.collect();
            if ["lib", "main", "mod"].contains(&module.last().unwrap().as_str()) {
                module.pop();
            }
            let text = files.entry(module).or_default();
            text.push_str(&code(&fs::read_to_string(path).unwrap()));
        }
        let mut read = Self {
            files,
            passed_on: BTreeMap::new(),
        };
        for (module, code) in &read.files.clone() {
            let passed_on = code.split("pub").skip(1).filter_map(|rest| {
                let rest = rest.strip_prefix("(crate)").unwrap_or(rest);
                rest.trim_start().strip_prefix("use ")?.split(';').next()
            });
            let mut names = BTreeMap::new();
            for path in passed_on.flat_map(expanded) {
                let Some(name) = path.last().cloned() else {
                    continue;
                };
                let path = absolute(module, &path);
                names.insert(name, path);
            }
            read.passed_on.insert(module.clone(), names);
        }
        read
    }

    /// The module in which what `path` leads to is defined, as far as its names tell.
    fn home(&self, path: &[String], hops: usize) -> Module {
        let mut at: Module = vec![];
        for (k, name) in path.iter().enumerate() {
            at.push(name.clone());
            if self.files.contains_key(&at) {
                continue;
            }
            at.pop();
            let passed = self.passed_on.get(&at).and_then(|names| names.get(name));
            return match passed {
                Some(further) if hops > 0 && further != path => {
                    let rest = path[k + 1..].iter();
                    let whole: Module = further.iter().chain(rest).cloned().collect();
                    self.home(&whole, hops - 1)
                }
                _ => at,
            };
        }
        at
    }

    /// The modules that the code of `module` names.
    fn named_by(&self, module: &[String]) -> BTreeSet<Module> {
        let code = &self.files[module];
        let mut named = BTreeSet::new();
        for start in ["crate::", "super::", "self::"] {
            for (k, _) in code.match_indices(start) {
                let before = code[..k].chars().next_back();
                if before.is_some_and(|c| c == '_' || c == ':' || c.is_alphanumeric()) {
                    continue;
                }
                for path in expanded(path_at(code, k)) {
                    let path = absolute(module, &path);
                    named.insert(self.home(&path, 4));
                }
            }
        }
        named
    }

    /// For every folder: which of the files and folders in it names which others.
    fn neighbours(&self) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
        let mut folders: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for from in self.files.keys() {
            for to in self.named_by(from) {
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                // A parent and what is inside it are no neighbours.
                if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                    let folder = folders.entry(from[..common].to_vec()).or_default();
                    folder.entry(a.clone()).or_default().insert(b.clone());
                }
            }
        }
        folders
    }

    /// Files and folders beside each other that name each other, over others or at once: `a -> b` for each step of a circle.
    pub(crate) fn circles(&self) -> Vec<String> {
        let mut circles = vec![];
        for (folder, names) in self.neighbours() {
            let reached_from = |start: &String| {
                let mut reached: BTreeSet<String> = BTreeSet::new();
                let mut open = vec![start.clone()];
                while let Some(name) = open.pop() {
                    let next = names.get(&name).into_iter().flatten();
                    open.extend(next.filter(|next| reached.insert((*next).clone())).cloned());
                }
                reached
            };
            for (from, named) in &names {
                let closing = named.iter().filter(|to| reached_from(to).contains(from));
                let place = folder.join("::");
                circles.extend(closing.map(|to| format!("{place}: {from} -> {to}")));
            }
        }
        circles
    }

    /// How many modules there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }
}

#[test]
fn circles_are_found_through_groups_and_passed_on_names() {
    let modules = |files: &[(&str, &str)]| {
        let folder = std::env::temp_dir().join(format!(
            "albireo-modules-{}-{}",
            std::process::id(),
            files.len()
        ));
        fs::create_dir_all(folder.join("a")).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        let read = Crate::read(&folder);
        fs::remove_dir_all(folder).unwrap();
        read
    };
    let none = modules(&[
        ("lib.rs", "mod a; mod b; pub use a::{x::X, Y};"),
        ("a/mod.rs", "mod x; pub struct Y; fn f() -> self::x::X {}"),
        ("a/x.rs", "use super::Y; // crate::b::B"),
        (
            "b.rs",
            "use crate::{a::x::{self, X}, Y};\nmod tests {\n use crate::c; }",
        ),
    ]);
    assert_eq!(none.circles(), Vec::<String>::new());
    let circle = modules(&[
        ("lib.rs", "mod a; mod b; mod c; pub use b::B;"),
        ("a/mod.rs", "mod x;"),
        ("a/x.rs", "fn f() -> crate::B {}"),
        ("b.rs", "use crate::{c::C};"),
        ("c.rs", "use super::a::x;"),
    ]);
    assert_eq!(circle.circles(), [": a -> b", ": b -> c", ": c -> a"]);
}
