"""The schema as a whole: names, ranges, hash, and the page that documents it."""

import dataclasses
import re
import tomllib
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from scoring import features
from scoring.ensemble import Ensemble
from scoring.features import (
    ALL_FEATURES,
    FEATURES,
    NAMES,
    SCHEMA_HASH,
    SUB_MODEL_FEATURES,
    TOPICS,
    Models,
    collected,
    extract,
    schema_hash,
)
from scoring.features.__main__ import page
from scoring.features.feature import MODEL_FILES
from scoring.records import History, Link
from scoring.release import Release
from tests.scoring.features.values import value_of
from tests.scoring.random_records import AT, labelled, record
from tests.scoring.starter import STARTER

MODELS = Models.load(STARTER, files=MODEL_FILES)
ASKED_FOR = (
    *("ip reputation", "url_age", "url_wot_score", "url_google_score", "url_domain", "url_tld"),
    *("url_subdomain_count", "url_token", "url_post_count", "post_share_count", "post_comment_count"),
    *("domain_report_count", "user_age", "user_email_domain", "user_friends", "user_followers"),
    *("user_verified", "user_posts", "user_spam_posts", "user_spam_report", "user_link_count"),
    *("user_post_count", "poster journey", "users' feedback", "similarity to known spammers"),
)
ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "features.md"
PROJECT = ROOT / "pyproject.toml"


class TestFeatures:
    def test_names_are_unique_and_begin_with_their_subject(self) -> None:
        assert len(set(NAMES)) == len(NAMES)
        assert all(re.fullmatch(r"(context|social|journey|feedback)\.[a-z0-9_]+", name) for name in NAMES)

    def test_every_feature_belongs_to_one_sub_model(self) -> None:
        assert sorted(name for names in SUB_MODEL_FEATURES.values() for name in names) == sorted(NAMES)

    def test_every_topic_is_held_apart(self) -> None:
        """Cure: the new file in TOPICS and, in pyproject.toml, in the contract "Feature families"."""
        folder = Path(features.__file__).parent
        contracts = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["contracts"]
        [apart] = (one["modules"] for one in contracts if one["name"].startswith("Feature families"))
        files = {path.stem for path in folder.glob("*.py") if "\nFEATURES: " in path.read_text()}

        assert {topic.__name__ for topic in (*TOPICS, collected)} == set(apart)
        assert {topic.__name__.rpartition(".")[2] for topic in (*TOPICS, collected)} == files - {"__init__"}

    def test_what_is_new_stays_new_while_its_post_waits_to_be_scored(self) -> None:
        """Author, address and domain are first seen with the post; seconds of waiting once looked honest."""
        seen = History(first_seen_at=AT)
        link = Link(url="https://new.example/", host="new.example", domain="new.example", domain_history=seen)
        known = ("social.days_known", "context.ip_days_known", "context.domain_days_known")
        for minutes in (0, 1, 600):
            waited = record(
                posted_at=AT, at=AT + timedelta(minutes=minutes), ip="192.0.2.7", author_history=seen,
                ip_history=seen, links=(link,),
            )  # fmt: skip
            assert [value_of(name, waited) for name in known] == [0.0, 0.0, 0.0]

    @pytest.mark.parametrize(
        "topic", [*TOPICS, collected], ids=lambda topic: topic.__name__.rpartition(".")[2]
    )
    def test_every_feature_has_its_values_in_the_table_of_its_topic(self, topic: ModuleType) -> None:
        """Cure: a row in tests/scoring/features/, in the file of the feature's topic."""
        name = topic.__name__.rpartition(".")[2]
        file = {"link_looks": "links", "similar_posts": "social"}.get(name, name)
        table = (Path(__file__).parent / f"test_{file}.py").read_text(encoding="utf-8")

        # The tables of journey and feedback name no feature: they hold a value of each in its order.
        listed = () if name in {"journey", "feedback"} else topic.FEATURES
        measures = [feature.name.partition(".")[2] for feature in listed]
        assert [measure for measure in measures if not re.search(rf"\b{measure}\b", table)] == []

    def test_every_feature_is_documented(self) -> None:
        assert all(feature.unit and feature.meaning and feature.why for feature in ALL_FEATURES)
        assert all((feature.compute is None) != (feature.judge is None) for feature in FEATURES)
        computed = [feature for feature in collected.FEATURES if feature.compute]
        assert computed == [feature for feature in collected.FEATURES if feature not in collected.READ]

    @pytest.mark.parametrize("name", ASKED_FOR)
    def test_everything_the_requirements_name_is_there(self, name: str) -> None:
        assert any(name in feature.mission_name.split(", ") for feature in FEATURES)

    def test_the_page_is_up_to_date(self) -> None:
        """Cure: python -m scoring.features > docs/features.md"""
        assert PAGE.read_text(encoding="utf-8") == page()


class TestSchemaHash:
    def test_is_the_one_of_the_release_that_ships(self) -> None:
        """What it raises names the features and the cure, as `make run` does."""
        known = Ensemble.load(STARTER).features

        Release.load(STARTER).check_features(known, names=NAMES, schema=SCHEMA_HASH)

    def test_changes_with_name_unit_version_and_order(self) -> None:
        first, *rest = FEATURES
        changed = [
            (dataclasses.replace(first, name="context.other"), *rest),
            (dataclasses.replace(first, unit="percent"), *rest),
            (dataclasses.replace(first, version=first.version + 1), *rest),
            (*rest, first),
        ]

        assert len({SCHEMA_HASH, *map(schema_hash, changed)}) == 5

    def test_does_not_change_with_wording(self) -> None:
        first, *rest = FEATURES

        assert schema_hash((dataclasses.replace(first, meaning="x", why="y"), *rest)) == SCHEMA_HASH


class TestExtract:
    def test_stays_within_the_stated_ranges(self) -> None:
        rows = np.stack([extract(one.record, models=MODELS) for one in labelled(300)])

        for column, feature in zip(rows.T, FEATURES, strict=True):
            known = column[~np.isnan(column)]
            low, high = feature.bounds
            assert ((known >= low) & (known <= high)).all(), feature.name

    def test_is_never_infinite(self) -> None:
        assert not np.isinf(extract(record(), models=MODELS)).any()

    def test_gives_the_same_vector_for_a_record_read_back(self) -> None:
        post = labelled(1)[0].record

        again = type(post).from_json(post.to_json())

        np.testing.assert_array_equal(extract(again, models=MODELS), extract(post, models=MODELS))
