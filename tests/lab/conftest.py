"""What the tests of training begin with, too."""

from tests.training.conftest import tiny_base

__all__ = ["tiny_base"]
