//! `albireo report`: the page, its size, what answers in a browser, and reports of jobs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, sample, scattered};

/// Largest page of a survey.
const MOST_BYTES: u64 = 2_000_000;

/// A survey from n(z) to wp, with regions and covariances, and a report of all of it.
fn job() -> String {
    let (data, randoms) = (
        sample("survey_galaxies.fits"),
        sample("survey_randoms.parquet"),
    );
    let settings = format!(
        "data = '{data}'\nevery = 20\nrandoms = '{randoms}'\nrandoms-every = 20\ncosmology = 'Planck18'\nregions = 12"
    );
    format!(
        "[nz.n]\ndata = '{data}'\ncosmology = 'Planck18'\narea = 2946\noutput = 'nz.csv'\n\
         [xi.r]\n{settings}\nbins = 'log:1:60:12'\ncovariance = 'cov.csv'\nregions-output = 'regions.csv'\noutput = 'xi.csv'\n\
         [xi.poles]\n{settings}\nstatistic = 's-mu'\nbins = 'lin:0:60:15'\nmu-bins = 'lin:0:1:100'\nmultipoles = '0,2,4'\n\
         counts = 'smu.csv'\ncovariance = 'poles_cov.csv'\noutput = 'poles.csv'\n\
         [wp.w]\n{settings}\nbins = 'log:0.3:20:10'\npi-bins = 'lin:0:40:40'\noutput = 'wp.csv'\n\
         [report.all]\noutput = 'report.html'\nresults = ['nz.csv', 'xi.csv', 'cov.csv', 'regions.csv', 'poles.csv', 'smu.csv', \
         'poles_cov.csv', 'wp.csv']\n"
    )
}

#[cfg(all(feature = "fits", feature = "parquet"))]
#[test]
fn a_survey_fits_a_page_and_a_job_makes_it_last() {
    let folder = Folder::new().with("job.toml", &job());
    folder.good("run job.toml");
    let page = folder.text("report.html");
    let length = page.len() as u64;
    assert!((50_000..MOST_BYTES).contains(&length), "{length} bytes");
    assert_eq!(page.matches("<section ").count(), 8);
    assert_eq!(page.matches("<figure ").count(), 8);
    for said in [
        "projected correlation function",
        "Planck18",
        "jackknife, 12 regions",
        "16091bb84b6d190e",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let again = folder.good("run job.toml").stderr;
    assert!(again.contains("done already"), "{again}");
    // A page of ours is replaced, another file is not.
    folder.good("report wp.csv -o report.html");
    std::fs::write(folder.path("report.html"), "<p>mine</p>").unwrap();
    let refused = folder.run("report wp.csv -o report.html");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    in_a_browser(&folder);
}

#[cfg(unix)]
#[test]
fn names_and_sets_of_weights_are_shown_as_they_are() {
    let folder = Folder::new().with("a.csv", &scattered(300, 10.0, 1));
    let bins = "--bins log:0.5:5:6";
    folder.good(&format!(
        "xi a.csv --box 10 {bins} --weight-set one=w --weight-set two=none -o <b>&.csv"
    ));
    folder.good("report <b>&.csv -o r.html --title A<i>B");
    let page = folder.text("r.html");
    for bad in ["<b>", "<i>"] {
        assert!(!page.contains(bad), "{bad}");
    }
    assert!(page.contains("<h1>A&lt;i>B</h1>") && page.contains("<h2>&lt;b>&amp;.csv</h2>"));
    assert!(page.contains("\"source\":\"one\"") && page.contains("\"source\":\"two\""));
}

/// What a browser finds out on the page: what answers keys in each figure, what its switches change, and whether all of it fits the window.
const PROBE: &str = r#"<script>
addEventListener("load", () => setTimeout(() => {
  const found = [];
  const press = (root, key) => root.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
  for (const figure of document.querySelectorAll("figure")) {
    const root = figure.querySelector("svg[tabindex]");
    const tip = figure.querySelector("output");
    root.focus();
    const first = tip.textContent;
    press(root, "ArrowRight");
    const moved = tip.textContent !== first && !tip.hidden;
    press(root, "Escape");
    const hidden = tip.hidden;
    const texts = () => [...root.querySelectorAll("text")].map((text) => text.textContent).join(" ");
    const before = texts();
    const lines = () => root.querySelectorAll("path[stroke='var(--curve-1)']").length;
    const [axes, curves] = figure.querySelectorAll(".switches");
    const log = axes?.querySelector("input");
    log?.click();
    const switched = !log || texts() !== before;
    log?.click();
    const back = texts() === before;
    const all = lines();
    curves?.querySelectorAll("input")[1]?.click();
    const off = !curves || (all > 0 && lines() === 0);
    found.push([first.replaceAll("\n", "; "), moved, hidden, switched, back, off].join("|"));
  }
  const fits = document.documentElement.scrollWidth <= innerWidth;
  const list = document.createElement("pre");
  list.id = "probe";
  list.textContent = [`fits ${fits}`, ...found].join("\n").replace(/</g, "(");
  document.body.append(list);
}, 200));
</script>"#;

/// A browser, where there is one.
fn browser() -> Option<PathBuf> {
    let asked = std::env::var_os("ALBIREO_CHROMIUM").map(PathBuf::from);
    let usual = ["chromium", "chromium-browser", "google-chrome"];
    let usual = usual.map(|name| Path::new("/usr/bin").join(name));
    asked.into_iter().chain(usual).find(|path| path.is_file())
}

/// Has a browser open a page, with these flags; returns what it printed and what it logged.
fn opened(browser: &Path, folder: &Folder, name: &str, flags: &[&str]) -> [String; 2] {
    let [printed, logged] = ["printed.txt", "logged.txt"].map(|name| folder.path(name));
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000"])
        .arg(format!(
            "--user-data-dir={}",
            folder.path("profile").display()
        ))
        .args(flags)
        .arg(format!("file://{}", folder.path(name).display()))
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&printed).unwrap())
        .stderr(std::fs::File::create(&logged).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(180) {
            child.kill().unwrap();
            panic!("the browser does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    [printed, logged].map(|path| std::fs::read_to_string(path).unwrap())
}

/// Opens the report of a survey, wide and narrow, dark and light.
#[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
fn in_a_browser(folder: &Folder) {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium in /usr/bin, and ALBIREO_CHROMIUM names none");
        return;
    };
    folder.good("run job.toml --overwrite");
    let page = folder.text("report.html");
    std::fs::write(folder.path("probed.html"), format!("{page}{PROBE}")).unwrap();
    for (width, scheme) in [(1200, 0), (480, 1)] {
        let window = format!("--window-size={width},900");
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        let flags = [window.as_str(), scheme.as_str(), "--dump-dom"];
        let [dom, logged] = opened(&browser, folder, "probed.html", &flags);
        assert!(!logged.contains("CONSOLE"), "{width}: {logged}");
        let probe = dom
            .split("<pre id=\"probe\">")
            .nth(1)
            .expect("the probe ran");
        let lines: Vec<&str> = probe.split("</pre>").next().unwrap().lines().collect();
        assert_eq!(lines[0], "fits true", "{width}");
        assert_eq!(lines.len(), 9, "{lines:?}");
        for line in &lines[1..] {
            let says: Vec<&str> = line.rsplitn(6, '|').collect();
            assert!(
                says[..5].iter().all(|held| *held == "true"),
                "{width}: {line}"
            );
            assert!(!says[5].is_empty(), "{width}: {line}");
        }
        let picture = folder.path(&format!("{width}.png"));
        let picture = format!("--screenshot={}", picture.display());
        opened(&browser, folder, "report.html", &[&window, &picture]);
        let bytes = folder.bytes(&format!("{width}.png"));
        assert!(bytes.len() > 20_000, "{} bytes", bytes.len());
    }
}
