"""Static files with digests in their names, including in the `import` lines of our own scripts.

Django can rewrite imports, but fails on third-party bundles: so only below `desk/`.
"""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORTS = (
    "desk/*.js",
    (
        (r"""(?P<matched>from\s+"(?P<url>\./[^"]+)")""", 'from "%(url)s"'),
        (r"""(?P<matched>import\("(?P<url>\./[^"]+)"\))""", 'import("%(url)s")'),
    ),
)


class DemoStorage(ManifestStaticFilesStorage):
    """Hashed names without compression, which takes a minute and gains nothing on the loopback address."""

    patterns = (*ManifestStaticFilesStorage.patterns, _IMPORTS)


class ProductionStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """Hashed names and compressed copies."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, _IMPORTS)
