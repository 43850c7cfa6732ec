//! The flags and places of a job that name files, and what a command does with each.
//!
//! Entry: [`NamedFiles`], by what each flag takes.

use crate::angular::AngularFiles;
use crate::edges::EdgeSpec;
use crate::flag::Takes;
use crate::form_file::FormFile;
use crate::join_spec::JoinSpec;
use crate::reads::files_in;

/// The files that a measurement names, as they are spelled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NamedFiles {
    /// Those that it writes.
    pub(crate) outputs: Vec<String>,
    /// Those that it reads; patterns stand for what they match.
    pub(crate) inputs: Vec<String>,
    /// Those of checkpoints that no other measurement may share.
    pub(super) checkpoints: Vec<String>,
}

impl NamedFiles {
    /// Adds what a flag is set to.
    pub(super) fn add(&mut self, takes: Takes, texts: &[String]) {
        match takes {
            Takes::Samples | Takes::Read => self.inputs.extend_from_slice(texts),
            Takes::Written => {
                let files = texts.iter().filter(|text| *text != "-");
                self.outputs.extend(files.cloned());
            }
            Takes::Forms => {
                let forms = texts.iter().flat_map(|text| text.split(','));
                let files = forms.filter_map(FormFile::path_in);
                self.outputs.extend(files.map(str::to_owned));
            }
            Takes::Kept => self.checkpoints.extend_from_slice(texts),
            Takes::Edges | Takes::Shells => {
                let specs = texts.iter().filter_map(|text| text.parse().ok());
                let files =
                    specs.filter_map(|spec: EdgeSpec| Some(spec.file()?.display().to_string()));
                self.inputs.extend(files);
            }
            Takes::Rows => {
                let files = texts.iter().filter_map(|text| text.strip_prefix('@'));
                self.inputs.extend(files.map(str::to_owned));
            }
            Takes::Angular => {
                for files in texts.iter().filter_map(|text| text.parse().ok()) {
                    let files: AngularFiles = files;
                    let names = files.paths().into_iter();
                    self.inputs
                        .extend(names.map(|path| path.display().to_string()));
                }
            }
            Takes::Joined => {
                let joins = texts.iter().filter_map(|text| text.parse().ok());
                self.inputs.extend(joins.map(|join: JoinSpec| join.spelled));
            }
            Takes::Text => {
                let files = texts.iter().flat_map(|text| files_in(text));
                self.inputs.extend(files);
            }
            _ => {}
        }
    }

    /// Those that change while it is made.
    pub(super) fn changed(&self) -> impl Iterator<Item = &String> {
        self.outputs.iter().chain(&self.checkpoints)
    }
}
