"""Static files under names that hold their digest, also in the `import` lines of our own scripts.

Django can rewrite imports everywhere, but stumbles over the bundles of others: so only below `desk/`.
"""

from __future__ import annotations

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORTS = ("desk/*.js", ((r"""(?P<matched>from\s+"(?P<url>\./[^"]+)")""", 'from "%(url)s"'),))


class DemoStorage(ManifestStaticFilesStorage):
    """Hashed names; compressing takes a minute, and on the loopback address it gains nothing."""

    patterns = (*ManifestStaticFilesStorage.patterns, _IMPORTS)


class ProductionStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """Hashed names and compressed copies."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, _IMPORTS)
