//! Curves of models among those of results.
//!
//! Entry: [`Picture::add_models`].

use crate::colour::SERIES;
use crate::error::FigureError;
use crate::reading::{Picture, times_separation};
use crate::series::{Look, Series};
use crate::style::{Model, Style};

impl Picture {
    /// Draws models as dashed lines, scaled as the results are; a single curve gets the name of its result beside them.
    pub(crate) fn add_models(
        &mut self,
        models: &[Model],
        name: &str,
        style: Style,
    ) -> Result<(), FigureError> {
        let Some(first) = models.first() else {
            return Ok(());
        };
        let curves = match self {
            Self::Curves(curves) => Some(curves),
            Self::Panels(panels) => panels.first(),
            Self::Map(_) => None,
        };
        let curves = curves.ok_or_else(|| FigureError::Input(format!(
                "--model {}: this figure has no axes of one function; a model is drawn with curves, not with maps or a panel for each pair",
                first.name
            )))?;
        if let [only] = &mut curves.series[..]
            && only.label.is_empty()
        {
            name.clone_into(&mut only.source);
        }
        let before = curves.series.len();
        let [lo, hi] = style.x.range.unwrap_or(curves.x_range);
        for (k, model) in models.iter().enumerate() {
            let points = model.x.iter().copied().zip(model.y.iter().copied());
            let (x, y) = points.filter(|(x, _)| (lo..=hi).contains(x)).unzip();
            let line = Series {
                source: model.name.clone(),
                x,
                y,
                look: Look {
                    colour: (before + k) % SERIES.len(),
                    marker: 0,
                    dashed: true,
                },
                ..Series::default()
            };
            curves.series.push(times_separation(line, curves.power));
        }
        Ok(())
    }
}
