"""Near-duplicates of the post, and accounts similar to its author."""

from scoring.features.feature import Feature, ProofFeature, shrunk_spam_share

SUB_MODEL = "behaviour"

# Without a copy all counts are 0 and shares are the prior's 0.1, never unknown: an unjudged first copy must
# give the same values as none, or being copied could lower a score.
FEATURES: tuple[Feature, ...] = (
    Feature(
        name="social.similar_posts",
        unit="posts",
        meaning="Earlier near-duplicates of the text, whoever posted them",
        why="Campaigns vary one template",
        compute=lambda record: float(record.similar.posts),
    ),
    Feature(
        name="social.similar_posts_24h",
        unit="posts",
        meaning="Near-duplicates in the 24 hours before",
        why="A campaign runs in hours, a proverb over years",
        compute=lambda record: float(record.similar.posts_24h),
    ),
    Feature(
        name="social.similar_authors",
        unit="authors",
        meaning="Authors of the near-duplicates",
        why="Many accounts saying the same thing are one sender",
        compute=lambda record: float(record.similar.authors),
    ),
    ProofFeature(
        name="social.similar_spam_share",
        unit="share",
        meaning="Share of confirmed spam among near-duplicates whose words were decided on, shrunk to 0.1",
        why="What was spam this morning is spam at noon",
        compute=lambda record: shrunk_spam_share(record.similar),
        version=2,
    ),
    ProofFeature(
        name="social.similar_confirmed_spam",
        unit="posts",
        meaning="Near-duplicates that moderators confirmed as spam, those aside that only a page or picture "
        "convicted",
        why="A wording that was judged once need not be judged again",
        compute=lambda record: float(record.similar.confirmed_spam),
        version=2,
    ),
    ProofFeature(
        name="social.similar_confirmed_honest",
        unit="posts",
        meaning="Near-duplicates that moderators confirmed as honest",
        why="What people let stand need not be doubted again, and a spammer cannot make it himself",
        direction=-1,
        compute=lambda record: float(record.similar.confirmed_not_spam),
    ),
    ProofFeature(
        name="social.similar_complaints",
        unit="complaints",
        meaning="Complaints about the near-duplicates",
        why="Users report the copies one by one",
        compute=lambda record: float(record.similar.complaints),
        version=2,
    ),
    Feature(
        name="social.resembling_authors",
        unit="authors",
        meaning="Other authors whose accounts look like this one: by two or more of name, mail, client and "
        "network, age and size",
        why="Accounts are made by script, a hundred at a time",
        mission_name="similarity to known spammers",
        compute=lambda record: float(record.resembling.authors),
    ),
    ProofFeature(
        name="social.resembling_spam_share",
        unit="share",
        meaning="Share of confirmed spam among decided posts of the accounts that look alike, shrunk to 0.1",
        why="The next account of a farm behaves like the last",
        mission_name="similarity to known spammers",
        compute=lambda record: shrunk_spam_share(record.resembling),
        version=2,
    ),
    ProofFeature(
        name="social.resembling_spammers",
        unit="authors",
        meaning="How many of the accounts that look alike have confirmed spam",
        why="One spammer of that shape is chance, five are a farm",
        mission_name="similarity to known spammers",
        compute=lambda record: float(record.resembling.spam_authors),
        version=2,
    ),
    ProofFeature(
        name="social.resembling_complaints",
        unit="complaints",
        meaning="Complaints about the accounts that look alike",
        why="Users report a farm's accounts one by one",
        mission_name="similarity to known spammers",
        compute=lambda record: float(record.resembling.complaints),
        version=2,
    ),
)
