"""Which verdicts on random series of tiny size are wholly evidenced by their witnesses, and what is not, by adversary.

    python -m benchmarks.speed.witnessing [SERIES_OF_EACH_ADVERSARY] [ADVERSARY ...]

The series are those that the tests of the checkers draw. Each witness is checked, too.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from tests.helpers.running import run_main
from tests.oracle.test_second_checker import KINDS, drawn

SERIES = 1250


def rests_of(adversary: str, number: int) -> Counter[str]:
    """Return how often verdicts have evidence for all, which rests the others have, and what no checker supports."""
    found = Counter[str]()

    @seed(number)
    @settings(max_examples=number, database=None, deadline=None, phases=[Phase.generate])
    @given(KINDS[adversary][0], st.integers(0, 2**32))
    def counted(series: object, draws: int) -> None:
        with drawn(adversary, series, random.Random(draws), found) as made:  # noqa: S311 - it hides nothing
            found["series"] += 1
            if made is None:
                return
            if run_main("verify", *map(str, made))[0]:
                raise ValueError(f"the checker does not accept the witness of {series}")
            rests = json.loads((made[1] / "statement.json").read_text("utf-8"))["rests"]
            found["wholly" if not rests else "in part"] += 1
            found.update({f"rest: {' '.join(word for word in rest.split() if word[0].isalpha())}" for rest in rests})

    counted()
    return found


def main(arguments: Sequence[str]) -> None:
    """Print what was found for each adversary."""
    number, kinds = int(arguments[0]) if arguments else SERIES, [*arguments[1:]] or [*KINDS]
    for adversary in kinds:
        found = rests_of(adversary, number)
        share = found["wholly"] / found["series"]
        sys.stdout.write(f"{adversary}: {share:.1%} of {found['series']} wholly evidenced\n")
        for what, times in found.most_common():
            sys.stdout.write(f"  {times:6d} {what}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
