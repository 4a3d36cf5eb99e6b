"""Random tables with what pyCANON 1.3.6 (pandas 2.3.3, numpy 2.0.2) says of them, recorded once.

pyCANON read each table from CSV by `pandas.read_csv`, with all columns but the last as quasi-identifiers.
"""

import random
from dataclasses import dataclass

QUASI_IDENTIFIERS = ["Age", "Zipcode"]
SENSITIVE = "Value"


@dataclass(frozen=True)
class Recorded:
    """How a table is drawn, and pyCANON's k_anonymity, l_diversity, entropy_l_diversity and t_closeness."""

    seed: int
    rows: int
    cells: int
    values: tuple[str, ...]
    k: int
    distinct_l: int
    entropy_l: int
    t: float

    def table(self) -> list[list[str]]:
        """Return the rows, in no order; some values are more frequent than others."""
        draw = random.Random(self.seed)  # noqa: S311
        ages = [f"[{10 * place}-{10 * place + 9}]" for place in range(self.cells)]
        weights = [1 + place % 3 for place in range(len(self.values))]
        return [
            [draw.choice(ages), draw.choice(["20***", "21***"]), draw.choices(self.values, weights)[0]]
            for _ in range(self.rows)
        ]


WORDS = ("flu", "gastritis", "dyspepsia", "bronchitis", "pneumonia", "angina")
WHOLE = tuple(str(number) for number in (3, 20, 100, 7, -5, 12, 4))
FRACTIONS = tuple(f"{number / 4}" for number in (30, 1, 2, 10, 9, 17, 4, 6, 99))

RECORDED = (
    Recorded(1, 40, 2, WORDS, 10, 4, 3, 0.275),
    Recorded(2, 120, 5, WORDS, 7, 3, 2, 0.3738095238095238),
    Recorded(3, 30, 4, WORDS[:2], 2, 1, 1, 0.16666666666666669),
    Recorded(4, 60, 3, WHOLE, 8, 3, 2, 0.15959595959595962),
    Recorded(5, 150, 4, FRACTIONS, 10, 6, 4, 0.18083333333333335),
    Recorded(6, 25, 3, WHOLE[:2], 2, 1, 1, 0.32000000000000006),
    Recorded(7, 200, 6, tuple(map(str, range(40))), 11, 9, 8, 0.16299145299145298),
    Recorded(8, 400, 2, WORDS, 93, 6, 5, 0.07554455445544553),
    Recorded(9, 500, 2, FRACTIONS, 109, 9, 7, 0.04243807339449541),
)
