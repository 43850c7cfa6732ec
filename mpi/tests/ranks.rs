//! Ranks make what one process makes, byte for byte, or end together with one line.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod jobs;

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use jobs::{Ended, Folder, good, run, scattered, there_is_mpi};

const SURVEY: &str = "--weight w --statistic s-mu --bins lin:0:0.6:3 --mu-bins lin:0:1:3";

fn catalogs() -> Folder {
    Folder::new()
        .with("d.csv", &scattered(4200, 10.0, 5))
        .with("r.csv", &scattered(2600, 10.0, 6))
}

/// Every statistic by one process and by several ranks.
#[test]
fn ranks_make_what_one_process_makes() {
    if !there_is_mpi() {
        return;
    }
    let folder = catalogs();
    let skewed = "--box 10,0,0,2,10,0,1,-1,10 --wrap";
    let lines = [
        "count d.csv --box 10 --weight w --bins lin:0:0.6:4 --mean-separation".to_owned(),
        format!("count d.csv {skewed} --bins lin:0:0.4:3 --mean-separation=weighted --weight w"),
        format!("xi d.csv --randoms r.csv {SURVEY}"),
        format!("xi d.csv --randoms r.csv {SURVEY} --los first --regions 3"),
        "count d.csv r.csv --weight w --statistic theta --bins log:0.1:2:3".to_owned(),
        "wp d.csv --box 10 --bins log:0.1:1:3 --pi-bins lin:0:2:4".to_owned(),
        "count d.csv --box 10 --bins lin:0:2:3 --weight-set a=w --weight-set b=w*w".to_owned(),
        // Fewer units than ranks.
        "count d.csv --rows 0:3 --bins lin:0:9:2".to_owned(),
    ];
    for (k, line) in lines.iter().enumerate() {
        good(folder.alone(&format!("{line} -o alone.csv")));
        let ranks = 2 + k % 3;
        let told = good(folder.ranks(ranks, &format!("{line} -o ranks.csv")));
        assert_eq!(
            folder.bytes("ranks.csv"),
            folder.bytes("alone.csv"),
            "{ranks} ranks: {line}"
        );
        // One of them tells, and not all.
        assert_eq!(
            told.stderr.matches("result written").count(),
            1,
            "{}",
            told.stderr
        );
    }
    let line = "count d.csv --box 10 --bins lin:0:1:2";
    let told = good(folder.ranks(3, line));
    assert_eq!(told.stdout, good(folder.alone(line)).stdout);
    // What shares nothing out is done once.
    let told = good(folder.ranks(2, "info d.csv"));
    assert_eq!(told.stdout, good(folder.alone("info d.csv")).stdout);
    assert!(told.stderr.contains("rank 0 carries it out alone"));
}

/// Frames of a trajectory are counted one a rank: sums, blocks and what weights leave out are those of one process.
#[test]
fn ranks_share_the_frames_of_a_trajectory() {
    if !there_is_mpi() {
        return;
    }
    let mut rows = String::from("frame,kind,x,y,z,weight\n");
    for frame in 0..11 {
        let kept = scattered(40, 10.0, 90 + frame);
        for (k, row) in kept.lines().skip(1).enumerate() {
            let place = row.rsplit_once(',').unwrap().0;
            let kind = ["a", "b"][k % 2];
            let weight = [1.0, 0.25, 0.0, 3.0][frame as usize % 4];
            writeln!(rows, "{frame},{kind},{place},{weight}").unwrap();
        }
    }
    let folder = Folder::new().with("t.csv", &rows);
    let rdf = "rdf t.csv --box 10 --r-max 4 --n-bins 5";
    let lines = [
        rdf.to_owned(),
        format!("{rdf} --species kind --frames 1::2 --block-counts BLOCKS"),
        format!("{rdf} --species kind --block 3 --block-counts BLOCKS"),
        format!("{rdf} --frame-weights weight"),
        // Fewer frames than ranks.
        format!("{rdf} --frames 9:"),
        format!("{rdf} --lags 1"),
    ];
    let outputs = |of: &str| ["", "_blocks"].map(|kind| format!("{of}{kind}.csv"));
    for (k, line) in lines.iter().enumerate() {
        let [alone, alone_blocks] = outputs("alone");
        let line_of =
            |out: &str, blocks: &str| format!("{} -o {out}", line.replace("BLOCKS", blocks));
        good(folder.alone(&line_of(&alone, &alone_blocks)));
        for ranks in [2 + k % 3, 4 - k % 2] {
            let [out, blocks] = outputs("ranks");
            good(folder.ranks(ranks, &line_of(&out, &blocks)));
            assert_eq!(
                folder.bytes(&out),
                folder.bytes(&alone),
                "{ranks} ranks: {line}"
            );
            if line.contains("BLOCKS") {
                assert_eq!(folder.bytes(&blocks), folder.bytes(&alone_blocks), "{line}");
            }
        }
        if line.contains("weight") {
            let record = String::from_utf8(folder.bytes("ranks.csv.json")).unwrap();
            assert!(record.contains("\"frames_of_weight_0\":3,"), "{record}");
        }
    }
    fails(
        &folder,
        folder.ranks(2, &format!("{rdf} --checkpoint kept -o no.csv")),
        "--checkpoint of a trajectory is for one process",
        &[2],
    );
}

#[test]
fn parts_and_checkpoints_by_ranks() {
    if !there_is_mpi() {
        return;
    }
    let folder = catalogs();
    let line = format!("xi d.csv --randoms r.csv {SURVEY}");
    good(folder.alone(&format!("{line} -o alone.csv")));
    good(folder.ranks(2, &format!("{line} --shard 0/2 --part 0.alb")));
    good(folder.alone(&format!("{line} --shard 1/2 --part 1.alb")));
    good(folder.alone("merge 1.alb 0.alb -o merged.csv"));
    assert_eq!(folder.bytes("merged.csv"), folder.bytes("alone.csv"));
    // Two ranks begin, three go on where they were, and one finds that all is done.
    let kept = format!("{line} --checkpoint kept --checkpoint-every 0");
    good(folder.ranks(2, &format!("{kept} -o kept.csv")));
    std::fs::remove_file(folder.path("kept/all.1.1.part")).unwrap();
    let told = good(folder.ranks(3, &format!("{kept} -o again.csv")));
    assert!(
        told.stderr.contains("units were counted before"),
        "{}",
        told.stderr
    );
    good(folder.alone(&format!("{kept} -o alone_again.csv")));
    for name in ["kept.csv", "again.csv", "alone_again.csv"] {
        assert_eq!(folder.bytes(name), folder.bytes("alone.csv"), "{name}");
    }
}

/// The mocks of a job are made one a rank, what has one catalogue by all ranks, and what goes on from them afterwards.
#[test]
fn ranks_share_the_measurements_of_a_job() {
    if !there_is_mpi() {
        return;
    }
    let job = |out: &str| {
        format!(
            "box = 10\n[sweep]\nmock = [\"d\", \"r\", \"e\", \"f\"]\n\
             [xi.mocks]\ndata = \"{{mock}}.csv\"\nbins = \"lin:0.1:1:3\"\noutput = \"{out}_{{mock}}.csv\"\n\
             [wp.mocks]\ndata = \"{{mock}}.csv\"\nbins = \"lin:0.1:1:2\"\npi-bins = \"lin:0:2:2\"\noutput = \"{out}_wp_{{mock}}.csv\"\n\
             [count.one]\ndata = \"d.csv\"\nbins = \"lin:0:1:3\"\noutput = \"{out}_one.csv\"\n\
             [result.covariance.mocks]\nresults = \"{out}_{{mock:all}}.csv\"\noutput = \"{out}_covariance.csv\"\n"
        )
    };
    let folder = catalogs()
        .with("e.csv", &scattered(900, 10.0, 7))
        .with("f.csv", &scattered(1000, 10.0, 8))
        .with("alone.toml", &job("alone"))
        .with("ranks.toml", &job("ranks"))
        .with(
            "single.toml",
            "[count.one]\ndata = \"d.csv\"\nbins = \"lin:0:1:3\"\noutput = \"single.csv\"\n",
        );
    good(folder.alone("run alone.toml"));
    for ranks in [2, 3] {
        let told = good(folder.ranks(ranks, "run ranks.toml --again"));
        // Rank 0 tells of what it makes itself.
        let own = told.stderr.matches(" of 10: [").count();
        assert!((1..10).contains(&own), "{}", told.stderr);
        let mocks = ["d", "r", "e", "f", "wp_d", "wp_r", "wp_e", "wp_f"];
        for name in mocks.iter().chain(&["one", "covariance"]) {
            let [one, other] =
                ["alone", "ranks"].map(|of| folder.bytes(&format!("{of}_{name}.csv")));
            assert_eq!(one, other, "{ranks} ranks: {name}");
        }
    }
    let told = good(folder.ranks(2, "run ranks.toml"));
    assert!(
        told.stderr.contains("10 of 10 were done already"),
        "{}",
        told.stderr
    );
    // One catalogue: all ranks share its pairs.
    good(folder.ranks(2, "run single.toml"));
    good(folder.alone("count d.csv --bins lin:0:1:3 -o direct.csv"));
    assert_eq!(folder.bytes("single.csv"), folder.bytes("direct.csv"));
}

/// Asserts that a job ends soon, with one line that says what is expected, and writes nothing.
fn fails(folder: &Folder, command: Command, expected: &str, codes: &[i32]) {
    let told = run(command);
    let errors = told.errors();
    assert_eq!(errors.len(), 1, "{expected}: {}", told.stderr);
    assert!(errors[0].contains(expected), "{expected}: {}", errors[0]);
    let node = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let place = format!(" on {}: ", node.trim());
    let named = errors[0].starts_with("error: rank ") && errors[0].contains(&place);
    // Words that no rank understands are refused before there are ranks.
    let before = errors[0].starts_with("error: --");
    assert!(named || before, "{place}: {}", errors[0]);
    assert!(
        told.code.is_some_and(|code| codes.contains(&code)),
        "{:?}: {}",
        told.code,
        told.stderr
    );
    assert!(
        told.time < Duration::from_secs(10),
        "{expected}: {:?}",
        told.time
    );
    assert!(!folder.path("no.csv").exists());
}

#[test]
fn what_goes_wrong_on_one_rank_ends_all() {
    if !there_is_mpi() {
        return;
    }
    let program = env!("CARGO_BIN_EXE_albireo-mpi");
    let folder = catalogs()
        .with("nan.csv", "x,y,z\n1,2,3\n4,NaN,6\n")
        .with("a/d.csv", &scattered(300, 10.0, 5))
        .with("b/d.csv", &scattered(300, 10.0, 6))
        .with("c/none.csv", "");
    let count = "count d.csv --bins lin:0:1:2 -o no.csv";
    let all = |line: &str| folder.ranks(3, line);
    fails(
        &folder,
        all("count nan.csv --bins lin:0:1:2 -o no.csv"),
        "nan.csv",
        &[1],
    );
    fails(
        &folder,
        all("count gone.csv --bins lin:0:1:2 -o no.csv"),
        "gone.csv",
        &[1, 2],
    );
    fails(
        &folder,
        all("count d.csv --bins lin:0:1:2 --shard 3/3 --part p"),
        "2/3",
        &[2],
    );
    let mut without_gpu = all(&format!("{count} --engine cuda"));
    without_gpu.env("CUDA_VISIBLE_DEVICES", "");
    fails(&folder, without_gpu, "--engine cuda", &[1]);
    // Ranks in folders of their own: one lacks the file, one has another.
    let words = |folders: [&str; 2], last: &str| {
        let mut words: Vec<String> = Vec::new();
        for (k, place) in folders.into_iter().enumerate() {
            if k > 0 {
                words.push(":".into());
            }
            let place = folder.path(place).display().to_string();
            words.extend(["-n", "1", "-wdir", &place, program].map(str::to_owned));
            words.extend(count.split(' ').map(str::to_owned));
            if k > 0 && !last.is_empty() {
                words.extend(last.split(' ').map(str::to_owned));
            }
        }
        words
    };
    let job = |folders: [&str; 2], last: &str| {
        let words = words(folders, last);
        folder.mpirun(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    fails(&folder, job(["a", "c"], ""), "d.csv", &[1, 2]);
    fails(&folder, job(["c", "a"], ""), "d.csv", &[1, 2]);
    fails(
        &folder,
        job(["a", "b"], ""),
        "rank 1 has read other particles",
        &[1],
    );
    let other = "rank 1 was called with other options than rank 0";
    fails(&folder, job(["a", "a"], "--threads 1"), other, &[2]);
    for place in ["a", "b", "c"] {
        assert!(!folder.path(place).join("no.csv").exists());
    }
}

#[test]
fn a_panic_of_one_rank_ends_all() {
    if !there_is_mpi() {
        return;
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_albireo-mpi"));
    let program = program.with_file_name("examples").join("panics");
    let folder = Folder::new();
    for word in ["main", "thread"] {
        let command = folder.mpirun(&["-n", "3", program.to_str().unwrap(), word]);
        fails(
            &folder,
            command,
            "a mistake of albireo-mpi, please report it: on purpose",
            &[1],
        );
    }
}

/// The processes of a job by the folder that they run in.
fn ranks_in(folder: &Folder) -> Vec<u32> {
    let place = folder.path(".").canonicalize().unwrap();
    let found = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            let here = std::fs::read_link(path.join("cwd")).ok()? == place;
            let program = std::fs::read_link(path.join("exe")).ok()?;
            let is_rank = program.file_name()?.to_str()?.starts_with("albireo-mpi");
            let id = path.file_name()?.to_str()?.parse().ok()?;
            (here && is_rank).then_some(id)
        });
    found.collect()
}

/// The files in memory that a process has mapped, by their number, and how many kilobytes of them it has seen.
#[cfg(target_os = "linux")]
fn mapped(id: u32) -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps")).unwrap_or_default();
    let (mut found, mut file) = (BTreeMap::new(), None);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [_, _, _, _, inode, path, ..] => {
                file = path.contains("memfd:albireo").then(|| inode.to_owned());
            }
            ["Rss:", size, _] => {
                if let Some(file) = file.take() {
                    *found.entry(file).or_default() += size.parse::<u64>().unwrap();
                }
            }
            _ => {}
        }
    }
    found
}

/// How many bytes a process has read.
#[cfg(target_os = "linux")]
fn bytes_read(id: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/io")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("rchar:"));
    line.unwrap().trim().parse().unwrap()
}

/// Coordinates, weights, sorted positions, offsets and scaled weights lie in files in memory that all ranks of the node see, and of which
/// one of them has read the samples.
#[cfg(target_os = "linux")]
#[test]
fn ranks_of_a_node_hold_one_copy() {
    if !there_is_mpi() {
        return;
    }
    let n = 30_000;
    let folder = Folder::new().with("d.csv", &scattered(n, 10.0, 5));
    let line = "count d.csv --weight w --bins lin:0:9:30 --mean-separation --threads 1 --isa portable -o d.out.csv";
    let mut child = Ended(folder.ranks(3, line).spawn().unwrap());
    let mut seen: Vec<BTreeMap<String, u64>> = vec![];
    while child.0.try_wait().unwrap().is_none() {
        seen = ranks_in(&folder).into_iter().map(mapped).collect();
        // x, y, z, w, slots, offsets and w in slots.
        if seen.len() == 3 && seen.iter().all(|files| files.len() == 7) {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let length = folder.path("d.csv").metadata().unwrap().len();
    let read: Vec<u64> = ranks_in(&folder).into_iter().map(bytes_read).collect();
    let all = read.iter().filter(|&&bytes| bytes >= length).count();
    assert_eq!(all, 1, "{read:?} of {length}");
    for id in ranks_in(&folder) {
        let id = id.to_string();
        let _ = Command::new("kill").args(["-KILL", &id]).status();
    }
    assert_eq!(seen.len(), 3);
    let files = |rank: usize| seen[rank].keys().collect::<Vec<_>>();
    assert_eq!(files(0).len(), 7);
    assert!(files(1) == files(0) && files(2) == files(0), "{seen:?}");
    let size: u64 = seen[0].values().sum();
    assert!(
        1024 * size >= n * (4 * 8 + 32 + 12),
        "{size} kB of {n} points"
    );
}

fn checkpoints(folder: &Folder) -> usize {
    let entries = std::fs::read_dir(folder.path("kept"));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "part"))
        .count()
}

/// A job that has just written its first checkpoint, how many there were before, and its ranks; none where it has ended.
fn at_work(folder: &Folder, ranks: usize, line: &str) -> (Ended, usize, Vec<u32>) {
    let before = checkpoints(folder);
    let mut child = Ended(folder.ranks(ranks, line).spawn().unwrap());
    while checkpoints(folder) == before && child.0.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    (child, before, ranks_in(folder))
}

/// Removes what a job that came to its end has left, which is what one process makes.
fn begin_anew(folder: &Folder) {
    assert_eq!(folder.bytes("kept.csv"), folder.bytes("alone.csv"));
    std::fs::remove_file(folder.path("kept.csv")).unwrap();
    std::fs::remove_dir_all(folder.path("kept")).unwrap();
}

/// Ends ranks one way or another at their first checkpoint, and goes on with another number of them.
#[test]
fn jobs_that_were_killed_go_on() {
    if !there_is_mpi() {
        return;
    }
    let folder = Folder::new()
        .with("d.csv", &scattered(15_000, 10.0, 5))
        .with("r.csv", &scattered(15_000, 10.0, 6));
    let line = "count d.csv r.csv --weight w --bins lin:0:9:30 --mean-separation --threads 1 --isa portable";
    good(folder.alone(&format!("{line} -o alone.csv")));
    let kept = format!("{line} --checkpoint kept --checkpoint-every 0 -o kept.csv");
    for (ranks, whom) in [(2, "rank"), (3, "mpirun"), (2, "stop")] {
        let mut job = at_work(&folder, ranks, &kept);
        while job.2.is_empty() {
            // What mpirun left behind had counted everything.
            assert!(job.0.0.wait().unwrap().success());
            begin_anew(&folder);
            job = at_work(&folder, ranks, &kept);
        }
        let (mut child, before, at_work) = job;
        let (signal, ids) = match whom {
            "rank" => ("-KILL", vec![*at_work.last().unwrap()]),
            "mpirun" => ("-KILL", parents(&at_work)),
            _ => ("-TERM", vec![at_work[0]]),
        };
        for id in ids {
            let sent = Command::new("kill")
                .args([signal, &id.to_string()])
                .status();
            assert!(sent.unwrap().success());
        }
        let ended = child.0.wait().unwrap();
        // What mpirun left behind ends by itself, before the next job.
        while !ranks_in(&folder).is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(checkpoints(&folder) > before, "{whom}");
        if whom == "mpirun" && folder.path("kept.csv").exists() {
            // Ranks of MPICH go on without it, to the end.
            begin_anew(&folder);
        } else {
            assert!(!ended.success(), "{whom}");
        }
        assert!(!folder.path("kept.csv").exists(), "{whom}");
    }
    let told = good(folder.ranks(4, &kept));
    assert!(
        told.stderr.contains("units were counted before"),
        "{}",
        told.stderr
    );
    assert_eq!(folder.bytes("kept.csv"), folder.bytes("alone.csv"));
}

/// What started these processes, each once.
fn parents(ids: &[u32]) -> Vec<u32> {
    let parent = |id: &u32| {
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        line.trim().parse().ok()
    };
    let mut parents: Vec<u32> = ids.iter().filter_map(parent).collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}
