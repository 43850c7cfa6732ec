//! The program `albireo`; all of it is in the library beside this file.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use albireo_cli::LargePages;

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

fn main() -> ExitCode {
    albireo_cli::main_with(std::env::args_os())
}
