//! Columns over buffers of every kind, strides and sharing.

use super::*;

#[test]
fn strides_of_either_sign_stay_within_the_buffer() {
    let buffer: Arc<Vec<f64>> = Arc::new((0..20).map(f64::from).collect());
    let singles = Arc::new((0..20).map(|k| k as f32).collect::<Vec<_>>());
    for stride in (-8..=8).filter(|&stride| stride != 0) {
        for first in 0..22 {
            for len in 0..8 {
                let row = |row: usize| first as isize + row as isize * stride;
                let rows: Vec<isize> = (0..len).map(row).collect();
                let inside = rows.iter().all(|row| (0..20).contains(row));
                let column = Column::strided(buffer.clone(), first, stride, len);
                assert_eq!(column.is_ok(), inside, "{first} {stride} {len}");
                let short = Column::of_singles(singles.clone(), first, stride, len);
                assert_eq!(short.is_ok(), inside, "{first} {stride} {len}");
                for column in [column, short].into_iter().flatten() {
                    let expected = rows.iter().map(|&row| row as f64);
                    assert!(column.iter().eq(expected.clone()));
                    assert!(column.contiguous().iter().copied().eq(expected.clone()));
                    for from in 0..=len {
                        let part = column.rows(from..len);
                        let expected = expected.clone().skip(from);
                        assert!(part.iter().eq(expected.clone()));
                        assert!(column.view().rows(from..len).iter().eq(expected));
                    }
                }
            }
        }
    }
    assert!(Column::strided(buffer.clone(), 0, 0, 2).is_err());
    let error = Column::strided(buffer, 2, isize::MAX, 3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "3 rows in steps of 9223372036854775807 from element 2 do not fit into a buffer of 20"
    );
}

#[test]
#[should_panic(expected = "out of bounds")]
fn rows_beyond_the_last_are_not_there() {
    let buffer = Arc::new(vec![0.0; 9]);
    Column::strided(buffer, 8, -4, 2).unwrap().at(2);
}

#[test]
fn vectors_are_taken_back_from_their_only_owner() {
    let column = Column::from(vec![1.0, 2.0, 3.0]);
    let other = column.clone();
    let column = column.into_sole().unwrap_err();
    drop(other);
    assert!(column.rows(1..3).into_sole().is_err());
    assert_eq!(column.into_sole().unwrap(), [1.0, 2.0, 3.0]);

    let values = || (0..8).map(f64::from).collect();
    let table = || Column::of_table(values(), [2, 0, 1], [4; 3], 2).unwrap();
    let shared = table();
    let _other = shared[1].clone();
    assert!(Column::into_sole_table(shared).is_err());
    let [x, y, z] = table();
    let shifted = [x.rows(1..2), y.rows(1..2), z.rows(1..2)];
    drop([x, y, z]);
    assert!(Column::into_sole_table(shifted).is_err());
    let Ok(sole) = Column::into_sole_table(table()) else {
        panic!("nobody else has it");
    };
    assert_eq!((sole.width, sole.first, sole.len), (4, [2, 0, 1], 2));
    let [x, y, _] = sole.into_columns();
    assert!(x.iter().eq([2.0, 6.0]) && y.iter().eq([0.0, 4.0]));
}
