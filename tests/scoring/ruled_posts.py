"""A post that a rule bans, the rule, and scores compared."""

from scoring.blocklist import Blocklist, Rule
from scoring.pipeline import ScoreResult
from scoring.records import Link
from tests.scoring.random_records import record

BAN = Rule(7, "bad.example")
BANS = Blocklist({"bad.example": BAN})
BANNED = record(
    external_id="banned", links=(Link(url="http://bad.example/", host="bad.example", domain="bad.example"),)
)

NO_BANS = Blocklist()


def equal(first: ScoreResult, second: ScoreResult) -> bool:
    """Compare results by their digits: NaN features differ from themselves."""
    return repr(first) == repr(second)
