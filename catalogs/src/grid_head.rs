//! The head of an HDF5 file that holds one grid: all but its values, which follow in their order.
//!
//! Entry: [`grid_head`].

use crate::hdf5_head::{
    Dataset, Group, Object, Place, Tree, attribute, bytes_of, filled, float64, text_attribute, utf8,
};

/// The grid that a head is of.
pub(crate) struct HeadOf<'a> {
    /// Points along each step.
    pub(crate) shape: [usize; 3],
    /// The first point.
    pub(crate) origin: [f64; 3],
    /// From a point to the next.
    pub(crate) steps: [[f64; 3]; 3],
    /// The unit of the values, where it has one.
    pub(crate) unit: Option<&'a str>,
    /// How it was made, as text.
    pub(crate) record: &'a str,
}

/// Bytes up to the first value: the dataset `values` with attributes `origin`, `steps` and `unit`, and the text `record`.
pub(crate) fn grid_head(grid: &HeadOf<'_>) -> Vec<u8> {
    let points: usize = grid.shape.iter().product();
    let steps = bytes_of(grid.steps.as_flattened());
    let mut attributes = vec![
        attribute("origin", (float64(), &[3]), &bytes_of(&grid.origin)),
        attribute("steps", (float64(), &[3, 3]), &steps),
    ];
    if let Some(unit) = grid.unit.filter(|unit| !unit.is_empty()) {
        attributes.push(text_attribute("unit", unit));
    }
    let values = Object::Dataset(Dataset {
        kind: float64(),
        shape: grid.shape.map(|n| n as u64).to_vec(),
        values: Place::Behind(8 * points as u64),
        attributes,
    });
    let record = filled(grid.record);
    let record = Dataset::held(utf8(record.len()), &[], record);
    let root = Group {
        members: vec![("values", values), ("record", record)],
        attributes: vec![],
    };
    Tree::new(root).head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_end_where_values_begin() {
        let head = grid_head(&HeadOf {
            shape: [2, 3, 5],
            origin: [0.5; 3],
            steps: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            unit: Some("V"),
            record: "{}",
        });
        let end = u64::from_le_bytes(std::array::from_fn(|k| head[28 + k]));
        assert_eq!(end, (head.len() + 8 * 30) as u64);
    }
}
