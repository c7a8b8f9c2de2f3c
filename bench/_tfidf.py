"""The peer of a platform's head: TF-IDF and logistic regression, fitted to the same decisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_union

from scoring.trees import Floats


def probabilities(texts: Sequence[str], *, is_spam: Sequence[bool], asked: Sequence[str]) -> Floats:
    """Return what words and their pairs, and runs of two to five characters, say of the `asked` texts."""
    if len(set(is_spam)) < 2:
        return np.full(len(asked), float(is_spam[0]))
    grams = make_union(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(analyzer="char", ngram_range=(2, 5), sublinear_tf=True),
    )
    rows = grams.fit_transform(texts)
    model = LogisticRegression(C=10.0, max_iter=1000).fit(rows, is_spam)
    said: Floats = model.predict_proba(grams.transform(asked))[:, 1]
    return said
