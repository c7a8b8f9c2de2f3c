"""The platforms that can be connected, by name."""

from __future__ import annotations

from integrations.connector import Connector
from integrations.matrix import Matrix

CONNECTORS: dict[str, type[Connector]] = {kind.name: kind for kind in (Matrix,)}
