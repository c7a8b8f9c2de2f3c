"""The platforms that can be connected, by name."""

from integrations.connector import Connector
from integrations.discourse import Discourse
from integrations.lemmy import Lemmy
from integrations.mastodon import Mastodon
from integrations.matrix import Matrix
from integrations.ozone import Ozone

CONNECTORS: dict[str, type[Connector]] = {
    kind.name: kind for kind in (Mastodon, Discourse, Lemmy, Ozone, Matrix)
}
