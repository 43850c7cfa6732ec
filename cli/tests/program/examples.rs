//! Every command that the README, the cookbooks and the help texts show, run as typed.

use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, program};

/// The folder of the workspace.
fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder that looks like a checkout: the bundled samples lie where they do there, and `albireo` is the program.
fn checkout() -> Folder {
    let folder = Folder::new();
    let samples = folder.path("catalogs/samples");
    std::fs::create_dir_all(&samples).unwrap();
    for entry in std::fs::read_dir(root().join("catalogs/samples")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), samples.join(entry.file_name())).unwrap();
    }
    std::os::unix::fs::symlink(program(), folder.path("albireo")).unwrap();
    // Pages write into this folder, which they tell their readers to make.
    std::fs::create_dir(folder.path("out")).unwrap();
    folder
}

/// The commands among `lines`, those of several lines joined.
fn commands<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut continued = false;
    for line in lines {
        let line = line.trim();
        let part = line.trim_end_matches('\\');
        let command = match part.strip_prefix("cargo run --release -- ") {
            Some(arguments) => format!("albireo {arguments}"),
            None => part.to_owned(),
        };
        let shown = ["albireo ", "mkdir "];
        let shown = shown.iter().any(|start| command.starts_with(start));
        match (continued, shown, commands.last_mut()) {
            (true, _, Some(last)) => last.push_str(part),
            (false, true, _) => commands.push(command),
            _ => continue,
        }
        continued = line.ends_with('\\');
    }
    commands
}

/// Runs a command in a shell, as a user would.
fn run(folder: &Folder, command: &str) {
    let path = format!(
        "{}:{}",
        folder.path("").display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path(""))
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return;
    }
    // What asks for a GPU may miss one, and nothing else.
    let asks = command.contains("albireo devices") || command.contains("--engine cuda");
    let misses = ["NVIDIA", "NVRTC", "no GPU to use"]
        .iter()
        .any(|word| said.contains(word));
    assert!(
        asks && misses && output.status.code() == Some(1),
        "{command}\n{said}"
    );
}

/// Runs the commands of a page in order; how many there are, and where they ran.
fn run_page(page: &str) -> (usize, Folder) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        if line.starts_with("```") {
            inside = *line == "```sh";
        }
        inside
    });
    let commands = commands(lines);
    let folder = checkout();
    for command in &commands {
        run(&folder, command);
    }
    (commands.len(), folder)
}

#[test]
fn every_example_of_the_readme_runs() {
    let (n_examples, folder) = run_page("README.md");
    assert!(n_examples >= 8, "{n_examples}");
    assert!(folder.path("out/partials.png").exists());
}

/// Runs a page of docs/ whose images are those that its commands draw.
fn run_cookbook(page: &str, at_least: usize, at_least_images: usize) {
    let (n_examples, folder) = run_page(page);
    assert!(n_examples >= at_least, "{n_examples}");
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let images: Vec<&str> = text
        .split("](figures/")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    assert!(images.len() >= at_least_images, "{images:?}");
    for image in images {
        assert!(folder.path("out").join(image).exists(), "{image}");
        assert!(root().join("docs/figures").join(image).exists(), "{image}");
    }
}

#[test]
fn every_example_of_the_galaxy_cookbook_runs() {
    run_cookbook("docs/cookbook-galaxies.md", 30, 8);
}

#[test]
fn every_example_of_the_liquid_cookbook_runs() {
    run_cookbook("docs/cookbook-liquids.md", 20, 8);
}

#[test]
fn every_example_of_the_page_on_pair_sums_runs() {
    run_cookbook("docs/pair-sums.md", 16, 3);
}

#[test]
fn every_example_of_the_page_on_fields_runs() {
    let (n_examples, folder) = run_page("docs/fields.md");
    assert!(n_examples >= 12, "{n_examples}");
    assert!(folder.bytes("potential.npy") == folder.bytes("small_bins.npy"));
}

#[test]
fn every_example_of_the_page_on_liquids_runs() {
    let (n_examples, folder) = run_page("docs/liquids.md");
    assert!(n_examples >= 15, "{n_examples}");
    assert!(folder.path("out/van_hove.csv").exists());
}

#[test]
fn every_example_of_the_pages_on_results_and_other_programs_runs() {
    let pages = [
        "results",
        "covariance-model",
        "report",
        "exactness",
        "from-corrfunc",
        "from-pycorr",
        "from-treecorr",
        "from-gmx-rdf",
        "from-mdanalysis",
    ];
    for page in pages {
        let (n_examples, _) = run_page(&format!("docs/{page}.md"));
        assert!(n_examples >= 1, "{page}");
    }
}

#[test]
fn every_example_of_the_help_runs() {
    let folder = checkout();
    let help = |arguments: &[&str]| {
        // As wide as terminals used to be: a command that is broken there cannot be copied.
        let mut command = folder.command(arguments);
        let output = command.env("COLUMNS", "80").output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let subcommands: Vec<String> = help(&["--help"])
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(subcommands.len() >= 6, "{subcommands:?}");
    let mut n_examples = 0;
    for name in &subcommands {
        let text = help(&[name, "--help"]);
        let examples = text
            .lines()
            .skip_while(|line| !line.starts_with("Examples"));
        for command in commands(examples) {
            run(&folder, &command);
            n_examples += 1;
        }
    }
    assert!(n_examples >= 14, "{n_examples}");
}
