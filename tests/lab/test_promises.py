"""Whether measurements of a platform that decides hold what is promised."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lab._measured import Answers, Measured, measured
from lab._promises import CEILING, PRODUCT, TFIDF, Promise, promises


def quality(*, roc_auc: float = 0.98, pr_auc: float = 0.95, f1: float = 0.9, **rest: float) -> Measured:
    return Measured(
        roc_auc=roc_auc,
        pr_auc=pr_auc,
        f1=f1,
        let_through=rest.get("let_through", 0.1),
        held=rest.get("held", 0.1),
    )


def found(**after: Measured) -> dict[tuple[str, str], list[Measured]]:
    """Return one seed's measurements: before, a ceiling, TF-IDF, and what is given."""
    rows = {("0", PRODUCT): [quality(let_through=0.3, held=0.05)], (CEILING, PRODUCT): [quality()]}
    for name, one in after.items():
        rows[(name.removeprefix("after_"), PRODUCT)] = [one]
        rows[(name.removeprefix("after_"), TFIDF)] = [quality(roc_auc=0.97)]
    return rows


def asked(rows: dict[tuple[str, str], list[Measured]], says: str, *, language: str = "th") -> Promise:
    made = promises(
        rows, sizes=(50, 200), language=language, others=[{"sms ROC-AUC": -0.002, "sms F1": -0.03}]
    )
    [promise] = [one for one in made if says in one.says]
    return promise


@pytest.mark.parametrize(("f1", "is_held"), [(0.82, True), (0.80, False)])
def test_after_200_decisions_nine_tenths_of_the_ceiling(f1: float, *, is_held: bool) -> None:
    rows = found(after_200=quality(f1=f1))

    assert asked(rows, "after 200 decisions, share of the ceiling's F1").is_held is is_held
    assert asked(rows, "after 400 decisions, share of the ceiling's F1").is_held is None


@pytest.mark.parametrize(("let_through", "is_held"), [(0.1, True), (0.11, False)])
def test_a_third_of_the_spam_is_let_through(let_through: float, *, is_held: bool) -> None:
    rows = found(after_200=quality(let_through=let_through))

    assert asked(rows, "spam let through").is_held is is_held


def test_where_no_spam_was_let_through_none_may_be() -> None:
    rows = found(after_200=quality(let_through=0.01))
    rows[("0", PRODUCT)] = [quality(let_through=0.0)]

    promise = asked(rows, "spam let through")

    assert promise.values == (math.inf,)
    assert promise.is_held is False


def test_a_share_of_nothing_is_said_in_words() -> None:
    """A script that nothing reads lets no spam through, because people are sent everything."""
    rows = found(after_200=quality(let_through=0.08, held=0.06))
    rows[("0", PRODUCT)] = [quality(let_through=0.0, held=0.988)]

    line = asked(rows, "spam let through").line

    assert "inf" not in line
    assert line.startswith("NOT HELD")
    assert (
        "8.0% is now; before, none was in some seeds, and 98.8% of the honest texts were held, 6.0% now"
        in line
    )


@pytest.mark.parametrize(("held", "is_held"), [(0.07, True), (0.08, False)])
def test_honest_texts_are_held_two_points_more_at_most(held: float, *, is_held: bool) -> None:
    assert asked(found(after_200=quality(held=held)), "honest texts held").is_held is is_held


def test_the_largest_number_of_decisions_is_what_counts() -> None:
    rows = found(after_50=quality(held=0.9), after_200=quality(held=0.05))

    assert asked(rows, "honest texts held").is_held is True


def test_the_source_that_lost_most_is_asked_about() -> None:
    promise = asked(found(after_200=quality()), "other source")

    assert promise.values == (-0.03,)
    assert promise.is_held is False


@pytest.mark.parametrize(("roc_auc", "is_held"), [(0.97, True), (0.96, False)])
def test_tfidf_on_the_same_decisions_is_no_better(roc_auc: float, *, is_held: bool) -> None:
    rows = found(after_200=quality(roc_auc=roc_auc))

    assert asked(rows, "after 200 decisions, ROC-AUC less").is_held is is_held


def test_other_scripts_have_a_promise_of_their_own() -> None:
    rows = found(after_50=quality(roc_auc=0.94))

    assert asked(rows, "after 50 decisions, ROC-AUC (th)").is_held is True
    with pytest.raises(ValueError, match="not enough values"):
        asked(rows, "after 50 decisions, ROC-AUC (th)", language="en")


def test_a_line_tells_the_mean_and_the_seeds_around_it() -> None:
    promise = Promise(says="share", values=(0.8, 1.0), bound=0.95)

    assert promise.line == "NOT HELD   share ≥ 0.950: 0.900 (0.800 to 1.000, 2 seeds)"


def test_routes_are_counted_by_what_the_posts_are() -> None:
    answers = Answers(
        is_spam=np.array([True, True, True, False, False]),
        probabilities=np.array([0.99, 0.6, 0.1, 0.97, 0.2]),
        routes=("remove", "review", "allow", "remove", "allow"),
    )

    found = measured(answers)

    assert (found.let_through, found.held, found.precision, found.removed) == (1 / 3, 0.5, 0.5, 2)
    assert math.isnan(measured(Answers(is_spam=answers.is_spam, probabilities=answers.probabilities)).held)
