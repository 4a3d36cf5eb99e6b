"""Texts and identifiers of whole columns are numbered as a dictionary numbers them."""

from __future__ import annotations

import uuid

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audit.io import releases
from audit.io.release_reading import read_release
from audit.io.releases import COUNTERFEIT, IdentifierEncoder, TextIndex
from audit.io.rules.spelling import nearly_respelled, respelled
from audit.io.series import open_series
from audit.io.tables import text_codes
from audit.io.texts import SPACES, texts_of, used_texts
from audit.model.arrays import NOBODY
from tests.helpers.amount import some
from tests.mutants.mutant import kills

# Texts that are alike: with zeros at the end, around the eight bytes of a word, in several scripts.
ALIKE = st.text(alphabet="a\0é€", max_size=19) | st.sampled_from(["P000001", "P0000010", "x" * 64, "x" * 65])
COLUMNS = st.lists(st.lists(ALIKE | st.text(st.characters(codec="utf-8"), max_size=9), max_size=40), max_size=5)


def by_dictionary(columns: list[list[str]]) -> list[list[int]]:
    """The codes of columns: new texts of each in the order of their hashes."""
    known: dict[str, int] = {}
    for column in columns:
        fresh = list(dict.fromkeys(text for text in column if text not in known))
        order = np.argsort(releases.hashes(pa.array(fresh, pa.string())))
        known |= {fresh[place]: len(known) + at for at, place in enumerate(order.tolist())}
    return [[known[text] for text in column] for column in columns]


def indexed(columns: list[list[str]]) -> list[list[int]]:
    index, at_once = TextIndex(), TextIndex()
    arrays = [pa.array(column, pa.string()) for column in columns]
    found = [index.add([array])[0].tolist() for array in arrays]
    assert [codes.tolist() for codes in at_once.add(arrays)] == found
    assert at_once.texts.equals(index.texts)
    everything = [text for column in columns for text in column]
    assert sorted(index.texts.to_pylist()) == sorted(set(everything))
    again = index.find(pa.array([*everything, "nowhere to be found"], pa.string()))
    assert again.tolist() == [*(code for column in found for code in column), -1]
    return found


@settings(max_examples=some(300), deadline=None)
@given(COLUMNS)
def test_texts_are_numbered_as_by_a_dictionary(columns: list[list[str]]) -> None:
    assert indexed(columns) == by_dictionary(columns)


@pytest.mark.parametrize("tags", [1, 4])
def test_equal_hashes_do_not_make_texts_equal(monkeypatch: pytest.MonkeyPatch, tags: int) -> None:
    few = lambda texts: np.array([len(text) % tags for text in texts.to_pylist()], np.uint64)  # noqa: E731
    monkeypatch.setattr(releases, "hashes", few)
    rng = np.random.default_rng(tags)
    columns = [[f"P{number}" * int(number % 4) for number in rng.integers(0, 300, 200)] for _ in range(4)]
    assert indexed(columns) == by_dictionary(columns)


@given(st.lists(st.none() | st.text(st.sampled_from(SPACES + "ab é"), max_size=5), max_size=20))
def test_cells_are_stripped_as_by_python(cells: list[str | None]) -> None:
    expected = [(cell or "").strip() for cell in cells]
    column = pa.array(cells, pa.string())
    assert texts_of(column)[0].to_pylist() == expected
    for array in (column, column.dictionary_encode(), column.dictionary_encode(null_encoding="encode")):
        codes, names = text_codes(array)
        assert [names[code] for code in codes.tolist()] == expected
        assert len(set(names)) == len(names)


@kills("audit.io.texts.stripped", "if not flags", "if flags")
def test_a_spreadsheets_formula_of_a_text_is_the_text() -> None:
    column = pa.array(['="007"', '="p3 "', ' ="" ', "=7", '="a" & "b"', '="a', None])
    assert texts_of(column)[0].to_pylist() == ["007", "p3", "", "=7", '="a" & "b"', '="a', ""]


HEXADECIMAL = [uuid.UUID(int=n * 0x9E37_79B9_7F4A_7C15).hex for n in range(6)]


@pytest.mark.parametrize(
    "kinds",
    [
        (pa.binary(16), pa.binary()),
        (pa.binary(), pa.string()),
        (pa.large_binary(), pa.large_string()),
        (pa.dictionary(pa.int32(), pa.string()), pa.string()),
        (pa.string(), "csv"),
    ],
)
def test_identifiers_of_any_type_are_the_same_people(tmp_path, kinds) -> None:
    (tmp_path / "series.toml").write_text(
        '[series]\nname = "x"\nreleases = ["a.*", "b.*"]\n'
        '[columns]\nindividual = "who"\ngroup = "g"\nsensitive = "s"\nquasi_identifiers = []\n'
    )
    orders = [[0, 1, 2, 3, 4, 5], [3, 0, 5, 1, 4, 2]]
    for name, order, kind in zip("ab", orders, kinds, strict=True):
        texts = [HEXADECIMAL[place] for place in order]
        binary = kind != "csv" and "binary" in str(kind)
        cells = pa.array([bytes.fromhex(text) for text in texts] if binary else texts)
        cells = cells if kind == "csv" else cells.cast(kind)
        table = pa.table({"who": cells, "g": ["1", "1", "1", "2", "2", "2"], "s": ["x", "y"] * 3})
        if kind == "csv":
            pa_csv.write_csv(table, tmp_path / f"{name}.csv")
        else:
            pq.write_table(table, tmp_path / f"{name}.parquet", compression="zstd", row_group_size=4)
    series = open_series(tmp_path)
    codes = [read_release(series, place).person.tolist() for place in range(2)]
    names = [series.people.names(np.array(found)).to_pylist() for found in codes]
    assert names == [[HEXADECIMAL[place] for place in order] for order in orders]
    assert sorted(codes[0]) == sorted(codes[1]) == list(range(6))


def test_no_number_says_in_which_row_a_text_is() -> None:
    """Otherwise the people of a release, in the order of their numbers, would stand beside their values."""
    texts = [f"P{number:04}" for number in range(200)]
    mixed = np.random.default_rng(1).permutation(200)
    index, other = TextIndex(), TextIndex()
    (codes,), (again,) = index.add([pa.array(texts)]), other.add([pa.array(np.array(texts)[mixed].tolist())])
    assert codes[mixed].tolist() == again.tolist()
    assert sorted(again.tolist()) != again.tolist()


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
            releases, "hashes", lambda texts: np.array([len(text) % 2 for text in texts.to_pylist()], np.uint64)
        )
        people = IdentifierEncoder(0)
        for column in columns:
            for text, code in zip(column, people.encode(pa.array(column, pa.string())).tolist(), strict=True):
                assert given_out.setdefault(text.strip(), code) == code
    given_out.pop("", None)
    assert sorted(given_out.values()) == list(range(len(given_out)))


SIGNS = ["a", "A", "ß", "ss", "Σ", "ς", "０", "0", "1", "10", ".", " ", "\u2003", "+", "-", "é", "e\u0301", "ﬁ", "fi"]
BESIDE = [
    "ü",
    "ue",
    "\u0430",
    " and ",
    "&",
    "(provisional)",
    "[b]",
    " 1)",
    "*",
    "¹",
    "J10 ",
    "a) ",
    "davon: ",
    "'",
    "#",
    " # end",
    " EOF",
    "(estimate)",
    "D-",
]


@kills(
    "audit.io.releases.coarse",
    'pc.utf8_upper(pc.utf8_normalize(texts, form="NFKD"))',
    'pc.utf8_normalize(texts, form="NFKD")',
)
@kills("audit.io.releases.coarse", "replace_substring_regex(plain, _REMARK,", "replace_substring_regex(plain, _MIXED,")
@kills("audit.io.releases.coarse", "else _by(plain, _MIXED, skeleton)", "else plain")
@kills("audit.io.releases.coarse", "() if is_ascii else _TWO_LETTERS", "()")
@kills("audit.io.releases._parts", 'r"\\1\\5"', 'r"\\2\\3\\4"')
@kills("audit.io.releases.IdentifierEncoder.alike", "found |= flags(pc.is_in(keys, value_set=part))", "pass")
@given(st.lists(st.lists(st.sampled_from([*SIGNS, *BESIDE]), max_size=4).map("".join).map(str.strip), max_size=30))
@example(["aΣ", "aς", "ß", "SS", "-0", "+0.0", "ΠΣ", "πς"])
@example(["and 10 # enda)", "10"])
@example(["hiv", "h\u0456v", "1", "\u0661"])
@example(["ß", "ß # end", "ß, ß", "é\u00a0#\u00a0end", "É", "Ω end", "ω"])
@example(["10000001T", "10.000.001-T", "T010000001", "20000002R", "20000002", "x 3 000 000", "3000000"])
@example(["Ann", "Ann (Revised)", "12 Bob", "12", "Carl [J10]", "J10", "of which Eve", "Eve", "Sue", "Su\u00e9"])
@example(
    ["12345678901234567 Bob", "12345678901234567", "J10 Mary Ann Bell", "J10", "Eve Joy Sue (Revised)", "Eve Joy Sue"]
)
def test_millions_of_identifiers_are_compared_as_folding_compares_them(texts):
    """By a coarse spelling first, which all share that differ in spelling alone."""
    encoder = IdentifierEncoder()
    encoder.encode(pa.array([*texts, "no number"]))
    found, _ = encoder.alike()
    assert sorted(map(sorted, respelled({*found}))) == sorted(map(sorted, respelled({*texts} - {""})))
    groups = (nearly_respelled(sorted(each), remarks=True, ids=True) for each in ({*found}, {*texts} - {""}))
    assert sorted(map(sorted, next(groups))) == sorted(map(sorted, next(groups)))


@pytest.mark.parametrize("kind", [pa.uint8(), pa.int32(), pa.uint64()], ids=str)
def test_texts_of_a_dictionary_that_no_row_has_are_left_out(kind: pa.DataType) -> None:
    """Indices of 64 bits without sign are kept in Parquet, and older versions of numpy do not count them."""
    cells = pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 0], kind), ["a", "b", "c"])
    assert used_texts(cells).dictionary.to_pylist() == ["a", "c"]
    assert used_texts(cells).to_pylist() == ["a", "c", None, "a"]


@kills(
    "audit.io.releases.IdentifierEncoder.number",
    "self._texts_in_numbers(column_of(names), None, self.limit)",
    "self._in_numbers(column_of(names))",
)
def test_identifiers_that_the_program_makes_are_not_stripped():
    """Kinds of people that may be in the data end with a blank, which no identifier of a file does."""
    people = IdentifierEncoder()
    person, empty = people.number(["q0", ""]).tolist()
    kind, again = people.number(["q0 ", "q0"]).tolist()
    assert (again, empty) == (person, NOBODY)
    assert kind != person
