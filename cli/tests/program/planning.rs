//! `--plan`: what a command would take, and nothing of it done.

use crate::folder::{Folder, scattered};

#[test]
fn a_job_tells_what_its_counts_would_take() {
    let job = "data = '{of}.csv'\nbins = 'lin:0:2:3'\n[sweep]\nof = ['a', 'b']\n[count.dd]\noutput = 'dd_{of}.csv'\n\
        [xi.later]\nbox = 10\ndata = 'made.csv'\noutput = 'later.csv'\nplot = 'later.png'\n\
        [xi.now]\nbox = 10\nstatistic = 's-mu'\nlos = 'z'\nmu-bins = 'lin:0:1:2'\nmultipoles = [0]\nwedges = 2\n\
        outputs = { multipoles = 'new/m_{of}.csv', wedges = 'w_{of}.csv' }\n\
        [randoms.made]\nnumber = 100\nbox = 10\noutput = 'made.csv'\n[result.sum.all]\nresults = 'dd_{of:all}.csv'\noutput = 'dd.csv'\n";
    let folder = Folder::new()
        .with("a.csv", &scattered(300, 10.0, 5))
        .with("b.csv", &scattered(300, 10.0, 6))
        .with("job.toml", job);
    folder.good("count a.csv --output dd_a.csv --bins lin:0:2:3");
    let before = folder.names();
    let run = folder.good("run job.toml --plan");
    let lines: Vec<&str> = run.stdout.lines().filter(|l| l.starts_with('[')).collect();
    assert_eq!(
        lines,
        [
            "[randoms.made]: counts no pairs",
            "[xi.later]: not known before made.csv is there",
            "[xi.now (of = a)]",
            "[count.dd (of = b)]",
            "[result.sum.all]: counts no pairs",
            "[xi.now (of = b)]"
        ],
        "{}",
        run.stdout
    );
    let last = run.stdout.lines().last().unwrap();
    assert!(last.starts_with("3 of 7 measurements: counting "), "{last}");
    assert_eq!(folder.names(), before);
}

#[test]
fn plans_tell_units_and_begin_nothing() {
    let folder = Folder::new()
        .with("d.csv", &scattered(3000, 10.0, 5))
        .with("r.csv", &scattered(2000, 10.0, 6));
    for engine in ["cpu --threads 2", "naive"] {
        let run = folder.good(&format!(
            "xi d.csv --randoms r.csv --weight w --bins lin:0:2:3 --plan=4 --engine {engine}"
        ));
        let lines: Vec<Vec<&str>> = run
            .stdout
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        for (line, name, pairs) in [
            (1, "DD", 3000 * 2999 / 2),
            (2, "DR", 3000 * 2000),
            (3, "RR", 2000 * 1999 / 2),
        ] {
            let row = &lines[line];
            assert_eq!((row[0], row[1]), (name, pairs.to_string().as_str()));
            let [near, units] = [row[2], row[3]].map(|word| word.parse::<u64>().unwrap());
            assert!(near > 0 && near <= pairs && units > 1, "{row:?}");
            assert!(row[4].parse::<f64>().unwrap() > 0.0);
        }
        assert_eq!(
            (lines[4][0], lines[4][3]),
            ("reading", "sorting"),
            "{}",
            run.stdout
        );
        assert!(
            run.stdout.contains("on each of 4 machines"),
            "{}",
            run.stdout
        );
        assert!(
            run.stdout
                .contains("few units for so many machines: 1 or fewer")
        );
    }
    assert_eq!(folder.names(), ["d.csv", "r.csv"]);
    let run = folder.run("count d.csv --bins lin:0:1:2 --plan -o dd.csv");
    assert_eq!(run.code, 2);
    let run = folder.run("count d.csv --bins lin:0:1:2 --plan=0");
    assert_eq!(run.code, 2);
}
