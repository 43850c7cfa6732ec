//! Figures of covariances: errors beside those of a reference, and how the noise falls.

use super::measured;

const COVARIANCE: &str = "covariance smu.csv --randoms r.csv --xi-theory xi.txt --cloud 4";

#[test]
fn errors_and_noise_stand_beside_the_matrix() {
    let folder = measured("");
    let poles = format!("{COVARIANCE} --multipoles 0,2");
    folder.good(&format!("{poles} --rounds 20 -o mocks.csv"));
    folder.good(&format!(
        "{poles} --rounds 16 --tune mocks.csv -o cov.json --plot cov.svg"
    ));
    let errors = &folder.table("cov.json").meta["errors"];
    assert_eq!(
        errors["noise_after"]["rounds"],
        serde_json::json!([4, 8, 16])
    );
    let noise: Vec<f64> = errors["noise_after"]["noise"]
        .as_array()
        .unwrap()
        .iter()
        .map(|noise| noise.as_f64().unwrap())
        .collect();
    assert_eq!(Some(noise[2]), errors["noise"].as_f64());
    assert!(noise[0] > noise[2], "{noise:?}");
    assert_eq!(errors["tuned"]["errors"].as_array().unwrap().len(), 4);
    let drawn = folder.text("cov.svg");
    for part in ["noise R", "1/sqrt(rounds)", "reference", "error"] {
        assert!(drawn.contains(part), "{part}");
    }
    folder.good("plot cov.json --beside mocks.csv -o beside.svg");
    assert!(folder.text("beside.svg").contains("mocks.csv"));
    // Without groups of rounds there is the matrix alone.
    folder.good(&format!("{poles} --rounds 4 -o few.json --plot few.svg"));
    assert!(!folder.text("few.svg").contains("rounds"));
    for (command, message) in [
        (
            "plot smu.csv --beside mocks.csv -o p.svg",
            "--beside mocks.csv: expected one covariance, and RESULT another one, found a correlation function",
        ),
        (
            "plot cov.json --beside smu.csv -o p.svg",
            "--beside smu.csv: expected one covariance, and RESULT another one, found a correlation function",
        ),
    ] {
        let run = folder.run(command);
        assert_eq!(run.code, 1, "{command}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    folder.good(&format!("{COVARIANCE} --rounds 4 -o bins.csv"));
    let run = folder.run("plot cov.json --beside bins.csv -o p.svg");
    assert!(
        run.stderr
            .contains("--beside bins.csv: it is a covariance of xi, not of multipoles"),
        "{}",
        run.stderr
    );
}
