"""Tiny series with two sensitive attributes: each value of a `TinySeries` stands for a pair."""

import csv
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from tests.helpers.strategies import COUNTERFEITS, NAMES, boxed, histories, published, stays
from tests.helpers.tiny import TinySeries

PAIRS = {"a": ("v1", "w1"), "b": ("v1", "w2"), "c": ("v2", "w1"), "d": ("v2", "w2")}
ATTRIBUTES = ["V", "W"]


@st.composite
def tables(draw):
    """What may follow each value of either attribute; each follows itself, so that nobody is stuck."""
    own = [["v1", "v2"], ["w1", "w2"]]
    return {
        value: sorted({value, *draw(st.sets(st.sampled_from(mates), max_size=2))}) for mates in own for value in mates
    }


def together(table):
    """Which pair may follow which, and how probably: both attributes change at once, each by itself."""
    return {
        (source, target): prod_of(table, PAIRS[source], PAIRS[target])
        for source, target in product(PAIRS, PAIRS)
        if prod_of(table, PAIRS[source], PAIRS[target])
    }


def prod_of(table, before, after):
    found = Fraction(1)
    for one, other in zip(before, after, strict=True):
        found *= Fraction(int(other in table[one]), len(table[one]))
    return found


@st.composite
def pair_series(draw, *, adversary, changing):
    """A series of pairs, and what may follow each value of either attribute (None: values never change)."""
    table = draw(tables()) if changing else None
    transitions = None if table is None else together(table)
    count = draw(st.integers(1, 3))
    names = NAMES[: draw(st.integers(1, 6))] + draw(st.sampled_from([[], [], COUNTERFEITS[:1]]))
    people = {name: draw(histories(draw(stays(count)), transitions)) for name in names}
    series = TinySeries(draw(published(people, count)), transitions)
    return (draw(boxed(series)) if adversary == "register" else series), table


def write_pairs(series, table, folder):
    """Write the series with a column for either attribute."""
    series.write(folder)
    for path in sorted((folder / "releases").glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[*head[:-1], *ATTRIBUTES], *([*row[:-1], *PAIRS[row[-1]]] for row in rows)])
    manifest = folder / "series.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('sensitive = "Value"', f"sensitive = {ATTRIBUTES}"), encoding="utf-8")
    if table is not None:
        lines = ["from,to", *(f"{source},{target}" for source, targets in table.items() for target in targets)]
        (folder / "transitions.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
