"""Identifiers that are a prefix and a number: read as by a regular expression, and written as they were."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.io.encoding import COUNTERFEIT, NOBODY, IdentifierEncoder
from audit.io.serial_numbers import SerialNumbers

# As long as no word, a word, and two of them, in one byte a character and in several.
PREFIXES = ["", "P", "0", "00", "~", "é", "ID-2026", "PATIENT-", "PATIENT-1", "PERSON-OF-2026-0", "PERSON-OF-2026/17"]
NUMBERS = st.integers(0, 12) | st.integers(0, 10**10)


def column(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.string())


def by_expression(form: SerialNumbers, text: str) -> int:
    digits = f"[0-9]{{{form.digits}}}" if form.digits else "(0|[1-9][0-9]{0,8})"
    found = re.fullmatch(re.escape(form.prefix) + digits, text, re.ASCII)
    number = int(text.removeprefix(form.prefix)) if found else -1
    return number if number < form.limit else -1


@st.composite
def texts_of_some_forms(draw: st.DrawFn) -> list[str]:
    forms = draw(st.lists(st.tuples(st.sampled_from(PREFIXES), st.integers(0, 10)), min_size=1, max_size=3))
    written = [draw(st.lists(NUMBERS, max_size=8)) for _ in forms]
    texts = [
        f"{prefix}{number:0{digits}}" for (prefix, digits), of in zip(forms, written, strict=True) for number in of
    ]
    return [*texts, *draw(st.lists(st.text(alphabet="P0179\0é~/-", max_size=20), max_size=draw(st.integers(0, 3))))]


@given(texts_of_some_forms(), st.sampled_from(PREFIXES), st.integers(0, 9), st.sampled_from([0, 1, 11, 10**6, 10**9]))
def test_numbers_are_those_of_a_regular_expression(texts: list[str], prefix: str, digits: int, limit: int) -> None:
    form = SerialNumbers(limit, prefix, digits)
    expected = [by_expression(form, text) for text in texts]
    assert form.numbers(column(texts)).tolist() == expected
    for text, number in zip(texts, expected, strict=True):
        assert number < 0 or form.text(number) == text
    numbers = [number for number in expected if number >= 0]
    assert form.texts(pa.array(numbers, pa.int32())).to_pylist() == [form.text(number) for number in numbers]


@pytest.mark.parametrize("prefix", [prefix for prefix in PREFIXES if not prefix[-1:].isdigit()])
@pytest.mark.parametrize("digits", range(10))
def test_each_form_is_recognized(prefix: str, digits: int) -> None:
    numbers = [0, 7, 8, 9] if digits == 1 else [7, 0, 10, 99]
    found = SerialNumbers.of(column([f"{prefix}{number:0{digits}}" for number in numbers]), 100)
    assert [found.text(number) for number in numbers] == [f"{prefix}{number:0{digits}}" for number in numbers]


SEVERAL_FORMS = ["17 A", "P17 Q18", "P017 P18", "P1 P100", "P P1", "P17x", "P1 x", "17 P17", "0000000017 18"]


@pytest.mark.parametrize("texts", SEVERAL_FORMS)
def test_texts_of_several_forms_have_none(texts: str) -> None:
    assert SerialNumbers.of(column(texts.split()), 100) == SerialNumbers()


def test_bytes_next_to_the_digits_are_none() -> None:
    around = [(before, after) for before in ("1", "1234567", "12345678") for after in ("", "9")]
    texts = [f"{before}{chr(byte)}{after}" for byte in range(256) for before, after in around]
    for prefix in PREFIXES:
        form = SerialNumbers(10**9, prefix)
        assert form.numbers(column([prefix + text for text in texts])).tolist() == [
            int(text) if re.fullmatch("[0-9]{1,9}", text, re.ASCII) else -1 for text in texts
        ]


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
