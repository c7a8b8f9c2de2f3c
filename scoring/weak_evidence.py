"""Features by what they can prove: the ensemble bounds how far those named here may move a post.

Each feature says what it proves (`Evidence`). The reasons are in docs/adr/0019-circumstances-do-not-excuse.md
and, for links, in 0034-links-have-a-share-of-their-own.md.
"""

from scoring.features import Evidence, link_looks, links, names_of

# Subject -> its counts of honest and of spam posts by human decisions. Not the domain's: anybody may link to
# an honest one.
EARNED = {
    "author": ("social.confirmed_honest", "social.confirmed_spam"),
    "near-duplicates": ("social.similar_confirmed_honest", "social.similar_confirmed_spam"),
}
# No decision, complaint, list or URL pattern supports these.
UNPROVEN = (*names_of(Evidence.CIRCUMSTANCE), *names_of(Evidence.IN_TEXT))
# What trees read of links.
OF_LINKS = tuple(
    feature.name
    for feature in (*links.FEATURES, *link_looks.FEATURES)
    if feature.evidence is not Evidence.SHOWN
)
ACCOUNT_AGE = "social.account_age_days"
