//! Names the shared library by its interface: programs keep working with every library of the same one.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        for of in ["cdylib-link-arg", "link-arg-examples"] {
            println!("cargo:rustc-{of}=-Wl,-soname,libalbireo.so.0");
        }
    }
}
