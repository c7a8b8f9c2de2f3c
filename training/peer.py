"""The simple peer that every content model must beat or explain: TF-IDF and logistic regression."""

from collections.abc import Callable, Sequence

import numpy as np

from training.dataset import Example
from training.evaluate import Floats


def on_few(texts: Sequence[str], *, is_spam: Sequence[bool], asked: Sequence[str]) -> Floats:
    """Return P(spam) of the `asked` texts by a fit to a platform's few decisions, float64 (n_asked,)."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_union

    if len(set(is_spam)) < 2:
        return np.full(len(asked), float(is_spam[0]))
    grams = make_union(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(analyzer="char", ngram_range=(2, 5), sublinear_tf=True),
    )
    rows = grams.fit_transform(texts)
    model = LogisticRegression(C=10.0, max_iter=1000).fit(rows, is_spam)
    return np.asarray(model.predict_proba(grams.transform(asked))[:, 1], dtype=np.float64)


def fit(train: Sequence[Example], *, seed: int) -> Callable[[list[str]], Floats]:
    """Fit on the train part (seconds); return a function from texts to P(spam), float64 (n_texts,).

    Case and punctuation stay: links, capitals and emoji help to recognise spam.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline, make_union

    words = TfidfVectorizer(
        ngram_range=(1, 2),
        lowercase=False,
        sublinear_tf=True,
        min_df=2,
        tokenizer=str.split,
        token_pattern=None,
    )
    characters = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 5), lowercase=False, sublinear_tf=True, min_df=2
    )
    model = make_pipeline(
        make_union(words, characters),
        LogisticRegression(C=10, max_iter=1000, class_weight="balanced", random_state=seed),
    )
    model.fit(
        [example.text for example in train],
        [example.label for example in train],
        logisticregression__sample_weight=[example.weight for example in train],
    )
    return lambda texts: np.asarray(model.predict_proba(texts)[:, 1], dtype=np.float64)
