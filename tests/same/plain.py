"""What a command printed and wrote, without moments, machines and versions."""

import hashlib
import json
import re

# Entries of records that another machine, moment or build changes.
PASSING = ["date", "host", "commit", "wall_seconds", "seconds", "engine", "threads"]
IN_TEXT = [
    (re.compile(rf'("(?:{"|".join(PASSING)})": ?)("(?:[^"\\]|\\.)*"|[-+0-9.eE]+|null)'), r"\g<1>0"),
    (re.compile(r"\b(engine: )[^\n]*"), r"\g<1>0"),
    (re.compile(r"\b[0-9.]+(?:e[-+]?[0-9]+)? (?:ns|us|µs|ms|s|min|h)\b"), "0 s"),
    (re.compile(r"\b[0-9.]+ (?:[kMGT] )?([a-z ]+) per second"), r"0 \g<1> per second"),
    (re.compile(r"\b[0-9]+ (threads?|cores?)\b"), r"0 \g<1>"),
    (re.compile(r"\b(?:portable|avx2|avx512|neon)\b"), "lanes"),
    (re.compile(r"\balbireo \d+\.\d+\.\d+(?: \([^)]*\))?"), "albireo 0"),
    (re.compile(r"/tmp/\.tmp\w+"), "/tmp/0"),
]


def text(said, folder):
    """A text without what passes."""
    said = said.replace(folder + "/", "").replace(folder, ".")
    for pattern, instead in IN_TEXT:
        said = pattern.sub(instead, said)
    return said


def digest(what):
    """The first half of a SHA-256."""
    what = what.encode() if isinstance(what, str) else what
    return hashlib.sha256(what).hexdigest()[:32]


def of_hdf5(path, folder):
    """Every data set and attribute of an HDF5 file."""
    import h5py
    import numpy

    lines = []

    def value(it):
        array = numpy.asarray(it)
        if array.dtype.kind in "OSU":
            return text(str(array.tolist()), folder)
        return f"{array.dtype} {array.shape} {digest(array.tobytes())}"

    def visit(name, item):
        kept = sorted(key for key in item.attrs if key not in PASSING)
        lines.extend(f"{name}@{key}: {value(item.attrs[key])}" for key in kept)
        if isinstance(item, h5py.Dataset):
            lines.append(f"{name}: {value(item[()])}")

    with h5py.File(path) as file:
        visit("", file)
        file.visititems(visit)
    return "\n".join(lines)


def of_parquet(path, folder):
    """The columns of a Parquet file and what its footer says."""
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    lines = [f"{name}: {table[name].type} {digest(json.dumps(table[name].to_pylist()))}" for name in table.column_names]
    about = table.schema.metadata or {}
    lines += [f"@{key.decode()}: {text(about[key].decode(), folder)}" for key in sorted(about)]
    return "\n".join(lines)


def of_fits(path, folder):
    """The headers and tables of a FITS file."""
    from astropy.io import fits

    lines = []
    with fits.open(path) as file:
        for part in file:
            header = part.header.tostring(sep="\n", padding=False)
            header = re.sub(r"&' *\nCONTINUE  '", "", header)
            lines.append(re.sub(" +", " ", text(header, folder)))
            lines.append(digest(part.data.tobytes()) if part.data is not None else "")
    return "\n".join(lines)


def of_png(path, folder):
    """The pixels of a figure and what it says of itself."""
    from PIL import Image

    with Image.open(path) as image:
        return text(str(sorted(image.info.items())), folder) + digest(image.tobytes())


OF_KIND = {".png": of_png, ".h5": of_hdf5, ".hdf5": of_hdf5, ".parquet": of_parquet, ".fits": of_fits}
# What parts and checkpoints hold is tried by the commands that read them.
STATES = {".alb", ".checkpoint", ".partial"}


def of_file(path, folder):
    """The digest of a file that a command wrote."""
    if path.suffix in STATES:
        return "state"
    reader = OF_KIND.get(path.suffix)
    try:
        if reader:
            return digest(reader(path, folder))
    except Exception as error:
        # A file of another sort than its name says, which tests write on purpose.
        return f"unread: {type(error).__name__}"
    content = path.read_bytes()
    try:
        return digest(text(content.decode(), folder))
    except UnicodeDecodeError:
        return digest(text(content.decode("latin-1"), folder))
