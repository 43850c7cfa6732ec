//! `albireo devices`: the GPUs that `--engine cuda` would use.

use std::fmt::Write;

use albireo::engine::cuda::{CudaError, DeviceDescription, compiler, devices};
use anyhow::{Result, bail};

use crate::session::Session;
use crate::text::columns_of;
use crate::watch::Loss;

/// Prints devices, driver and compiler, or how to get what is missing, which is an error.
pub(crate) fn run(session: &Session<'_>) -> Result<()> {
    let _asking = session.watch.during(Loss::Nothing);
    let mut text = String::new();
    let (mut gpu, mut nvrtc) = (false, false);
    match devices() {
        Ok(found) if !found.is_empty() => {
            gpu = true;
            list(&mut text, &found);
        }
        Ok(_) => {
            let _ = writeln!(text, "No GPU: {}.", CudaError::NoDevice);
        }
        Err(error) => {
            let _ = writeln!(text, "No GPU: {error}.");
        }
    }
    let _ = match compiler() {
        Ok(found) => {
            nvrtc = true;
            writeln!(text, "NVRTC {} at {}", found.version, found.path.display())
        }
        Err(error) => writeln!(text, "No NVRTC: {error}."),
    };
    session.sink.print(&text)?;
    match (gpu, nvrtc) {
        (true, true) => Ok(()),
        (true, false) => bail!("the GPUs cannot be used without NVRTC"),
        (false, _) => bail!("there is no GPU to use"),
    }
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 30))
}

fn list(text: &mut String, devices: &[DeviceDescription]) {
    let heads = [
        "device",
        "name",
        "memory [GiB]",
        "free [GiB]",
        "capability",
        "multiprocessors",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(devices.iter().map(|device| {
        vec![
            device.number.to_string(),
            device.name.clone(),
            gibibytes(device.memory),
            gibibytes(device.free),
            format!("{}.{}", device.arch / 10, device.arch % 10),
            device.multiprocessors.to_string(),
        ]
    }));
    text.push_str(&columns_of(&rows, &[1]));
    if let Some(device) = devices.first() {
        let _ = writeln!(text, "driver: CUDA {}", device.driver);
    }
}
