//! The cuda engine from the command line: the same counts where there is a GPU, a plain word where there is none.

use crate::folder::{Folder, Run, integers, scattered};
use crate::reference;

/// The error line of a run.
fn error(run: &Run) -> &str {
    run.stderr
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap_or_default()
}

/// Whether this machine has a GPU and a compiler for it, as `albireo devices` sees it.
fn ready(folder: &Folder) -> bool {
    folder.run("devices").code == 0
}

#[test]
fn devices_are_listed_or_missed_by_the_exit_code() {
    let folder = Folder::new();
    let run = folder.run("devices");
    let missing = ["No GPU: ", "No NVRTC: "]
        .iter()
        .any(|part| run.stdout.contains(part));
    assert_eq!(run.code, i32::from(missing), "{}{}", run.stdout, run.stderr);
    assert_eq!(error(&run).is_empty(), !missing, "{}", run.stderr);
    let first = run.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("device") || first.starts_with("No GPU: "),
        "{first}"
    );
    let compiler = run.stdout.lines().last().unwrap();
    assert!(
        compiler.starts_with("NVRTC 1") || compiler.starts_with("No NVRTC: "),
        "{compiler}"
    );
    // A compiler that cannot be loaded: where it was looked for, and how to get one.
    let output = folder
        .command(&["devices"])
        .env("ALBIREO_NVRTC", "/nowhere/libnvrtc.so")
        .env("PATH", "")
        .env("HOME", "/nowhere")
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)));
    let text = String::from_utf8(output.stdout).unwrap();
    if let Some(line) = text.lines().find(|line| line.starts_with("No NVRTC")) {
        for part in ["looked in", "pip install", "ALBIREO_NVRTC"] {
            assert!(line.contains(part), "{line}");
        }
    }
}

#[test]
fn engines_agree_or_the_missing_gpu_is_named() {
    let folder = Folder::new().with("p.csv", &scattered(2000, 1.0, 3));
    let bins = "--box 1 --bins lin:0:0.2:10 --weight w";
    folder.good(&format!(
        "count p.csv {bins} --engine cpu --threads 1 -o cpu.json"
    ));
    let auto = folder.good(&format!("count p.csv {bins} -o auto.json"));
    assert!(auto.stderr.contains("engine: cpu, "), "{}", auto.stderr);
    let expected = integers(&folder.table("cpu.json"), "npairs");
    assert_eq!(integers(&folder.table("auto.json"), "npairs"), expected);
    assert_eq!(folder.table("auto.json").meta["arithmetic"], "exact");
    let command = format!("count p.csv {bins} --engine cuda -o gpu.json");
    if !ready(&folder) {
        let run = folder.run(&command);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        assert!(
            error(&run).starts_with("error: --engine cuda: "),
            "{}",
            run.stderr
        );
        return;
    }
    folder.good(&command);
    let exact = folder.table("gpu.json");
    assert_eq!(integers(&exact, "npairs"), expected);
    assert_eq!(exact.meta["arithmetic"], "exact");
    folder.good(&format!("{command} --precision double"));
    assert_eq!(integers(&folder.table("gpu.json"), "npairs"), expected);
    folder.good(&command.replace("--engine cuda", "--engine cuda+cpu"));
    assert_eq!(integers(&folder.table("gpu.json"), "npairs"), expected);

    let run = folder.good(&format!("{command} --precision single"));
    assert!(run.stderr.contains("approximate: "), "{}", run.stderr);
    let table = folder.table("gpu.json");
    assert_eq!(table.meta["arithmetic"], "approximate");
    assert_eq!(table.meta["counts"]["DD"]["arithmetic"], "approximate");
    assert_eq!(
        integers(&table, "npairs")
            .iter()
            .sum::<u64>()
            .abs_diff(expected.iter().sum()),
        0
    );
    let run = folder.run(&format!("{command} --devices 99"));
    assert_eq!(run.code, 1);
    assert!(
        error(&run).contains("there is no CUDA device 99"),
        "{}",
        run.stderr
    );
}

/// The box of galaxies and its DD that Corrfunc 2.5.3 ships (Sinha & Garrison 2020, DOI 10.1093/mnras/stz3157).
#[test]
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
fn a_published_box_has_its_published_counts_on_gpus() {
    let folder = Folder::new();
    let Some(data) = reference::data() else {
        return;
    };
    if !ready(&folder) {
        eprintln!("skipped: no GPU");
        return;
    }
    let command =
        "count DATA/gals_Mr19.h5 --box file --wrap --weight w --bins @DATA/reference/box/bins";
    let command_here = command.replace("DATA", data.to_str().unwrap());
    folder.good(&format!("{command_here} --engine cpu -o cpu.json"));
    for engine in ["cuda", "cuda --precision double", "cuda+cpu"] {
        let flags = format!("--engine {engine}");
        reference::counts_are(&format!("{command} {flags}"), "box/Mr19_DD_periodic");
        folder.good(&format!("{command_here} {flags} -o gpu.json"));
        let [cpu, gpu] = ["cpu.json", "gpu.json"].map(|name| folder.table(name));
        assert_eq!(cpu.columns, gpu.columns, "{flags}");
    }
}

#[test]
fn maps_and_random_numbers_agree_or_the_missing_gpu_is_named() {
    let folder = Folder::new().with("p.csv", &scattered(500, 9.0, 3));
    let maps = [
        "field p.csv --kernel spline --radius 2 --spacing 0.7,0.9,0.4",
        "field p.csv --weight w --cutoff 3 --box 9 --spacing 0.5",
    ];
    let numbers = "random -n 5000 --seed 7 --skip 99";
    for command in maps {
        folder.good(&format!("{command} --engine cpu -o cpu.npy"));
    }
    let expected = folder.good(&format!("{numbers} -o -")).stdout;
    if !ready(&folder) {
        for engine in ["cuda", "cuda+cpu"] {
            let run = folder.run(&format!("{} --engine {engine} -o gpu.npy", maps[0]));
            assert_eq!((run.code, run.stdout.as_str()), (1, ""));
            let named = error(&run).starts_with("error: --engine cuda: ");
            assert!(named, "{}", run.stderr);
        }
        let run = folder.run(&format!("{numbers} --engine cuda -o gpu.csv"));
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        let written = folder.names();
        assert!(!written.iter().any(|name| name.starts_with("gpu")));
        return;
    }
    for command in maps {
        folder.good(&format!("{command} --engine naive -o cpu.npy"));
        for engine in ["cuda", "cuda+cpu"] {
            folder.good(&format!("{command} --engine {engine} -o gpu.npy"));
            let [cpu, gpu] = ["cpu.npy", "gpu.npy"].map(|name| std::fs::read(folder.path(name)));
            assert!(cpu.unwrap() == gpu.unwrap(), "{command} {engine}");
        }
    }
    let run = folder.good(&format!("{numbers} --engine cuda --streams 6144 -o -"));
    assert_eq!(run.stdout, expected);
    assert!(run.stderr.contains("kernels "), "{}", run.stderr);
}

#[test]
fn covariances_agree_or_the_missing_gpu_is_named() {
    let folder = Folder::new()
        .with("d.csv", &scattered(80, 10.0, 3))
        .with("r.csv", &scattered(200, 10.0, 8));
    let bins = "--bins lin:1:9:4 --weight w --regions-column floor(x/5)";
    folder.good(&format!(
        "xi d.csv --randoms r.csv {bins} --region-counts reg.csv -o xi.csv"
    ));
    let command = "covariance xi.csv --randoms r.csv --rounds 4 --cloud 4";
    let run = folder.good(&format!("{command} --sums cpu.sums -o cpu.json"));
    assert!(run.stderr.contains("engine: cpu, "), "{}", run.stderr);
    if !ready(&folder) {
        for engine in ["cuda", "cuda+cpu"] {
            let run = folder.run(&format!("{command} --engine {engine} -o gpu.json"));
            assert_eq!((run.code, run.stdout.as_str()), (1, ""));
            let named = error(&run).starts_with("error: --engine cuda: ");
            assert!(named, "{}", run.stderr);
        }
        return;
    }
    for engine in ["cuda", "cuda+cpu --threads 2", "naive"] {
        folder.good(&format!(
            "{command} --engine {engine} --sums gpu.sums -o gpu.json"
        ));
        assert!(
            folder.bytes("gpu.sums") == folder.bytes("cpu.sums"),
            "{engine}"
        );
    }
    let run = folder.run(&format!(
        "{command} --engine cuda --tune reg.csv --regions-column floor(x/5) -o tuned.json"
    ));
    let message = "error: --tune: sums by region are made by the cpu engine alone";
    assert!(error(&run).starts_with(message), "{}", run.stderr);
}

#[test]
fn random_pairs_counted_otherwise_are_refused() {
    let folder = Folder::new()
        .with("d.csv", &scattered(50, 1.0, 1))
        .with("r.csv", &scattered(80, 1.0, 2));
    let bins = "--bins edges:0,0.5,1";
    folder.good(&format!("count r.csv {bins} -o rr.json"));
    let text = folder.text("rr.json");
    let folder = folder.with("f32.json", &text.replace("\"exact\"", "\"approximate\""));
    folder.good(&format!("xi d.csv --randoms r.csv --rr rr.json {bins}"));
    let run = folder.run(&format!("xi d.csv --randoms r.csv --rr f32.json {bins}"));
    assert_eq!(run.code, 1);
    assert!(
        error(&run).contains("it is approximate, the counts of this job are exact"),
        "{}",
        run.stderr
    );
}
