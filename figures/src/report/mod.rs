//! Results as one page for a browser: figures that answer the pointer and the keyboard, tables, and how each result was made.
//!
//! Entry: [`write_report`]. What figures show is decided by the rest of this crate and goes into the page as data (`shown`), which
//! `page.js` draws; tables (`rows`) and records (`record`) are plain HTML. The page needs no other file and no network.

mod record;
mod rows;
mod shown;

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::canvas::Colour;
use crate::colour::{SERIES, mixed};
use crate::error::FigureError;
use crate::save;
use crate::series::MARKERS;
use crate::style::Named;
use crate::svg::{escaped, hex};

/// A result on a page.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// The result and the name of its file.
    pub result: Named<'a>,
    /// What its figure shows in common axes: the result itself, or what it is divided into.
    pub parts: &'a [Named<'a>],
}

/// Refuses a page that cannot be written, before the work begins.
///
/// # Errors
/// Another extension than that of a page.
pub fn check_report_path(path: &Path) -> Result<(), FigureError> {
    let extension = path.extension().unwrap_or_default();
    if ["html", "htm"]
        .iter()
        .any(|e| extension.eq_ignore_ascii_case(e))
    {
        return Ok(());
    }
    Err(FigureError::Input(format!(
        "{}: a report's extension should be .html",
        path.display()
    )))
}

/// Writes a page with a section for each result, which is there whole or not at all.
///
/// # Errors
/// [`FigureError`]: a table that is no result or lacks what its kind has, nothing to show, or a file that cannot be written.
pub fn write_report(title: &str, sections: &[Section<'_>], path: &Path) -> Result<(), FigureError> {
    check_report_path(path)?;
    save(page(title, sections)?.as_bytes(), path)
}

/// The page; figures are numbered in the order in which they stand there.
fn page(title: &str, sections: &[Section<'_>]) -> Result<String, FigureError> {
    let (mut figures, mut body, mut contents) = (Vec::new(), String::new(), String::new());
    for (k, section) in sections.iter().enumerate() {
        let of_this = |source: FigureError| FigureError::OneOf {
            name: section.result.name.to_owned(),
            source: Box::new(source),
        };
        let kind = section.result.table.kind().map_err(FigureError::NoResult);
        let kind = kind.map_err(of_this)?.name();
        let shown = shown::figures(section.parts).map_err(of_this)?;
        let name = escaped(section.result.name);
        let _ = writeln!(
            contents,
            "<li><a href=\"#result-{k}\">{name}</a> {}</li>",
            escaped(kind)
        );
        // A page of one result may have its name as title.
        let heading = Some(format!("<h2>{name}</h2>\n")).filter(|_| section.result.name != title);
        let _ = writeln!(
            body,
            "<section id=\"result-{k}\">\n{}<p class=\"small\">{}</p>",
            heading.unwrap_or_default(),
            escaped(&record::in_one_line(section.result, kind))
        );
        for figure in shown {
            let (number, drawing) = (figures.len(), figure.drawing);
            let _ = writeln!(body, "<figure data-figure=\"{number}\">{drawing}</figure>");
            figures.push(figure.data);
        }
        body += &rows::html(section.result.table);
        body += &record::html(section.result, sections.len() == 1);
        body += "</section>\n";
    }
    let contents = match sections {
        [] => return Err(FigureError::Nothing),
        [_] => String::new(),
        _ => format!("<nav aria-label=\"Results\"><ul>\n{contents}</ul></nav>\n"),
    };
    let data = json!({"markers": MARKERS, "figures": figures});
    Ok(framed(title, &format!("{contents}{body}"), &data))
}

/// JSON that no browser takes for the end of a script.
fn embedded(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

/// The colours of curves: on a dark ground lighter ones.
fn colours(towards_white: u32) -> String {
    let light = |k: usize| hex(Colour(SERIES[k].0.map(|c| mixed(c, 255, towards_white))));
    let colours = (0..SERIES.len()).map(|k| format!("--curve-{k}: {};", light(k)));
    colours.collect::<Vec<_>>().join(" ")
}

/// The document around a body. Its policy lets a browser load nothing from anywhere.
fn framed(title: &str, body: &str, data: &Value) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"albireo {version}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <title>{title}</title>\n<style>\n:root {{ {light} }}\n\
         @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{style}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n<noscript><p>This browser runs no scripts: figures are missing, tables and records are all here.</p></noscript>\n\
         {body}<footer>Made by albireo {version}.</footer>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        version = env!("CARGO_PKG_VERSION"),
        title = escaped(title),
        light = colours(0),
        dark = colours(45),
        style = include_str!("page.css"),
        script = include_str!("page.js"),
        data = embedded(data),
    )
}

#[cfg(test)]
mod tests {
    use albireo_catalogs::{ResultKind, Table, TableColumn};

    use super::*;

    fn xi() -> Table {
        let mut table = Table::default();
        let xi = TableColumn::floats("xi", "a < b & \"c\"", vec![2.0, f64::NAN, -0.1]);
        table.columns.push(xi.with_unit("<i>"));
        let set = |table: &mut Table, key: &str, value| table.meta.insert(key.to_owned(), value);
        let kind = ResultKind::Correlation.name();
        set(&mut table, "result", kind.into());
        set(&mut table, "edges", json!({"r": [0.5, 1.0, 2.0, 4.0]}));
        set(
            &mut table,
            "command",
            "albireo xi '</script><b>.csv'".into(),
        );
        let sample = json!({"role": "data", "path": "<u>.fits", "sha256": "00ff"});
        set(&mut table, "samples", json!([sample]));
        table
    }

    fn page_of(name: &str, table: &Table) -> Result<String, FigureError> {
        let result = Named { name, table };
        let parts = [result];
        let parts = &parts;
        page("</title>", &[Section { result, parts }])
    }

    #[test]
    fn what_results_say_is_never_markup() {
        let page = page_of("</script><script>alert(1)</script>", &xi()).unwrap();
        for bad in ["<b>", "<i>", "<u>", "alert(1)</script>", "<title></title>"] {
            assert!(!page.contains(bad), "{bad}");
        }
        assert_eq!(page.matches("</script>").count(), 2, "of the page itself");
        assert!(page.contains("&lt;u>.fits") && page.contains("a &lt; b &amp; &quot;c&quot;"));
        assert_eq!(embedded(&json!("</script>")), "\"\\u003c/script>\"");
    }

    #[test]
    fn a_page_has_figure_table_and_record_and_loads_nothing() {
        let page = page_of("xi.csv", &xi()).unwrap();
        let data = page.split("id=\"data\">").nth(1).unwrap();
        let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        let panel = &data["figures"][0]["panels"][0];
        assert_eq!(panel["labels"][1], "ξ(r)");
        assert_eq!(panel["curves"][0]["y"], json!([2.0, null, -0.1]));
        for part in [
            "3 rows",
            "NaN",
            "00ff",
            "albireo run xi.csv",
            "data-figure=\"0\"",
        ] {
            assert!(page.contains(part), "{part}");
        }
        for remote in ["http://", "https://", "src=", "@import", "fetch("] {
            let found = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!found.contains(remote), "{remote}");
        }
    }

    #[test]
    fn what_is_no_result_is_refused_by_name() {
        let error = page_of("t.csv", &Table::default()).unwrap_err();
        assert_eq!(error.to_string(), "t.csv");
        let mut short = xi();
        short
            .meta
            .insert("edges".to_owned(), json!({"r": [0.5, 1.0]}));
        assert!(matches!(
            page_of("t.csv", &short),
            Err(FigureError::OneOf { .. })
        ));
        assert!(matches!(page("", &[]), Err(FigureError::Nothing)));
        for bad in ["report.pdf", "report", "-"] {
            assert!(check_report_path(Path::new(bad)).is_err(), "{bad}");
        }
        assert!(check_report_path(Path::new("report.HTML")).is_ok());
    }
}
