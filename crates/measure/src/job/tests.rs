use clap::CommandFactory;

use super::*;

fn lines(text: &str) -> Vec<String> {
    let mut program = crate::Cli::command();
    program.build();
    let job = Job::parse(text, &program).unwrap();
    let words = |made: &Measurement| {
        let words = made.arguments.iter().map(|word| word.to_str().unwrap());
        words.collect::<Vec<_>>().join(" ")
    };
    job.measurements.iter().map(words).collect()
}

fn refusal(text: &str) -> String {
    let mut program = crate::Cli::command();
    program.build();
    Job::parse(text, &program).unwrap_err().to_string()
}

#[test]
fn measurements_take_what_is_shared_and_their_own() {
    let text = r#"
        data = "g.fits"
        weight = "W"
        mu-bins = "lin:0:1:20"
        [xi]
        bins = [0.1, 1, 10]
        [xi.poles]
        statistic = "s-mu"
        multipoles = [0, 2, 4]
        mean-separation = true
        wrap = false
        output = "a.csv"
        [xi.fine]
        bins = "lin:0:1:7"
        weight = "none"
        [wp]
        bins = "log:0.1:20:14"
        pi-bins = "lin:-40:40:40"
        regions = 4
        jackknife = true
        [wp.weighted]
        jackknife = "mohammad-percival"
    "#;
    assert_eq!(
        lines(text),
        [
            "albireo xi g.fits --statistic s-mu --multipoles 0,2,4 --mean-separation --output a.csv --bins edges:0.1,1,10 \
             --weight W --mu-bins lin:0:1:20",
            "albireo xi g.fits --bins lin:0:1:7 --weight none --mu-bins lin:0:1:20",
            "albireo wp g.fits --jackknife=mohammad-percival --bins log:0.1:20:14 --pi-bins lin:-40:40:40 --regions 4 --weight W",
        ]
    );
}

#[test]
fn sweeps_are_measured_at_every_point_and_what_they_leave_alone_once() {
    let text = r#"
        data = "{cap}_{mock}.fits"
        [sweep]
        cap = ["N", "S"]
        mock = "1:5:2"
        [rdf]
        r-max = 5
        n-bins = 10
        output = "{cap}{mock}.csv"
        [rdf.whole]
        [count.fixed]
        data = "all.fits"
        bins = "lin:0:1:2"
        [plot.both]
        results = ["N1.csv", "S1.csv"]
        output = "both.png"
        [randoms.box]
        number = 10
        box = 5
        output = "r.csv"
    "#;
    let mut lines = lines(text);
    assert_eq!(lines.len(), 2 * 3 + 3);
    assert_eq!(
        lines.remove(0),
        "albireo randoms --number 10 --box 5 --output r.csv"
    );
    assert_eq!(
        lines[0],
        "albireo rdf N_1.fits --r-max 5 --n-bins 10 --output N1.csv"
    );
    assert_eq!(
        lines[6],
        "albireo rdf S_5.fits --r-max 5 --n-bins 10 --output S5.csv"
    );
    assert_eq!(lines[1], "albireo count all.fits --bins lin:0:1:2");
    assert_eq!(lines[7], "albireo plot N1.csv S1.csv --output both.png");
}

#[test]
fn measurements_wait_for_the_files_that_they_read() {
    let text = r#"
        [plot.mean]
        results = "mean.csv"
        output = "mean.png"
        [result.covariance]
        results = "xi/{mock:all}_{bin:all}.csv"
        output = "cov.csv"
        mean = "./mean.csv"
        [result.slice.near]
        result = "all.csv"
        range = "0:2"
        output = "near.csv"
        [result.sum]
        results = ["dd_*.csv"]
        output = "all.csv"
        [sweep]
        mock = "1:2"
        bin = ["a", "b"]
        [xi.each]
        data = "m_{mock}.csv"
        bins = "@{bin}.txt"
        output = "xi/{mock}_{bin}.csv"
        brief = false
        [count.each]
        data = "m_{mock}.csv"
        bins = "lin:0:2:2"
        output = "dd_{mock}.csv"
        [randoms.each]
        box = 5
        number = 9
        output = "m_{mock}.csv"
    "#;
    let lines = lines(text);
    let starts: Vec<_> = lines
        .iter()
        .map(|line| {
            line.split(' ')
                .take(3)
                .skip(1)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let at = |start: &str| starts.iter().position(|other| other == start).unwrap();
    assert_eq!(lines.len(), 2 + 4 + 2 + 3 + 1, "{lines:#?}");
    assert_eq!(starts[..2], ["randoms --box", "randoms --box"]);
    assert!(at("result sum") < at("result slice"), "{lines:#?}");
    assert!(starts.iter().rposition(|start| start.starts_with("count")) < Some(at("result sum")));
    assert_eq!(starts.last().unwrap(), "plot mean.csv");
    assert_eq!(
        lines[at("result covariance")],
        "albireo result covariance xi/1_a.csv xi/1_b.csv xi/2_a.csv xi/2_b.csv --output cov.csv --mean ./mean.csv"
    );
}

/// What the command lines of a job have after the name of the program.
const CAPS: &str = r#"
    data = "{lss}/LRG_{cap}.csv"
    where = "Z >= {z.lo} && Z < {z.hi}"
    bins = "lin:0:4:4"
    [set]
    lss = "v{version}"
    version = 1.5
    name = "{part}_{z.lo}-{z.hi}"
    [sweep]
    cap = ["N", "S"]
    z = [{ lo = 0.4, hi = 0.6 }, { lo = "0.6", hi = 1 }]
    by = [1, 4]
    part = ["N", "S", "both"]
    [xi.each]
    output = "all_{name, part = cap}.csv"
    [result.combine.caps]
    results = "all_{name, part = cap:all}.csv"
    output = "all_{name, part = both}.csv"
    [result.rebin.coarse]
    result = "all_{name}.csv"
    by = "{by}"
    output = "{name}_{by}.csv"
"#;

#[test]
fn names_stand_for_texts_and_linked_values_vary_together() {
    let lines = lines(CAPS);
    // xi: 2 caps and 2 redshift bins; combine: these bins; rebin: 3 parts of 2 bins by 2 numbers.
    assert_eq!(lines.len(), 4 + 2 + 12, "{lines:#?}");
    assert_eq!(
        lines[0],
        "albireo xi v1.5/LRG_N.csv --output all_N_0.4-0.6.csv --where Z >= 0.4 && Z < 0.6 --bins lin:0:4:4"
    );
    let line = "albireo result combine all_N_0.6-1.csv all_S_0.6-1.csv --output all_both_0.6-1.csv";
    assert!(lines.iter().any(|other| other == line), "{lines:#?}");
    let line = "albireo result rebin all_both_0.4-0.6.csv --by 4 --output both_0.4-0.6_4.csv";
    assert!(lines.iter().any(|other| other == line), "{lines:#?}");
    let linked = "[sweep]\nz = [{a=1, b=2}, {a=3, b=4}]\nc = ['x', 'y']\n\
        [result.sum.s]\nresults = '{c}/{z.a:all}_{c}_{z.b:all}'\noutput = '{c}.csv'";
    assert_eq!(
        self::lines(linked)[1],
        "albireo result sum y/1_y_2 y/3_y_4 --output y.csv"
    );
}

#[test]
fn the_first_form_of_an_input_that_is_there_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("g_1.h5"), "").unwrap();
    let text = format!(
        "[xi.a]\ndata = '{0}/g_[0-4].{{fits|h5}}'\nbins = 'lin:0:1:2'\noutput = '{0}/xi.json'\n\
         [plot.b]\nresults = '{0}/xi.{{csv|json}}'\noutput = '{0}/xi.png'",
        folder.path().display()
    );
    let lines = lines(&text);
    assert!(lines[0].contains(&at("g_[0-4].h5 ")), "{lines:?}");
    assert!(lines[1].contains(&at("xi.json ")), "{lines:?}");
    let refusal = refusal("[xi.a]\ndata = 'none.{fits|h5}'\nbins = 'lin:0:1:2'");
    assert_eq!(
        refusal,
        "line 1: [xi.a]: none of these files is there: none.fits, none.h5"
    );
}

#[test]
fn names_and_linked_values_are_refused_with_their_line() {
    let with = |line: &str, other: &str| refusal(&CAPS.replace(line, other));
    for (line, other, expected) in [
        (
            "part = both",
            "part = bth",
            "`bth` is neither another axis of [sweep] nor a value of `part` (N, S, both)",
        ),
        (
            "part = both",
            "prt = both",
            "`name` is `{part}_{z.lo}-{z.hi}`, without an axis `prt`",
        ),
        (
            "{name, part = both}",
            "{nme, part = both}",
            "{nme, part = both}: there is no `nme` in [set]",
        ),
        (
            "version = 1.5",
            "version = '{lss}'",
            "the text of `lss` holds itself",
        ),
        (
            "version = 1.5",
            "version = true",
            "version: expected a text or a number in [set]",
        ),
        (
            "version = 1.5",
            "version = 1.5\ncap = 1",
            "cap: [set] and [sweep] both have it",
        ),
        (
            "version = 1.5",
            "version = 1.5\nother = 1",
            "no measurement of this job uses `other` of [set]: write {other}",
        ),
        (
            "Z < {z.hi}",
            "Z < {z.high}",
            "there is no {z.high}: expected {z.lo} or {z.hi}",
        ),
        (
            "Z < {z.hi}",
            "Z < {z}",
            "there is no {z}: expected {z.lo} or {z.hi}",
        ),
        (
            "lo = \"0.6\", hi = 1",
            "lo = 0.6",
            "z: every value has the same keys in the same order: expected lo, hi, found lo",
        ),
        (
            "lo = \"0.6\", hi = 1",
            "lo = [1], hi = 1",
            "z: expected a list of texts, numbers or tables of them",
        ),
    ] {
        let found = with(line, other);
        assert!(
            found.starts_with("line ") && found.contains(expected),
            "{other}: {found}"
        );
    }
}

#[test]
fn one_line_tells_of_a_result_that_a_file_holds() {
    let brief = |settings: &str| {
        let mut program = crate::Cli::command();
        program.build();
        let text = format!("[xi.a]\ndata = 'a'\nbins = 'lin:0:1:2'\n{settings}");
        Job::parse(&text, &program).unwrap().measurements[0].brief
    };
    assert!(brief("output = 'a-b.csv'"));
    assert!(!brief("output = '-'"));
    assert!(!brief(""));
    assert!(!brief("output = 'a.csv'\nbrief = false"));
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of mistakes")]
fn mistakes_are_told_with_their_line() {
    for (text, words) in [
        (
            "[result]\nresults = 'a'",
            "line 2: there is no table [result.results]: expected one of [result.concatenate], [result.covariance], ",
        ),
        (
            "[result.covar]\nresults = 'a'",
            "line 1: there is no table [result.covar]",
        ),
        (
            "[result.sum.all]\nmean = 'a'",
            "line 2: result sum has no key `mean`: `albireo result sum --help` lists all flags",
        ),
        (
            "[result.sum]\nresults = '{mock:all}.csv'",
            "line 2: `{mock:all}.csv`: there is no `mock` in [sweep]",
        ),
        (
            "[result.sum.a]\nresults = ['b.csv']\noutput = 'a.csv'\n[result.sum.b]\nresults = ['a.csv']\noutput = 'b.csv'",
            "line 1: [result.sum.a] needs a file that [result.sum.b] writes, which waits for it in turn",
        ),
        (
            "[result.sum.a]\nresults = ['?.csv']\noutput = 'a.csv'",
            "line 1: [result.sum.a] reads a file that it writes",
        ),
        ("data = ", "line 1"),
        ("data = 'a'\ndata = 'b'", "line 2"),
        ("data = 'a.csv'", "nothing to measure"),
        ("[xy]\nbins = 'a'", "line 1: there is no table [xy]"),
        ("[devices.a]", "there is no table [devices]"),
        (
            "[xi.a]\nbinz = 3",
            "line 2: xi has no key `binz`: did you mean bins?",
        ),
        (
            "[md.a]\ntemprature = 1",
            "line 2: md has no key `temprature`: did you mean temperature?",
        ),
        (
            "[xi.a]\nells = 2",
            "line 2: xi has no key `ells`: use multipoles",
        ),
        (
            "[rdf.a]\nn_bins = 2",
            "line 2: rdf has no key `n_bins`: use n-bins",
        ),
        (
            "[count.a]\nfile = 'a'",
            "line 2: count has no key `file`: use data",
        ),
        (
            "nthreads = 2\n[xi.a]",
            "has the key `nthreads`: use threads",
        ),
        ("[xi.a]\nverbose = 2", "line 2: xi has no key `verbose`"),
        (
            "pi-bins = 'lin:0:1:2'\n[xi.a]\n[rdf.b]\nwrong = 1",
            "line 4: rdf has no key `wrong`",
        ),
        (
            "wrong = 1\n[xi.a]",
            "line 1: no measurement of this job has the key `wrong`",
        ),
        (
            "[xi.a]\nbins = true",
            "line 2: bins: expected a value, found true",
        ),
        (
            "[xi.a]\nwrap = 'yes'",
            "line 2: wrap: expected true or false",
        ),
        ("[xi.a]\nbins = {lo = 1}", "line 2: bins: expected a text"),
        ("[xi.a]\nbins = 1979-05-27", "line 2: bins: expected a text"),
        (
            "[xi.a]\noutput = '{cap}.csv'",
            "line 2: `{cap}.csv`: there is no `cap` in [sweep]",
        ),
        ("[sweep]\nmock = 3\n[xi.a]", "line 2: mock: expected a list"),
        (
            "[sweep]\nmock = '5:1'\n[xi.a]",
            "line 2: mock: expected a list",
        ),
        (
            "[sweep]\nmock = []\n[xi.a]",
            "line 2: mock: expected a list",
        ),
        (
            "[xi.a]\noutput='a.csv'\n[xi.b]\nwrap=true\noutput='a.csv'",
            "line 3: [xi.a] and [xi.b] both write a.csv",
        ),
        (
            "[rdf.a]\nstructure='s.csv'\n[rdf.b]\np-of-r='s.csv'",
            "line 3: [rdf.a] and [rdf.b] both write s.csv",
        ),
        (
            "[rdf.a]\noutput='./s.csv'\n[rdf.b]\ntotal-g='s.csv'",
            "line 3: [rdf.a] and [rdf.b] both write s.csv",
        ),
        (
            "[rdf.a]\ncheckpoint='ck'\n[rdf.b]\ncheckpoint='ck'\nnorm='gc'",
            "line 3: [rdf.a] and [rdf.b] both write ck",
        ),
        (
            "[sweep]\nn='1:2'\nm='1:2'\n[xi.a]\ndata='{n}'\noutput='{n}.csv'",
            "line 3: no measurement of this job uses the axis `m` of [sweep]: write {m} where",
        ),
        (
            "[sweep]\nn='1:2'\n[xi.a]\ndata='{n}'\noutput='a.csv'",
            "both write a.csv",
        ),
    ] {
        let refusal = refusal(text);
        assert!(refusal.contains(words), "{text:?}: {refusal}");
        assert!(!refusal.contains('\n'), "{refusal}");
    }
}

#[test]
fn keys_of_the_variants_of_a_tracer_are_flags() {
    let mut program = crate::Cli::command();
    program.build();
    let result = program.find_subcommand("result").unwrap();
    let operations = ["estimate", "combine"].map(|name| result.find_subcommand(name));
    let commands = operations
        .into_iter()
        .chain([program.find_subcommand("xi")]);
    let commands: Vec<&Command> = commands.flatten().collect();
    let variants = include_str!("../commands/desi.toml")
        .split("# Variants")
        .nth(1);
    let lines = variants
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("# "));
    let mut table = "";
    // Keys of [sweep] name axes.
    let keys = lines.filter_map(|line| {
        if line.starts_with('[') {
            table = line;
        }
        let (key, _) = line.split_once(" = ")?;
        (table != "[sweep]").then_some(key)
    });
    let keys: Vec<&str> = keys.filter(|key| !key.contains(' ')).collect();
    assert!(keys.len() > 30, "{keys:?}");
    for key in keys {
        let is_flag = |command: &&Command| flags_of(command).find(key).is_some();
        assert!(commands.iter().any(is_flag), "{key}");
    }
}

#[test]
fn every_key_is_listed_with_its_table() {
    let mut program = crate::Cli::command();
    program.build();
    let text = listed(&program);
    assert!(
        text.lines()
            .all(|line| line.is_empty() || line.starts_with('#'))
    );
    let tables: Vec<&str> = text.split("\n#\n# [").skip(1).collect();
    let commands = MEASUREMENTS.iter().map(|name| (*name).to_owned());
    let commands: Vec<String> = commands.collect();
    assert!(tables[0].starts_with("xi.NAME]") && tables.len() > commands.len() + 5);
    for table in tables {
        let (name, keys) = table.split_once(".NAME]").unwrap();
        let mut command = &program;
        for word in name.split('.') {
            command = command.find_subcommand(word).unwrap();
        }
        let flags = flags_of(command);
        for key in flags.names() {
            let word = |other: &str| other.trim_end_matches(',') == key;
            let hidden = flags.find(key).unwrap().is_hide_set();
            assert!(hidden || keys.split_whitespace().any(word), "{name}: {key}");
        }
    }
}
