"""Where Triton's wheel keeps its server, Python backend and stub.

Standard library only: the installer reads it.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TritonFiles:
    """The parts of the wheel, and the folder of the Python library that its stub loads."""

    server: Path
    backend: Path
    python_module: Path
    stub: Path
    caches: Path
    library_path: str


def find(environment: Path) -> TritonFiles:
    """Return the files in this environment; raises CalledProcessError if its Python does not run."""
    program = (
        "import sysconfig as s;"
        "print(s.get_path('purelib'), s.get_config_var('LIBDIR'), s.get_python_version(), sep='\\n')"
    )
    result = subprocess.run(
        [str(environment / "bin" / "python"), "-c", program], capture_output=True, text=True, check=True
    )
    packages, library_path, version = result.stdout.split("\n")[:3]
    triton = Path(packages) / "pytriton" / "tritonserver"
    return TritonFiles(
        server=triton / "bin" / "tritonserver",
        backend=triton / "backends" / "python" / "libtriton_python.so",
        python_module=triton / "backends" / "python" / "triton_python_backend_utils.py",
        stub=triton / "python_backend_stubs" / version / "triton_python_backend_stub",
        caches=triton / "caches",
        library_path=library_path,
    )
