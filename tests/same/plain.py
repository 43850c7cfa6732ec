"""What a command printed and wrote, without moments, machines and versions."""

import hashlib
import html
import os
import pathlib
import re
import struct
import zlib

# Entries of records that another machine, moment or build changes.
PASSING = ["date", "host", "wall_seconds", "seconds", "engine", "threads"]
IN_TEXT = [
    # Left out by builds outside of a repository.
    (re.compile(r'"commit": ?"\w*",\s*|# - \{"commit": "\w*"\}\n'), ""),
    (re.compile(r"^ +commit = \w*\n", re.MULTILINE), ""),
    # Flags that builds with CUDA have.
    (re.compile(r"devices, precision, kernel, "), ""),
    (re.compile(rf'("(?:{"|".join(PASSING)})": ?)("(?:[^"\\]|\\.)*"|[-+0-9.eE]+|null)'), r"\g<1>0"),
    (re.compile(r"\b(engine: )[^\n]*"), r"\g<1>0"),
    (re.compile(rf"^( +(?:{'|'.join(PASSING)}) = )[^\n]*", re.MULTILINE), r"\g<1>0"),
    # How long a record is that holds seconds, as `info` shows it.
    (re.compile(r"(= \{[^\n]*\.\.\. )\(\d+ characters\)"), r"\g<1>(0 characters)"),
    (re.compile(r"\b[0-9.]+(?:e[-+]?[0-9]+)? (?:ns|us|µs|ms|s|min|h)\b"), "0 s"),
    (re.compile(r"\b[0-9.]+ (?:[kMGT] )?([a-z ]+) per second"), r"0 \g<1> per second"),
    (re.compile(r"\b[0-9]+ (threads?|cores?)\b"), r"0 \g<1>"),
    (re.compile(r"(cores there are \(|number of threads must be 1 to )\d+"), r"\g<1>0"),
    (re.compile(r"\b(?:portable|avx2|avx512|neon)\b"), "lanes"),
    (re.compile(r"\balbireo \d+\.\d+\.\d+(?: \([^)]*\))?"), "albireo 0"),
    (re.compile(r"/tmp/\.tmp\w+"), "/tmp/0"),
    (re.compile(r"""(?<![^\s"'=])[^\s"'=]*/cli/\.\./"""), ""),
]
# Where the large data of some tests lie, on this machine.
LARGE_DATA = os.environ.get("ALBIREO_TEST_DATA")
# The SHA-256 of files that commands wrote, which hold moments; records of what was made of them repeat it.
written: set[str] = set()
# The folder that keeps what is hashed, by its digest, where one is asked for.
texts: pathlib.Path | None = None


def text(said, folder):
    """A text without what passes."""
    said = said.replace(folder + "/", "").replace(folder, ".")
    if LARGE_DATA:
        said = said.replace(LARGE_DATA, "ALBIREO_TEST_DATA")
    for pattern, instead in IN_TEXT:
        said = pattern.sub(instead, said)
    return re.sub(r"\b[0-9a-f]{64}\b", lambda found: "0" if found[0] in written else found[0], said)


def digest(what):
    """The first 64 bits of a SHA-256."""
    what = what.encode() if isinstance(what, str) else what
    found = hashlib.sha256(what).hexdigest()[:16]
    if texts is not None:
        (texts / found).write_bytes(what)
    return found


def array(values):
    """Numbers by their type, shape and bits."""
    import numpy

    values = numpy.asarray(values)
    if values.dtype.kind in "OSU":
        return str(values.tolist())
    return f"{values.dtype.str} {values.shape} {hashlib.sha256(values.tobytes()).hexdigest()}"


def of_hdf5(path, folder):
    """Every data set and attribute of an HDF5 file."""
    import h5py

    lines = []

    def visit(name, item):
        kept = sorted(key for key in item.attrs if key not in [*PASSING, "commit"])
        lines.extend(f"{name}@{key}: {text(array(item.attrs[key]), folder)}" for key in kept)
        if isinstance(item, h5py.Dataset):
            lines.append(f"{name}: {text(array(item[()]), folder)}")

    with h5py.File(path) as file:
        visit("", file)
        file.visititems(visit)
    return "\n".join(lines)


def of_parquet(path, folder):
    """The columns of a Parquet file and what its footer says."""
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    lines = [f"{name}: {table[name].type} {table[name].to_pylist()}" for name in table.column_names]
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
            lines.append(re.sub(" *(['\n ])", r"\1", text(header, folder)))
            if part.data is not None:
                lines.append(hashlib.sha256(part.data.tobytes()).hexdigest())
    return "\n".join(lines)


def of_png(path, folder):
    """The pixels of a figure, however well they are packed, and what it says of itself."""
    content, at, pixels, said = path.read_bytes(), 8, b"", ""
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        body = content[at + 8 : at + 8 + length]
        at += length + 12
        if kind == b"IDAT":
            pixels += body
        else:
            said += f"{kind}{text(body.decode('latin-1'), folder)}\n"
    return said + hashlib.sha256(zlib.decompress(pixels)).hexdigest()


# What passes, as pages show it: moments, entries of a record as a list and as its text, how long each count took.
IN_PAGES = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "0"),
    (re.compile(rf"(<dt>(?:{'|'.join(PASSING).replace('_', ' ')})</dt><dd>)[^<]*"), r"\g<1>0"),
    (re.compile(r" thread\)"), " threads)"),
    (re.compile(r"( threads\)</td><td>)[^<]*"), r"\g<1>0"),
]


def of_html(path, folder):
    """A page, with the text of its records as they are in files."""
    page = text(html.unescape(path.read_text(encoding="utf-8")), folder)
    for pattern, instead in IN_PAGES:
        page = pattern.sub(instead, page)
    return page


OF_KIND = {".html": of_html, ".png": of_png, ".h5": of_hdf5, ".hdf5": of_hdf5, ".parquet": of_parquet, ".fits": of_fits}
# What parts and checkpoints hold is tried by the commands that read them.
STATES = {".alb", ".checkpoint", ".partial"}
# What is kept of a part holds this near its beginning, whatever its name; it has the seconds of its counts.
PART = b'{"kind":"part of a count"'


def of_file(path, folder):
    """The digest of a file that a command wrote."""
    with path.open("rb") as file:
        is_part = PART in file.read(16 + len(PART))
    if path.suffix in STATES or is_part:
        return "state"
    reader = OF_KIND.get(path.suffix)
    try:
        if reader:
            return digest(reader(path, folder))
    except ImportError:
        raise
    except Exception:
        # A file of another sort than its name says, which tests write on purpose.
        pass
    return digest(text(path.read_bytes().decode("latin-1"), folder))
