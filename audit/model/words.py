"""Words for numbers, for all who write sentences: attacks of their measures, formats of reports."""

from __future__ import annotations


def plural(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun.

    >>> plural(1, "person", "people"), plural(2000, "row")
    ('1 person', '2,000 rows')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def number(value: object) -> str:
    """Return a risk with three decimals; rounding never makes it a certainty.

    >>> number(1.0), number(0.99999), number(None)
    ('1', '0.999', '?')
    """
    if not isinstance(value, float | int):
        return "?"
    if value == 1:
        return "1"
    return f"{min(value, 0.999):.3f}"
