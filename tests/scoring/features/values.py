"""One feature of a record, by name, and a past that is bad."""

from datetime import timedelta

from scoring.features import FEATURES, NO_MODELS, Models, extract
from scoring.records import History, PostRecord
from tests.scoring.random_records import AT

SPAMMY = History(
    posts=40, posts_24h=9, confirmed_spam=8, confirmed_not_spam=2, complaints=5, authors=6,
    first_seen_at=AT - timedelta(days=3), recent_spam=6.0, recent_not_spam=1.0, spam_days=3,
)  # fmt: skip
_PLACES = {feature.name: place for place, feature in enumerate(FEATURES)}


def value_of(name: str, record: PostRecord, *, models: Models = NO_MODELS) -> float:
    """Return the named feature as the vector holds it; NaN for unknown."""
    return float(extract(record, models=models)[_PLACES[name]])
