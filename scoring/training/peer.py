"""The simple peer that every content model must beat or explain: TF-IDF and logistic regression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.training.dataset import Example
from scoring.training.evaluate import Floats


def probabilities(train: Sequence[Example], *, texts: Sequence[str], seed: int) -> Floats:
    """Fit on the train part (seconds), answer P(spam) of each text: float64 array of shape (n_texts,).

    Case and punctuation stay: links, shouting and emoji are what spam looks like.
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
    return np.asarray(model.predict_proba(list(texts))[:, 1], dtype=np.float64)
