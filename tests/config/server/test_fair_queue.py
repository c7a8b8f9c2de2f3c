"""Each client in turn, and no client able to take all the places."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from config.server.fair_queue import FairQueue


@dataclass(frozen=True)
class Item:
    key: str
    number: int = 0


@pytest.fixture
def queue() -> FairQueue[Item]:
    return FairQueue(4)


def fill(queue: FairQueue[Item], keys: str) -> list[Item | None]:
    return [queue.put(Item(key, number)) for number, key in enumerate(keys)]


class TestTake:
    def test_gives_each_client_its_turn(self, queue: FairQueue[Item]) -> None:
        fill(queue, "aaab")

        assert [queue.take() for _ in range(4)] == [Item("a", 0), Item("b", 3), Item("a", 1), Item("a", 2)]

    def test_gives_one_client_everything_while_it_is_alone(self, queue: FairQueue[Item]) -> None:
        assert fill(queue, "aaaa") == [None] * 4


class TestPut:
    def test_displaces_the_youngest_of_the_longest_line(self, queue: FairQueue[Item]) -> None:
        fill(queue, "aaab")

        assert queue.put(Item("c")) == Item("a", 2)
        assert [queue.take().key for _ in range(4)] == ["a", "b", "c", "a"]

    @pytest.mark.parametrize(
        ("waiting", "newcomer"), [("aaaa", "a"), ("aabb", "a"), ("aabb", "b"), ("abcd", "e")]
    )
    def test_refuses_who_would_have_no_smaller_share(
        self, queue: FairQueue[Item], waiting: str, newcomer: str
    ) -> None:
        fill(queue, waiting)

        assert queue.put(Item(newcomer, 9)) == Item(newcomer, 9)


class TestWithdraw:
    def test_frees_the_place(self, queue: FairQueue[Item]) -> None:
        fill(queue, "aaaa")

        assert queue.withdraw(Item("a", 1))
        assert queue.put(Item("b")) is None

    def test_does_not_take_what_a_thread_has(self, queue: FairQueue[Item]) -> None:
        fill(queue, "a")
        taken = queue.take()

        assert not queue.withdraw(taken)
