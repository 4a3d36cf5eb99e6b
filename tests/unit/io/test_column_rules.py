"""Column rules: what each writes it reads, and a new one takes its class and its place in the list."""

import tomllib
from dataclasses import dataclass
from typing import ClassVar

import pytest

from audit.init.guesses import dotted_lines
from audit.io import manifest
from audit.io.manifest import parse_manifest
from audit.io.rules import registry
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.disclosure import Harmless, Similar, Unlinkable
from audit.io.rules.file_form import Delimiter, Encoding, Renamed
from audit.io.rules.registry import RULES
from audit.io.rules.rows import Date, IgnoreRows, SeveralRows
from audit.io.rules.rule import ColumnRule, Form, Rules, spelled
from audit.io.rules.spelling import Crosswalk, Decimal, Fold
from audit.io.toml import Reader
from audit.model.errors import Problems
from tests.helpers.messy import series_of
from tests.helpers.running import run_audit

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
    SeveralRows("latest"),
    Date("Seen"),
    Harmless({"Disease": ("none", "")}),
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


def test_what_cannot_be_written_again_is_known():
    found = [rule.key for rule in STATED if rule.rewrites("1")]
    assert found == ["delimiter", "encoding", "renamed", "ignore_rows", "decimal", "crosswalk"]
    assert not Renamed({"2": {"x": "Age"}}).rewrites("1")


def test_a_crosswalk_names_values_as_the_release_spells_them():
    walk = Crosswalk({"V": "walk.csv"}, {("1", "V"): {"1,5": "GRIPPE", "cold": "Schnupfen"}})
    rules = Rules((Decimal(",", ("V",)), Fold(("V",)), walk))
    steps = rules.respellings("V", "1")
    assert [spelled(steps, text) for text in ("1,5", "1,50", "COLD ")] == ["grippe", "grippe", "schnupfen"]
    assert rules.spelled("V", "COLD") == "cold"


def test_a_rule_that_is_wrong_is_left_out_of_what_is_read(tmp_path):
    code, _, err = series(tmp_path, 'delimiter = ";;"')
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("audit: series.toml:7: `delimiter`: this is not a delimiter; ")


# -- a rule of its own --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pad(ColumnRule):
    """`pad = ["Disease"]`: in these columns a text counts up to its first sign of underlining."""

    key: ClassVar[str] = "pad"
    form: ClassVar[Form] = Reader.texts
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
    monkeypatch.setitem(manifest._TABLES, "columns", {*manifest._TABLES["columns"], "pad"})


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
