"""A mirror of uv's Python builds on disk, made from a Python of this machine, for use without the real one.

Unlike uv's builds such a Python brings no libraries: the system must have those that it was linked with.
"""

import hashlib
import io
import json
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

_PUBLISHED_AT = "https://github.com/astral-sh/python-build-standalone/releases/download/"
_BUILD = "20260101"  # a date in uv's addresses; a mirror on disk may choose any
_PREFIX = "/install"  # what uv's builds say of themselves, and uv replaces by the folder it unpacks them to
_LEFT_OUT = {"__pycache__", "site-packages", "dist-packages", "test", "idlelib", "turtledemo", "tkinter"}
_PROGRAM = """
import json, os, sys, sysconfig
print(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3],
    "program": os.path.realpath(sys.executable),
    "library_folder": sysconfig.get_config_var("LIBDIR"),
    "standard_library": sysconfig.get_path("stdlib"),
}))
"""


@dataclass(frozen=True)
class _Source:
    """Where one Python of this machine lies."""

    version: str
    program: Path
    library_folder: Path
    standard_library: Path

    @property
    def name(self) -> str:
        """Return `python3.12` for every 3.12."""
        return f"python{self.version.rpartition('.')[0]}"


def write(folder: Path, *, python: str) -> dict[str, str]:
    """Write the mirror of one Python into the folder and return the variables by which uv finds it."""
    source = _source(python)
    archive = (
        folder
        / _BUILD
        / f"cpython-{source.version}+{_BUILD}-x86_64-unknown-linux-gnu-install_only_stripped.tar.gz"
    )
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        _pack(tar, source)
    listing = folder / "downloads.json"
    listing.write_text(json.dumps(_listing(source, archive), indent=1))
    return {"UV_PYTHON_INSTALL_MIRROR": f"file://{folder}", "UV_PYTHON_DOWNLOADS_JSON_URL": str(listing)}


def _source(python: str) -> _Source:
    result = subprocess.run([python, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    paths = json.loads(result.stdout)
    version = paths.pop("version")
    return _Source(version, **{name: Path(path) for name, path in paths.items()})


def _pack(packed: tarfile.TarFile, source: _Source) -> None:
    """Lay the files out as uv's builds do: python/bin, python/lib and the shared library in it."""
    _add(packed, f"python/bin/{source.name}", _with_relative_runpath(source), mode=0o755)
    library = f"lib{source.name}.so.1.0"
    if (source.library_folder / library).exists():
        packed.add((source.library_folder / library).resolve(), f"python/lib/{library}")
    for file in sorted(source.standard_library.rglob("*")):
        inside = file.relative_to(source.standard_library)
        if file.is_dir() or _LEFT_OUT.intersection(inside.parts) or file.suffix == ".a":
            continue
        name = f"python/lib/{source.name}/{inside}"
        if inside.name.startswith("_sysconfigdata"):
            _add(packed, name, _with_relative_prefix(file, source))
        else:
            packed.add(file.resolve(), name)


def _with_relative_runpath(source: _Source) -> bytes:
    """Return the program with the path to its library made relative, as chrpath does, where that fits in."""
    absolute, relative = f"{source.library_folder}\0".encode(), b"$ORIGIN/../lib\0"
    content = source.program.read_bytes()
    if len(relative) > len(absolute):
        return content
    return content.replace(absolute, relative.ljust(len(absolute), b"\0"))


def _with_relative_prefix(sysconfig_data: Path, source: _Source) -> bytes:
    return sysconfig_data.read_text().replace(f"'{source.library_folder}'", f"'{_PREFIX}/lib'").encode()


def _add(packed: tarfile.TarFile, name: str, content: bytes, *, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    packed.addfile(entry, io.BytesIO(content))


def _listing(source: _Source, archive: Path) -> dict[str, object]:
    major, minor, patch = (int(part) for part in source.version.split("."))
    row = {
        "name": "cpython",
        "arch": {"family": "x86_64", "variant": None},
        "os": "linux",
        "libc": "gnu",
        "major": major,
        "minor": minor,
        "patch": patch,
        "prerelease": "",
        "url": f"{_PUBLISHED_AT}{_BUILD}/{archive.name.replace('+', '%2B')}",
        "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
        "variant": None,
        "build": _BUILD,
    }
    return {f"cpython-{source.version}-linux-x86_64-gnu": row}
