"""Cells: what each notation means, and that the algebra agrees with what cells cover."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction as F
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import Hierarchy, covers, infer_kind, parse, parse_value
from audit.io.cells import (
    Anything,
    Cell,
    CellError,
    Interval,
    Kind,
    Masked,
    NumberSet,
    ValueSet,
    contains,
    cover_ranges,
    intersect,
)
from audit.io.notations import fold
from audit.repair.merged_cells import merged_text
from tests.mutants.mutant import kills

NUMERIC, CATEGORICAL = Kind.NUMERIC, Kind.CATEGORICAL
MISSING = frozenset({"?"})


def between(low: int | str | None, high: int | str | None, low_open: bool = False, high_open: bool = False) -> Cell:
    ends = [None if end is None else F(end) for end in (low, high)]
    return Interval(ends[0], ends[1], low_open, high_open)


def texts(*members: str) -> Cell:
    return ValueSet(frozenset(members))


PLACES = Hierarchy(
    "places.csv",
    (
        ("Rome", "Milan", "Oslo", "San Marino", "Paris, Texas"),
        ("Italy", "Italy", "Norway", "San Marino", "USA"),
        ("South", "South", "North", "South", "South"),
        ("*", "*", "*", "*", "*"),
    ),
)
AGES = Hierarchy("ages.csv", (("1", "2", "5"), ("0-4", "0-4", "5-9"), ("*", "*", "*")))
SOUTH = ("Rome", "Milan", "San Marino", "Paris, Texas")


# What notations mean


@pytest.mark.parametrize(
    ("expected", "texts"),
    [
        (between(21, 21), ["21", " 21.0 ", "+21.", "2.1e1", "[21, 21]"]),
        (between("1/2", "1/2"), [".5"]),
        (between("1/10", "1/10"), ["0.1"]),
        (between(-5, -5), ["-5", "−5"]),
        (between(21, 22), ["[21, 22]", "[21,22]", "[ 21 - 22 ]", "21-22", "21–22", "[21–22]"]),
        (between(21, 22, high_open=True), ["[21, 22[", "[21, 22)"]),
        (between(21, 22, low_open=True), ["(21, 22]", "]21, 22]"]),
        (between(21, 22, low_open=True, high_open=True), ["]21, 22[", "(21-22)"]),
        (between(-5, -1), ["-5--1", "[-5--1]", "[-5, -1]"]),
        (between(-5, 1), ["-5-1"]),
        (between("1/100000", "1/100000"), ["1e-5"]),
        (between("1/100000", 2), ["1e-5-2"]),
        (between(65, None), [">=65", "≥ 65"]),
        (between(65, None, low_open=True), [">65"]),
        (between(None, 18), ["<=18", "≤18"]),
        (between(None, "-37/2", high_open=True), ["<-18.5"]),
        (NumberSet(frozenset({F(1), F(5)})), ["{1, 5}", "{5,1,5.0}"]),
        (between(1, 1), ["{ 1 , }"]),
        (Anything(), ["{1, *}", "*", " ***** ", "?"]),
        (between(20430, 20439), ["2043*"]),
        (between(20400, 20499), ["204**"]),
        (between(0, 9), ["0*"]),
    ],
)
def test_numeric_notations(texts: list[str], expected: Cell) -> None:
    for text in texts:
        cell = parse(text, NUMERIC, None, MISSING)
        assert cell == expected
        assert hash(cell) == hash(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "abc", "nan", "inf", "-inf", "1e999", "1e999999999", "1e-301", "9" * 41, "9" * 5000),
        *("[", "]", "[1,", "[1", "1]", "[1, 2", "1, 2", "1,5", "[]", "[,]", "[1, 2, 3]", "(1; 2)", "1 2", "--1"),
        *("[5, 3]", "5-3", "]3,3[", "[3, 3[", "(3, 3]", "{}", "{,}", "{ }", "{1, a}", "{1-3, 5}", "{1, 5", "1/3"),
        *("٣", "２１", "1_000", "0x10", "\0", "1\0", "2*3", "-2*", "a*", "9" * 40 + "*", ">", ">=", "=>5", "> >5"),
        *("[1e999, 2]", "[1, nan]", ">inf", "{1, nan}", "\ud800", "1e", "e5", ".", "-", "[-, 1]"),
    ],
)
def test_invalid_numeric_cells_are_refused(text: str) -> None:
    with pytest.raises(CellError) as caught:
        parse(text, NUMERIC, None, MISSING)
    assert caught.value.what
    assert caught.value.remedy
    assert str(caught.value) == f"{caught.value.what}; {caught.value.remedy}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" flu ", texts("flu")),
        ("{a, b}", texts("a", "b")),
        ("{b,a,}", texts("a", "b")),
        ("{a}", texts("a")),
        ("a,b", texts("a", "b", "a,b")),
        ("a , b", texts("a", "b", "a , b")),
        ("2143,2044,-1", texts("2143", "2044", "-1", "2143,2044,-1")),
        ("[21, 22]", texts("[21, 22]")),
        ("]21, 22]", texts("]21, 22]")),
        ("[−5, 3]", texts("[−5, 3]")),
        ("{a", texts("{a")),
        ("21", texts("21")),
        ("204**", Masked("204", 5)),
        ("2043*", Masked("2043", 5)),
        ("SW1A 1**", Masked("SW1A 1", 8)),
        ("*a", texts("*a")),
        ("*", Anything()),
        ("**", Anything()),
        ("?", Anything()),
        ("{a, ?}", Anything()),
        ("a,?", Anything()),
        ("\0", texts("\0")),
        ("nan", texts("nan")),
    ],
)
def test_categorical_notations(text: str, expected: Cell) -> None:
    assert parse(text, CATEGORICAL, None, MISSING) == expected


@pytest.mark.parametrize("text", ["", " ", "{}", "{ , }", "{204**, 205**}", "204**,205**", "204**,205"])
def test_invalid_categorical_cells_are_refused(text: str) -> None:
    with pytest.raises(CellError):
        parse(text, CATEGORICAL, None, MISSING)


def test_an_empty_cell_may_be_declared_missing() -> None:
    missing = frozenset({""})
    assert parse(" ", NUMERIC, None, missing) == Anything()
    assert parse("{a, }", CATEGORICAL, None, missing) == Anything()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Italy", texts("Rome", "Milan")),
        ("Rome", texts("Rome")),
        ("San Marino", texts("San Marino")),
        ("South", texts(*SOUTH)),
        ("Paris, Texas", texts("Paris, Texas")),
        ("{Italy, Oslo}", texts("Rome", "Milan", "Oslo")),
        ("Italy,Oslo", texts("Rome", "Milan", "Oslo")),
        ("*", Anything()),
        ("Mil**", Masked("Mil", 5)),
    ],
)
def test_labels_cover_their_leaves(text: str, expected: Cell) -> None:
    assert parse(text, CATEGORICAL, PLACES) == expected


def test_a_label_in_several_branches_covers_the_union() -> None:
    other = Hierarchy("h", (("a", "b", "c"), ("x", "y", "b"), ("*", "*", "*")))
    assert parse("b", CATEGORICAL, other) == texts("b", "c")


@pytest.mark.parametrize("text", ["Itly", "{Italy, Itly}", "Italy,Itly", ",", "[21, 22]"])
def test_a_hierarchy_names_all_values(text: str) -> None:
    with pytest.raises(CellError, match="hierarchy"):
        parse(text, CATEGORICAL, PLACES)


def test_a_missing_marker_wins_over_a_label() -> None:
    assert parse("?", CATEGORICAL, Hierarchy("h", (("?", "a"), ("none", "some"))), MISSING) == Anything()


def test_labels_of_numbers() -> None:
    assert parse("0-4", NUMERIC, AGES) == NumberSet(frozenset({F(1), F(2)}))
    assert parse("5-9", NUMERIC, AGES) == between(5, 5)
    assert parse("{5-9, 1}", NUMERIC, AGES) == NumberSet(frozenset({F(1), F(5)}))
    assert parse("[0, 4]", NUMERIC, AGES) == between(0, 4)
    with pytest.raises(CellError):
        parse("Italy", NUMERIC, PLACES)


def test_intervals_are_canonical_by_construction() -> None:
    for ends in [(None, None), (2, 1), (1, 1, True), (1, 1, False, True), (None, 1, True), (1, None, False, True)]:
        with pytest.raises(ValueError, match=r"interval|canonical"):
            between(*ends)


# Kinds


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["21", "[21, 22]", "*", "?"], NUMERIC),
        (["20433", "2043*", "*****"], NUMERIC),
        (["2043*", "204**"], CATEGORICAL),
        (["*", "?"], CATEGORICAL),
        ([], CATEGORICAL),
        (["21", "female"], CATEGORICAL),
        (["21", "fem*"], CATEGORICAL),
        ([">=65", "<18", "{20, 30}"], NUMERIC),
        (["21", "1,5"], CATEGORICAL),
        (["[5, 3]"], NUMERIC),
        (["21", ""], CATEGORICAL),
        (["nan"], CATEGORICAL),
        (["{a, b}"], CATEGORICAL),
    ],
)
def test_kinds(column: Sequence[str], kind: Kind) -> None:
    assert infer_kind(column, MISSING) is kind


# Values


def test_values() -> None:
    assert parse_value(" 12.0 ", NUMERIC) == parse_value("12", NUMERIC) == 12
    assert parse_value(" 12.0 ", CATEGORICAL) == "12.0"
    for unknown in ("", " ", "*", "**", "?", " ? "):
        assert parse_value(unknown, NUMERIC, MISSING) is None
        assert parse_value(unknown, CATEGORICAL, MISSING) is None
    for text in ("a", "[1, 2]", "?", "nan", "1e999", "9" * 5000):
        with pytest.raises(CellError):
            parse_value(text, NUMERIC)


@kills("audit.io.cells._span", "bisect_left if cell.high_open else bisect_right", "bisect_right")
@kills("audit.io.cells.cover_numbers", "grid[:, [value is None for value in values]] = True", "pass")
def test_covers_numbers_exactly() -> None:
    cells = [parse(text, NUMERIC) for text in ("[0.1, 0.3[", "0.3", "{0.1, 7}", ">0.1", "*")]
    assert covers(cells, ["0.10", "0.3", "?", "7.0"], NUMERIC, MISSING).tolist() == [
        [True, False, True, False],
        [False, True, True, False],
        [True, False, True, True],
        [False, True, True, True],
        [True, True, True, True],
    ]


def test_covers_texts() -> None:
    cells = [parse(text, CATEGORICAL, PLACES) for text in ("Italy", "Mil**", "Paris, Texas", "*")]
    assert covers(cells, [" Rome", "Milan", "Milano", "?", "Paris, Texas"], CATEGORICAL, MISSING).tolist() == [
        [True, True, False, True, False],
        [False, True, False, True, False],
        [False, False, False, True, True],
        [True, True, True, True, True],
    ]


@pytest.mark.parametrize("kind", Kind)
def test_covers_of_nothing(kind: Kind) -> None:
    value = "2024-03-17" if kind.is_date else "1"
    assert covers([], [value, ""], kind).shape == (0, 2)
    assert covers([Anything()], [], kind).shape == (1, 0)
    assert covers([Anything()], ["", value], kind).tolist() == [[True, True]]


def test_cells_of_the_other_kind_are_refused() -> None:
    with pytest.raises(TypeError):
        covers([texts("1")], ["1"], NUMERIC)
    with pytest.raises(TypeError):
        covers([between(1, 1)], ["1"], CATEGORICAL)
    with pytest.raises(TypeError):
        intersect(texts("1"), between(1, 1))
    with pytest.raises(TypeError):
        cover_ranges([texts("1")], [F(1)])
    with pytest.raises(CellError):
        covers([Anything()], ["a"], NUMERIC)


# Laws. Ends are halves and values quarters: two cells are equal exactly when they cover the same values.

HALVES = st.integers(-1, 7).map(lambda n: F(n, 2))
QUARTERS = [str(n / 4) for n in range(-4, 20)] + ["1e9", "-1e9"]


@st.composite
def intervals(draw: st.DrawFn) -> Cell:
    low, high = draw(st.none() | HALVES), draw(st.none() | HALVES)
    if low is None and high is None:
        return Anything()
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high)
    is_open = st.just(False) if low == high else st.booleans()
    return Interval(low, high, low is not None and draw(is_open), high is not None and draw(is_open))


numeric_cells = intervals() | st.frozensets(HALVES, min_size=2, max_size=5).map(NumberSet)
words = st.text("ab", min_size=1, max_size=4)
WORDS = ["a", "b", "c", *(x + y + z + w for x in "abc" for y in "abc" for z in ("", *"abc") for w in ("", *"abc"))]
masks = st.builds(lambda word, stars: Masked(word, len(word) + stars), words.filter(lambda w: len(w) < 4), st.just(1))
longer_masks = words.filter(lambda w: len(w) < 3).map(lambda word: Masked(word, 4))
text_cells = st.one_of(
    st.just(Anything()), st.frozensets(words, min_size=1, max_size=6).map(ValueSet), masks, longer_masks
)
columns = st.one_of(
    st.tuples(st.just(NUMERIC), st.lists(numeric_cells, min_size=2, max_size=6), st.just(QUARTERS)),
    st.tuples(st.just(CATEGORICAL), st.lists(text_cells, min_size=2, max_size=6), st.just(WORDS)),
)
Column = tuple[Kind, list[Cell], list[str]]


def covers_one(cell: Cell, text: str) -> bool:
    """Say whether a cell covers a value, written anew and naively."""
    match cell:
        case Anything():
            return True
        case NumberSet(members):
            return F(text) in members
        case ValueSet(members):
            return text in members
        case Masked(prefix, length):
            return len(text) == length and text[: len(prefix)] == prefix
    number = F(text)
    if cell.low is not None and (number < cell.low or (cell.low_open and number == cell.low)):
        return False
    return cell.high is None or not (number > cell.high or (cell.high_open and number == cell.high))


@given(columns, st.randoms(use_true_random=False))
def test_covers_agrees_with_the_definition(column: Column, random: Random) -> None:
    kind, cells, values = column
    values = [*values, *values[:5]]
    random.shuffle(values)
    assert covers(cells, values, kind).tolist() == [[covers_one(c, v) for v in values] for c in cells]


def small_numeric_cells() -> list[Cell]:
    """Every numeric cell whose ends or members are among 0, 1/2 and 1."""
    ends = [F(0), F(1, 2), F(1)]
    cells: list[Cell] = [Anything(), *(NumberSet(frozenset(pair)) for pair in combinations(ends, 2))]
    for low, high, low_open, high_open in product([None, *ends], [None, *ends], [False, True], [False, True]):
        with suppress(ValueError):
            cells.append(Interval(low, high, low_open, high_open))
    return [*cells, NumberSet(frozenset(ends))]


def small_text_cells() -> list[Cell]:
    """Many cells of texts of at most three letters a and b."""
    some = ["a", "b", "ab", "ba", "abb"]
    sets = [ValueSet(frozenset(chosen)) for size in (1, 2, 3) for chosen in combinations(some, size)]
    return [Anything(), *sets, *(Masked(prefix, 3) for prefix in some[:4]), Masked("a", 2), Masked("b", 2)]


@kills("audit.io.cells._holds", "cell.low == number and not cell.low_open", "cell.low == number")
@kills("audit.io.cells.contains", "== inner", "is not None")
@pytest.mark.parametrize(
    ("kind", "cells", "values"), [(NUMERIC, small_numeric_cells(), QUARTERS), (CATEGORICAL, small_text_cells(), WORDS)]
)
def test_every_pair_of_small_cells(kind: Kind, cells: list[Cell], values: list[str]) -> None:
    seen = dict(zip(cells, covers(cells, values, kind), strict=True))
    assert len(seen) == len(cells)
    for left, right in product(cells, repeat=2):
        both = intersect(left, right)
        shared = covers([both], values, kind)[0] if both is not None else np.zeros(len(values), dtype=bool)
        assert shared.tolist() == (seen[left] & seen[right]).tolist(), (left, right)
        assert (both is None) == (not shared.any())
        assert both == intersect(right, left)
        assert contains(left, right) == bool((seen[left] | ~seen[right]).all()), (left, right)


@given(st.lists(intervals(), max_size=5), st.sets(st.sampled_from(QUARTERS), max_size=12))
def test_ranges_agree_with_covers(cells: list[Cell], values: set[str]) -> None:
    ascending = sorted(values, key=F)
    low, high, exact = cover_ranges(cells, [F(value) for value in ascending])
    assert exact.all()
    for row, first, last in zip(covers(cells, ascending, NUMERIC), low, high, strict=True):
        assert np.flatnonzero(row).tolist() == list(range(first, last))


# Whatever a file may hold

ANY_TEXT = st.text() | st.text("[](){}<>=≥≤-–−+,.*?0123456789eE _\0ab\n")


@given(ANY_TEXT, st.sampled_from(Kind), st.sampled_from([None, PLACES, AGES]), st.sampled_from([MISSING, frozenset()]))
def test_any_text_is_a_cell_or_a_cell_error(
    text: str, kind: Kind, hierarchy: Hierarchy | None, missing: frozenset[str]
) -> None:
    assert infer_kind([text], missing) in Kind
    try:
        cell = parse(text, kind, hierarchy, missing)
    except CellError:
        pass
    else:
        assert intersect(cell, cell) == cell
    try:
        parse_value(text, kind, missing)
    except CellError:
        pass
    else:
        assert covers([Anything()], [text], kind, missing).all()


@given(ANY_TEXT)
def test_an_inferred_numeric_cell_parses_or_covers_nothing(text: str) -> None:
    if infer_kind([text]) is NUMERIC:
        try:
            parse(text, NUMERIC)
        except CellError as error:
            assert "interval is empty" in error.what or "set is empty" in error.what  # noqa: PT017


TEXTS = st.text("ab1 ,;|{}[]\"'*\uff0c\uff5d", min_size=1, max_size=6).map(str.strip).filter(bool)


@kills("audit.io.cells.quoted", '"," in text or ', "")
@kills("audit.io.notations.fold", ", always=mark", "")
@given(st.sets(TEXTS, min_size=1, max_size=4), st.booleans())
@example({"Artisans, commerçants, chefs d'entreprise", "Artisans"}, False)
@example({"Artisans", "Cadres"}, True)
@example({"1", "\uff0c"}, False)
def test_what_is_written_for_a_set_of_texts_is_read_as_this_set(texts: set[str], spelled: bool) -> None:
    attribute = QuasiIdentifier("a", CATEGORICAL, None, MISSING, spelled=spelled)
    folded = {fold(text) for text in texts}
    written = attribute.shown(ValueSet(frozenset(texts)))
    if written is None:
        assert any(text.endswith("*") for text in texts), "only a star may be a mask, or say nothing"
        return
    assert attribute.parse(written) == ValueSet(frozenset(texts))
    if written.startswith("{") and not any(text.endswith("*") for text in folded):
        assert attribute.parse(fold(written)) == ValueSet(frozenset(folded))


@kills(
    "audit.repair.merged_cells._merged_labels",
    "attribute.shown(ValueSet(frozenset(members))) or ANYTHING",
    "show(ValueSet(frozenset(members)))",
)
@kills("audit.repair.merged_cells.merged_text", "list_sign(text) is not None", "False")
@given(st.lists(TEXTS, min_size=2, max_size=4, unique=True), st.booleans())
@example(["Artisans, commerçants, chefs d'entreprise", "Artisans"], False)
@example(["Artisans", "Cadres"], True)
def test_merged_texts_are_read_as_cells_that_cover_each(texts: list[str], spelled: bool) -> None:
    attribute = QuasiIdentifier("a", CATEGORICAL, None, MISSING, spelled=spelled)
    cells = {}
    for text in texts:
        with suppress(CellError):
            cells[text] = attribute.parse(text)
    if cells:
        merged = merged_text(cells, attribute, texts)
        assert all(contains(attribute.parse(merged), cell) for cell in cells.values())
        assert len(cells) == 1 or not (merged in texts and "," in merged and merged[0] not in "{[*")
