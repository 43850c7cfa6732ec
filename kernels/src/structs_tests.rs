//! The declarations that are made of the structs.

use super::*;

#[test]
fn a_struct_is_declared_field_by_field_with_their_sizes() {
    let fields = [
        field::<Address<[i32; 4]>>("rows"),
        field::<Target<u64>>("sums"),
        field::<[f64; 9]>("basis"),
        field::<PlaceTerms>("places"),
    ];
    let text = declare_struct("Example", 112, &fields);
    let expected = "struct Example {\n    const int4* rows;\n    u64* sums;\n    double basis[9];\n    PlaceTerms places;\n};\n\
        static_assert(sizeof(Example) == 112, \"Example differs from its twin on the host\");\n\
        static_assert(sizeof(Example::rows) == 8,";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("sizeof(Example::basis) == 72,"), "{text}");
    assert_eq!(text.matches("static_assert").count(), 5);
}

#[test]
fn every_struct_is_declared_before_it_is_used() {
    let header = header();
    let at = |name: &str| header.find(&format!("struct {name} {{"));
    assert!(at("DeviceSample") < at("DeviceJob") && at("PlaceTerms") < at("DeviceJob"));
    assert!(header.contains("    DeviceAxis along;\n    ImageTerms images;\n"));
}
