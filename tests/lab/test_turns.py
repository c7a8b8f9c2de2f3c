"""lab.turns: the numbers that two runs of a measurement have in common."""

from lab.turns import numbers


def test_names_each_number_by_its_line() -> None:
    assert numbers("bulk: 45,000 posts in 16.3 s = 2,765 posts/s\nno number\nab12 is a name, 1.5x too\n") == {
        "bulk: [#] posts in # s = # posts/s": 45_000,
        "bulk: # posts in [#] s = # posts/s": 16.3,
        "bulk: # posts in # s = [#] posts/s": 2_765,
    }
