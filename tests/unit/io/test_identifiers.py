"""Identifiers that are numbers, with and without a prefix: an encoder numbers them as a dictionary does."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.io import encoding
from audit.io.encoding import COUNTERFEIT, NOBODY, IdentifierEncoder
from audit.io.rules.spelling import respelled

# As long as no word, a word, and two of them, in one byte a character and in several.
PREFIXES = ["", "P", "0", "00", "~", "é", "ID-2026", "PATIENT-", "PATIENT-1", "PERSON-OF-2026-0", "PERSON-OF-2026/17"]
NUMBERS = st.integers(0, 12) | st.integers(0, 10**10)


@st.composite
def texts_of_some_forms(draw: st.DrawFn) -> list[str]:
    forms = draw(st.lists(st.tuples(st.sampled_from(PREFIXES), st.integers(0, 10)), min_size=1, max_size=3))
    written = [draw(st.lists(NUMBERS, max_size=8)) for _ in forms]
    texts = [
        f"{prefix}{number:0{digits}}" for (prefix, digits), of in zip(forms, written, strict=True) for number in of
    ]
    return [*texts, *draw(st.lists(st.text(alphabet="P0179\0é~/-", max_size=20), max_size=draw(st.integers(0, 3))))]


@given(st.lists(texts_of_some_forms(), min_size=1, max_size=4))
@example([["P1", "~1", ""], ["~1", "Q1", "P01", "P2", "P1"]])
@example([["~P1"], ["P1", "1", "~P1"]])
def test_an_encoder_numbers_as_a_dictionary(columns: list[list[str]]) -> None:
    columns = [[text.strip() for text in column] for column in columns]
    people = IdentifierEncoder()
    given_out: dict[str, int] = {}
    for column in columns:
        for text, code in zip(column, people.encode(pa.array(column, pa.string())).tolist(), strict=True):
            assert given_out.setdefault(text, code) == code
    assert given_out.pop("", NOBODY) == NOBODY
    assert len(set(given_out.values())) == len(given_out)
    assert all(0 <= code < people.size for code in given_out.values())
    texts, codes = list(given_out), np.array(list(given_out.values()), dtype=np.int32)
    assert people.names(np.append(codes, np.int32(NOBODY))).to_pylist() == [*texts, ""]
    assert [people.name(code) for code in codes.tolist()] == texts
    assert people.codes([*texts, "nobody's"]).tolist() == [*codes.tolist(), -1]
    are_fake = people.is_counterfeit()
    fakes = {code for text, code in given_out.items() if text.startswith(COUNTERFEIT)}
    assert fakes == {code for code in given_out.values() if are_fake[code]}


@given(st.lists(texts_of_some_forms(), min_size=1, max_size=4))
def test_identifiers_of_one_hash_are_told_from_one_another(columns: list[list[str]]) -> None:
    given_out: dict[str, int] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            encoding, "hashes", lambda texts: np.array([len(text) % 2 for text in texts.to_pylist()], np.uint64)
        )
        people = IdentifierEncoder(0)
        for column in columns:
            for text, code in zip(column, people.encode(pa.array(column, pa.string())).tolist(), strict=True):
                assert given_out.setdefault(text.strip(), code) == code
    given_out.pop("", None)
    assert sorted(given_out.values()) == list(range(len(given_out)))


SIGNS = ["a", "A", "ß", "ss", "Σ", "ς", "０", "0", "1", "10", ".", " ", "\u2003", "+", "-", "é", "e\u0301", "ﬁ", "fi"]


@given(st.lists(st.lists(st.sampled_from(SIGNS), max_size=4).map("".join).map(str.strip), max_size=30))
@example(["aΣ", "aς", "ß", "SS", "-0", "+0.0"])
def test_millions_of_identifiers_are_compared_as_folding_compares_them(texts):
    """By a coarse spelling first, which all share that differ in spelling alone."""
    encoder = IdentifierEncoder()
    encoder.encode(pa.array([*texts, "no number"]))
    found, _ = encoder.alike()
    assert sorted(map(sorted, respelled({*found}))) == sorted(map(sorted, respelled({*texts} - {""})))
