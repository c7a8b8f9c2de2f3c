"""Features by what they can prove: the ensemble bounds how far those named here may move a post.

Each feature says what it proves (`Evidence`). Why it is bounded is said in
docs/adr/0019-circumstances-do-not-excuse.md and, of what stands in the text, in 0020-heads-per-platform.md.
"""

from __future__ import annotations

from scoring.features import Evidence, names_of

# Subject -> its counts of honest and of spam posts by human decisions. Not the domain's: anybody may link to
# an honest one.
EARNED = {
    "author": ("social.confirmed_honest", "social.confirmed_spam"),
    "near-duplicates": ("social.similar_confirmed_honest", "social.similar_confirmed_spam"),
}
# No decision, complaint, list or URL pattern supports these.
UNPROVEN = names_of(Evidence.CIRCUMSTANCE)
# Whatever is counted in the text or decided of the domains in it: a platform's head reads the same text and
# has learnt from the same decisions what it means there. So far all of these are about links. Not what baits
# or deceives, nor what lists, complaints and the URL model say: few decisions show any of that.
READ_BY_HEADS = names_of(Evidence.IN_TEXT)
