"""What a post answers is read alike by both readers."""

from __future__ import annotations

import pytest
from rest_framework.exceptions import ValidationError

from moderation.api.serializers import incoming_post
from moderation.operations.posts.incoming_post import IncomingParent
from tests.moderation.api.test_incoming_post import HOSTILE, WHOLE, agree


class TestParents:
    def test_are_read_with_what_is_told_of_them(self) -> None:
        found = incoming_post.plain(WHOLE, platform="reading")

        assert found is not None
        assert found.parent == IncomingParent(
            external_id="parent", text="What do you think?", author_external_id="writer", author_name="W"
        )

    @pytest.mark.parametrize("name", ["external_id", "text", "author", "more"])
    def test_agree_on_every_hostile_value_of_a_field(self, name: str) -> None:
        for value in HOSTILE:
            agree(WHOLE | {"parent": WHOLE["parent"] | {name: value}})

    @pytest.mark.parametrize("name", ["external_id", "display_name", "more"])
    def test_agree_on_every_hostile_value_of_a_field_of_the_author(self, name: str) -> None:
        parent = WHOLE["parent"]
        for value in HOSTILE:
            agree(WHOLE | {"parent": parent | {"author": parent["author"] | {name: value}}})

    def test_a_post_does_not_answer_itself(self) -> None:
        own = WHOLE | {"parent": {"external_id": WHOLE["external_id"]}}

        assert incoming_post.plain(own, platform="reading") is None
        with pytest.raises(ValidationError) as refusal:
            incoming_post.careful(own, platform="reading")
        assert refusal.value.get_codes() == {"parent": {"external_id": ["own_parent"]}}
