"""Rules of columns, each written, read and forbidden; and columns that single people out."""

import random
import tomllib
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from audit.init.guesses import dotted_lines
from audit.io.manifest import parse_manifest
from audit.io.release_reading import SMALL, singling_columns
from audit.io.releases import RowClasses, a_row_of_each
from audit.io.rules import registry
from audit.io.rules.cell_meaning import Changing, ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.registry import RULES
from audit.io.rules.rows_and_values import (
    Date,
    Harmless,
    IgnoreRows,
    LeftOut,
    SeveralRows,
    Similar,
    Unlinkable,
    Unnamed,
)
from audit.io.rules.rule import ColumnRule, Delimiter, Encoding, Renamed, Rules, spelled
from audit.io.rules.spelling import Crosswalk, Decimal, Fold
from audit.io.tables import Coded
from audit.io.toml import Reader
from audit.model.errors import Problems
from tests.helpers.amount import some
from tests.helpers.messy import series_of
from tests.helpers.running import run_audit, run_main
from tests.mutants.mutant import kills

ODD = 'a "b"\\.ü'
STATED = [
    Delimiter("\t"),
    Encoding("cp1252"),
    Renamed({"2024 Q3": {ODD: "Age"}, "1": {"x": "Age"}}),
    IgnoreRows({ODD: ("Total", "")}),
    Decimal(","),
    Fold(("Age", ODD)),
    Crosswalk({"Age": "walk.csv"}),
    Hierarchies({"Age": "age.csv"}),
    Unlinkable({ODD: "drawn at random"}),
    ColumnTypes({"Age": "numeric"}),
    Missing(frozenset({"?", "", "NA"})),
    Spelled(("Town",)),
    Changing(("Age", "Town")),
    Unnamed("people"),
    SeveralRows("latest"),
    Date("Seen"),
    Harmless({"Disease": ("none", "")}),
    LeftOut({"Disease": ("refused",)}),
    Similar({"Disease": "chapters.csv"}),
]
BESIDE = {"rows": 'date = "Seen"', "date": 'rows = "latest"'}
BASE = f"""
[series]
releases = ["1.csv"]
[columns]
sensitive = "Disease"
quasi_identifiers = ["Age", "Town", '{ODD}2']
record = '{ODD}'
"""


def written(rule):
    return "\n".join(dotted_lines(rule.key, rule.stated).values())


def columns_of(folder, text):
    problems = Problems()
    found = parse_manifest(folder, text, problems)
    return None if found is None else found.columns, [str(each) for each in problems.found]


def test_every_rule_has_an_example():
    assert [type(rule) for rule in STATED if type(rule) in RULES] == [*RULES]


@pytest.mark.parametrize("rule", STATED, ids=lambda rule: rule.key)
def test_what_a_rule_writes_it_reads(rule, tmp_path):
    lines = written(rule)
    stated = tomllib.loads(lines)
    assert [*stated] == [rule.key]
    columns, _ = columns_of(tmp_path, f"{BASE}{lines}\n{BESIDE.get(rule.key, '')}")
    assert tomllib.loads(written(columns.rules[type(rule)])) == stated


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.key)
def test_a_rule_of_an_absent_key_writes_and_does_nothing(kind):
    rule = kind()
    assert not rule.stated
    assert (*rule.roles, *rule.files, *rule.marking) == ()
    assert rule.header(["a", "b"], "1", "1.csv", Problems()) == ["a", "b"]
    assert rule.respelling("a", "1", str) is None


@kills("audit.io.rules.rule.Rules.respellings", "partial(spelled, steps)", "str")
def test_a_crosswalk_names_values_as_the_release_spells_them():
    walk = Crosswalk({"V": "walk.csv"}, {("1", "V"): {"1,5": "GRIPPE", "cold": "Schnupfen"}})
    rules = Rules((Decimal(",", ("V",)), Fold(("V",)), walk))
    steps = rules.respellings("V", "1")
    assert [spelled(steps, text) for text in ("1,5", "1,50", "COLD ")] == ["grippe", "grippe", "schnupfen"]
    assert rules.spelled("V", "COLD") == "cold"


def test_a_comma_between_the_ends_of_a_range_is_no_decimal_comma(tmp_path):
    columns, _ = columns_of(tmp_path, BASE)
    assert columns.rules[Decimal].commas(columns, "Age", ["[0, 1.418]", "[2, 7]", "3"]) == []
    assert columns.rules[Decimal].commas(columns, "Age", ["[0, 1.418]", "1,5"]) == ["1,5"]


@kills("audit.io.rules.registry.with_rules", "kept = kept.without(type(rule))", "pass")
def test_a_rule_that_is_wrong_is_left_out_of_what_is_read(tmp_path):
    code, _, err = series(tmp_path, 'delimiter = ";;"')
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("audit: series.toml:7: `delimiter`: this is not a delimiter; ")


# -- a rule of its own --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pad(ColumnRule, key="pad", form=Reader.texts):
    """`pad = ["Disease"]`: in these columns a text counts up to its first sign of underlining."""

    columns: tuple[str, ...] = ()

    def faults(self, columns):
        yield from ((f'"{each}" is odd', "leave it out") for each in self.columns if each not in columns.named)

    def respelling(self, column, tag, so_far):
        return (lambda text: text.partition("_")[0]) if column in self.columns else None

    def unread(self, headers):
        return headers.lacking(self.columns)


@pytest.fixture
def with_pad(monkeypatch):
    monkeypatch.setattr(registry, "RULES", (*RULES, Pad))


def series(folder, pad):
    rows = [["Owner", "Age", "Disease"]]
    rows += [
        [f"p{n}", ["20-29", "30-39"][n % 2], ["flu", "cold", "gout"][n // 2 % 3] + "_" * (n % 3)] for n in range(12)
    ]
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age"]\nindividual = "Owner"\n{pad}'
    return run_audit(series_of(folder, [rows], columns))


def test_a_new_rule_is_one_class(with_pad, tmp_path):
    code, report, err = series(tmp_path, 'pad = ["Disease"]')
    assert (code, err) == (0, "")
    assert report["series"]["sensitive_values"] == 3
    assert [each for each in report["warnings"] if each["kind"] == "spelling"] == []


def test_what_a_new_rule_forbids_is_refused(with_pad, tmp_path):
    code, _, err = series(tmp_path, 'pad = ["Dis"]')
    assert code == 2
    assert 'series.toml:7: `pad`: "Dis" is odd; leave it out' in err


def test_without_it_its_key_is_unknown(tmp_path):
    code, _, err = series(tmp_path, 'pad = ["Disease"]')
    assert code == 2
    assert "[columns] has no such key" in err


@pytest.mark.parametrize("seed", range(some(60)))
def test_shares_are_those_counted_by_hand(seed):
    rng = random.Random(seed)  # noqa: S311
    rows = [tuple(rng.randrange(rng.choice([1, 2, 9])) for _ in range(3)) for _ in range(rng.randint(1, 25))]
    counts = [rng.randint(1, 3) for _ in rows] if rng.random() < 0.5 else None
    weight = counts or [1] * len(rows)

    def sizes(places):
        total = Counter()
        for row, times in zip(rows, weight, strict=True):
            total[tuple(row[p] for p in places)] += times
        return [total[tuple(row[p] for p in places)] for row in rows]

    def unique(places):
        return sum(w for w, a in zip(weight, sizes(places), strict=True) if a == 1)

    columns = [(np.array([row[p] for row in rows], dtype=np.int32), 9) for p in range(3)]
    one_group = Coded(np.zeros(len(rows), dtype=np.int32), 1, ["g"])
    found = singling_columns(
        "abc",
        columns,
        np.array(weight),
        RowClasses.of(one_group, a_row_of_each(one_group), columns, columns),
        sum(weight),
    )
    whole = sizes((0, 1, 2))
    if all(size >= SMALL for size in whole):
        assert found == ()
        return
    chosen = [each.column.split(" + ") for each in found]
    assert chosen[:3] == [["a"], ["b"], ["c"]]
    for each, columns in zip(found, chosen, strict=True):
        own = ["abc".index(name) for name in columns]
        without = list(zip(weight, whole, sizes([place for place in range(3) if place not in own]), strict=True))
        alone = sum(w for w, a, b in without if a == 1 < b)
        small = sum(w for w, a, b in without if a < SMALL <= b)
        assert (each.alone, each.small, each.by_itself) == tuple(n / sum(weight) for n in (alone, small, unique(own)))
    # The pair has the column with most unique rows and the other that makes most with it; where none adds any: no pair.
    first = max(range(3), key=lambda p: unique([p]))
    most = max(unique([first, p]) for p in range(3) if p != first)
    pairs = [columns for columns in chosen if len(columns) > 1]
    assert [unique(["abc".index(name) for name in pair]) for pair in pairs] == [most] * (most > unique([first]))


def test_the_advice_names_the_column(tmp_path):
    rows = [["Age", "BMI", "Disease"]]
    rows += [
        ["20-30" if n % 2 else "30-40", f"{20 + n}.5" if n < 8 else "30", "flu" if n % 3 else "cold"] for n in range(20)
    ]
    series_of(tmp_path, [rows], 'sensitive = "Disease"\nquasi_identifiers = ["Age", "BMI"]')
    said = " ".join(run_main(str(tmp_path))[1].split())
    assert "what makes rows unique (with the share of rows in the worst release): BMI (40%)." in said
    assert "BMI 1 8 (40.0%) 8 (40.0%) 8 (40.0%) Findings" in said
    _, result, _ = run_audit(tmp_path)
    [panel] = result["panel"]
    assert {each["column"]: each["by_itself"] for each in panel["singling"]} == {"Age": 0, "BMI": 0.4}
