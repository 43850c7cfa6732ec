//! The cases that are drawn. Each compares what several processes make with what one makes.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use albireo_catalogs::Table;

use crate::folder::{Folder, Run, Units};
use crate::random::Random;
use crate::threads::EACH_BY_ITSELF;

/// A folder with catalogues, a command, and `whole.csv`, which one process has made of it.
fn whole(drawn: &mut Random) -> Option<(Folder, String)> {
    let folder = Folder::new();
    folder.write("d.csv", &drawn.catalog());
    folder.write("r.csv", &drawn.catalog());
    std::fs::write(folder.path("h.asdf"), drawn.halos()).unwrap();
    let command = drawn.command();
    let made = folder.alone(&format!("{command} -o whole.csv"));
    let is_of_halos = command.contains("h.asdf");
    assert!(!is_of_halos || made.code == Some(0), "{}", made.stderr);
    // Few particles may leave nothing to normalise by.
    (made.code == Some(0)).then_some((folder, command))
}

fn same(folder: &Folder, name: &str, what: &str) {
    assert!(
        folder.bytes(name) == folder.bytes("whole.csv") && !folder.bytes(name).is_empty(),
        "{what}: {name} is not the whole"
    );
}

/// `unit 3`, `units 3 to 5`.
fn named([start, end]: [usize; 2]) -> String {
    match end - start {
        1 => format!("unit {start}"),
        _ => format!("units {start} to {}", end - 1),
    }
}

/// What a merge of parts that hold these units of a count says is missing, if anything is.
fn missing(parts: &[&Units]) -> Option<String> {
    let all = parts[0].all;
    let mut held = vec![false; all];
    for run in parts.iter().flat_map(|part| &part.runs) {
        held[run[0]..run[1]].fill(true);
    }
    let mut lost: Vec<[usize; 2]> = Vec::new();
    for unit in (0..all).filter(|&unit| !held[unit]) {
        match lost.last_mut() {
            Some(run) if run[1] == unit => run[1] += 1,
            _ => lost.push([unit, unit + 1]),
        }
    }
    let lost: Vec<String> = lost.into_iter().map(named).collect();
    let name = &parts[0].name;
    (!lost.is_empty()).then(|| format!("{} of {all} of {name} missing", lost.join(", ")))
}

/// What `--plan` says of the counts: their names and numbers of units.
fn planned(run: &Run, machines: usize) -> Vec<(String, usize)> {
    let mut lines = run.stdout.lines().skip(1);
    let mut rows = Vec::new();
    for line in lines.by_ref() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "reading" {
            let shared = format!("on each of {machines} machines");
            assert_eq!(line.contains(&shared), machines > 1, "{line}");
            return rows;
        }
        let near: u128 = words[2].parse().unwrap();
        assert!(near <= words[1].parse().unwrap(), "{line}");
        assert!(words[4].parse::<f64>().unwrap() >= 0.0, "{line}");
        rows.push((words[0].to_owned(), words[3].parse().unwrap()));
    }
    panic!("no plan: {}", run.stdout);
}

/// Parts by processes and ranks, merged whole, with some of them lost and with one of them twice.
pub(crate) fn parts(drawn: &mut Random) -> u64 {
    let Some((folder, command)) = whole(drawn) else {
        return 0;
    };
    let of = drawn.up_to(20);
    let names: Vec<String> = (0..of).map(|part| format!("part_{part}.alb")).collect();
    for (part, name) in names.iter().enumerate() {
        let line = format!(
            "{command} --shard {part}/{of} --part {name}{}",
            drawn.engine()
        );
        let made = if drawn.once_in(4) {
            folder.ranks(&drawn.nodes(3), &line)
        } else {
            folder.alone(&line)
        };
        made.good(&line);
    }
    let units: Vec<Vec<Units>> = names.iter().map(|name| folder.units(name)).collect();
    let machines = drawn.up_to(64);
    let plan = folder
        .alone(&format!("{command} --plan={machines}"))
        .good(&command);
    let known = units[0].iter().map(|of| (of.name.clone(), of.all));
    assert_eq!(
        planned(&plan, machines),
        known.collect::<Vec<_>>(),
        "{command}"
    );

    let merge = |parts: &[usize], flags: &str| {
        let parts: Vec<&str> = parts.iter().map(|&part| names[part].as_str()).collect();
        folder.alone(&format!("merge {} {flags} -o merged.csv", parts.join(" ")))
    };
    let mut order: Vec<usize> = (0..of).collect();
    drawn.shuffle(&mut order);
    merge(&order, "").good(&command);
    same(&folder, "merged.csv", &command);
    std::fs::remove_file(folder.path("merged.csv")).unwrap();

    // Some are lost.
    let kept = drawn.up_to(of);
    let left = &order[..kept];
    let first_lack = (0..units[0].len()).find_map(|count| {
        let parts: Vec<&Units> = left.iter().map(|&part| &units[part][count]).collect();
        missing(&parts)
    });
    let made = merge(left, "");
    if let Some(expected) = first_lack {
        made.refused(&command, &expected);
        assert!(!folder.path("merged.csv").exists());
        merge(left, "--partial");
    } else {
        made.good(&command);
        same(&folder, "merged.csv", &command);
    }
    check_partial(&folder, left, &units);

    // One is there twice.
    let twice = drawn.pick(&order);
    let copy = folder.bytes(&names[twice]);
    std::fs::write(folder.path("copy.alb"), copy).unwrap();
    let parts: Vec<&str> = order.iter().map(|&part| names[part].as_str()).collect();
    let made = folder.alone(&format!("merge {} copy.alb -o again.csv", parts.join(" ")));
    let held = units[twice].iter().find(|count| !count.runs.is_empty());
    if let Some(held) = held {
        let (run, name) = (named(held.runs[0]), &held.name);
        let by = format!("by {} and copy.alb", names[twice]);
        made.refused(&command, &format!("{run} of {name} held twice: {by}"));
    } else {
        made.good(&command);
        same(&folder, "again.csv", &command);
    }
    4
}

/// The record of a merge of these parts says how many units were counted, where there was enough of them for a result.
fn check_partial(folder: &Folder, left: &[usize], units: &[Vec<Units>]) {
    let path = folder.path("merged.csv");
    if !path.exists() {
        return;
    }
    let table = Table::read(&path).unwrap();
    for (count, of) in units[0].iter().enumerate() {
        let held = &table.meta["parts"]["counts"][&of.name];
        let runs = left.iter().flat_map(|&part| &units[part][count].runs);
        let counted: usize = runs.map(|[start, end]| end - start).sum();
        assert_eq!(held["units"], of.all, "{}", of.name);
        assert_eq!(held["units_counted"], counted, "{}", of.name);
    }
}

/// Ranks on nodes with and without common memory.
pub(crate) fn ranks(drawn: &mut Random) -> u64 {
    let Some((folder, command)) = whole(drawn) else {
        return 0;
    };
    for turn in 0..2 {
        let nodes = drawn.nodes(6);
        let line = format!("{command}{} -o ranks.csv", drawn.engine());
        folder
            .ranks(&nodes, &line)
            .good(&format!("{turn}: {nodes}: {line}"));
        same(&folder, "ranks.csv", &format!("{nodes}: {line}"));
        std::fs::remove_file(folder.path("ranks.csv")).unwrap();
    }
    2
}

/// The files of a checkpoint.
fn kept(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("kept")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with("lock")).collect();
    names.sort();
    names
}

/// Ranks that leave checkpoints, some of which are lost or there twice, and other ranks that go on from them.
pub(crate) fn checkpoints(drawn: &mut Random) -> u64 {
    let Some((folder, command)) = whole(drawn) else {
        return 0;
    };
    let flags = "--checkpoint kept --checkpoint-every 0";
    for _ in 0..2 {
        let nodes = drawn.nodes(5);
        let line = format!("{command}{} {flags} -o kept.csv", drawn.engine());
        folder
            .ranks(&nodes, &line)
            .good(&format!("{nodes}: {line}"));
        same(&folder, "kept.csv", &line);
        for name in kept(&folder) {
            if drawn.once_in(2) {
                std::fs::remove_file(folder.path("kept").join(name)).unwrap();
            }
        }
    }
    let line = format!("{command}{} {flags}", drawn.engine());
    let mut refused = 0;
    if let Some(name) = kept(&folder).first() {
        let held = folder.units(&format!("kept/{name}"));
        let held = held.iter().find(|count| !count.runs.is_empty()).unwrap();
        let copy = folder.path("kept").join("all.99.0.part");
        std::fs::copy(folder.path("kept").join(name), &copy).unwrap();
        let expected = format!("{} of {} held twice", named(held.runs[0]), held.name);
        let made = folder.ranks(&drawn.nodes(3), &format!("{line} -o no.csv"));
        made.refused(&line, &expected);
        assert!(!folder.path("no.csv").exists());
        std::fs::remove_file(copy).unwrap();
        refused = 1;
    }
    folder.alone(&format!("{line} -o alone.csv")).good(&line);
    same(&folder, "alone.csv", &line);
    3 + refused
}

/// A job of measurements of several catalogues, as many as ranks or fewer, shared out.
pub(crate) fn jobs(drawn: &mut Random) -> u64 {
    let folder = Folder::new();
    let catalogs = 1 + drawn.below(4);
    for k in 0..catalogs {
        folder.write(&format!("c{k}.csv"), &drawn.catalog());
    }
    std::fs::write(folder.path("h.asdf"), drawn.halos()).unwrap();
    let number = 1 + drawn.below(6);
    let measurements: Vec<String> = (0..number)
        .map(|k| {
            let catalog = drawn.below(catalogs);
            let reach = 0.2 + drawn.unit();
            if drawn.once_in(3) {
                let axis = drawn.pick(&["x", "y", "z"]);
                let bins = format!("bins = \"lin:0:{reach}:3\"\nmu-bins = \"lin:0:1:3\"");
                return format!(
                    "[count.m{k}]\ndata = \"h.asdf\"\nrsd = \"{axis}\"\nstatistic = \"s-mu\"\n{bins}\noutput = \"OUT_{k}.csv\"\n"
                );
            }
            let weight = if drawn.once_in(2) { "weight = \"w\"\n" } else { "" };
            format!(
                "[count.m{k}]\ndata = \"c{catalog}.csv\"\n{weight}bins = \"lin:0:{reach}:3\"\noutput = \"OUT_{k}.csv\"\n"
            )
        })
        .collect();
    let job = measurements.concat();
    folder.write("alone.toml", &job.replace("OUT", "alone"));
    folder.write("ranks.toml", &job.replace("OUT", "ranks"));
    folder.alone("run alone.toml").good(&job);
    let nodes = drawn.nodes(5);
    // Some are done before.
    folder
        .ranks(&nodes, "run ranks.toml")
        .good(&format!("{nodes}: {job}"));
    let lost = drawn.below(number);
    std::fs::remove_file(folder.path(&format!("ranks_{lost}.csv"))).unwrap();
    let nodes = drawn.nodes(5);
    folder
        .ranks(&nodes, "run ranks.toml")
        .good(&format!("{nodes}: {job}"));
    for k in 0..number {
        let [alone, ranks] = ["alone", "ranks"].map(|of| folder.bytes(&format!("{of}_{k}.csv")));
        assert!(alone == ranks && !alone.is_empty(), "{nodes}: {k} of {job}");
    }
    number as u64
}

/// Ranks of one node, whose first one fails: each of them ends, though nobody ends it.
pub(crate) fn failures() {
    let folder = Folder::new();
    folder.write("nan.csv", "x,y,z\n1,2,3\n4,NaN,6\n");
    let mut command = folder.by_ranks("0,1,0,0", "count nan.csv --bins lin:0:1:2 -o no.csv");
    command.env(EACH_BY_ITSELF, "1").stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (tell, told) = mpsc::channel();
    let errors = BufReader::new(child.stderr.take().unwrap());
    let thread = std::thread::spawn(move || {
        let mut lines = errors.lines().map_while(Result::ok);
        lines.try_for_each(|line| tell.send(line)).is_ok()
    });
    let begun = Instant::now();
    let (mut ended, mut errors) = (0, 0);
    while ended < 4 && begun.elapsed() < Duration::from_secs(30) {
        let Ok(line) = told.recv_timeout(Duration::from_millis(100)) else {
            continue;
        };
        ended += usize::from(line.ends_with("has ended"));
        errors += usize::from(line.starts_with("error: "));
        assert!(
            !line.starts_with("error: ") || line.contains("nan.csv"),
            "{line}"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(told);
    thread.join().unwrap();
    assert_eq!((ended, errors), (4, 1));
    assert!(begun.elapsed() < Duration::from_secs(20));
}
