//! Files of simulations as other programs write them: dumps of LAMMPS, and formats that are not read.

use crate::folder::Folder;

#[test]
fn dumps_of_particles_in_a_plane_may_lack_an_axis() {
    // Across the faces: 1-2 at 1, 1-3 at 3, 2-3 at the root of 10.
    let head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 12\n0 12\n-0.5 0.5\n";
    let rows = "1 0.5 1\n2 11.5 1\n3 0.5 10\n";
    let folder = Folder::new().with("n.dump", &format!("{head}ITEM: ATOMS id x y\n{rows}"));
    let call = "rdf n.dump --bins edges:0,2,3.1,4";
    let run = folder.run(&format!("{call} --plane xy -o n.csv"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let text = folder.text("n.csv");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = names
        .iter()
        .position(|name| name.starts_with("npairs"))
        .unwrap();
    let pairs: Vec<&str> = lines
        .map(|line| line.split(',').nth(place).unwrap())
        .collect();
    assert_eq!(pairs, ["1", "1", "1"]);
}
