"""The shipped release, which tests of the library run on: real models, no training, no server."""

from pathlib import Path

import scoring

STARTER = Path(scoring.__file__).parent / "starter"
