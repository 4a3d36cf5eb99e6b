"""Reports in other languages: the option, the locale, and no sentence that a catalogue cannot reach."""

import gettext
import json
import re
import shutil
from dataclasses import replace

import pytest

from attacks.registry import ATTACKS
from audit.cli.arguments import ON_TABLES
from audit.cli.main import COMMANDS
from audit.model.adversary import ADVERSARIES
from audit.runtime.phrases import ENGLISH
from reports.languages import catalogues
from tests.cli.forms import EXAMPLES, edit
from tests.helpers.running import run_main

BEGIN, END = "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}", "\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
WORD = re.compile(r"\b[^\W\d_]{2,}\b")
CODE = re.compile(r"`[^`]*`|<[^>]*>|--[a-z-]+(=\S+)?|\$ audit .*|\S+\.(csv|toml|html|json)\b|sha256|audit [a-z]+ .*")
OURS = {
    *ATTACKS.names,
    ON_TABLES,
    *COMMANDS,
    *ADVERSARIES,
    *(
        "max",
        "risk",
        "min",
        "width",
        "count",
        "ever",
        "series",
        "audit",
        "SHA",
        "https",
        "person",
        "counterfeit",
        "private",
    ),
}
"""Words that are the same in every language: names of attacks, clauses, commands and options."""

HOSPITAL, TABLES = EXAMPLES / "hospital-l-diverse", EXAMPLES.parent / "count_table_examples"


class Marked(gettext.NullTranslations):
    """A catalogue that marks each sentence."""

    def gettext(self, message):
        return f"{BEGIN}{message}{END}"

    def ngettext(self, one, many, count):
        return self.gettext(one if count == 1 else many)


@pytest.fixture
def marked(monkeypatch):
    """Reports in which each sentence is marked."""
    monkeypatch.setattr(catalogues, "language", lambda _: replace(ENGLISH, code="de", catalogue=Marked()))


def unmarked(text, *folders):
    """The words of a text that are in no sentence, and in none of the files of some folders."""
    outside, depth = [], 0
    for sign in text:
        depth += (sign == BEGIN) - (sign == END)
        outside.append(" " if depth or sign == END else sign)
    assert depth == 0
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    data = {word for path in files for word in (*WORD.findall(path.read_text()), *WORD.findall(path.as_posix()))}
    names = {part for name in OURS for part in WORD.findall(name)}
    return sorted(set(WORD.findall(CODE.sub(" ", "".join(outside)))) - data - names)


SERIES = [
    "cases-independent",
    "clinic-2-invariant",
    "clinic-merged",
    "fractional-weights",
    "hospital-l-diverse",
    "hospital-l-diverse-outsider",
    "joint-breaks-2-distinct",
    "ward-l-diverse",
]


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("form", ["text", "markdown", "github"])
def test_every_sentence_of_an_audit_can_be_translated(name, form, marked):
    _, out, err = run_main(str(EXAMPLES / name), "--reveal", "--findings", "all", "--format", form)
    assert err == ""
    allowed = {"github": {"error", "warning", "notice", "title"}}.get(form, set())
    assert set(unmarked(out, EXAMPLES / name)) <= allowed


@pytest.mark.parametrize("document", ["dpia", "expert", "wp29"])
def test_every_sentence_of_a_document_can_be_translated(document, marked):
    _, out, _ = run_main(str(HOSPITAL), "--document", document)
    assert unmarked(out, HOSPITAL) == []


@pytest.mark.parametrize("series", sorted(TABLES.iterdir()), ids=lambda path: path.name)
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_every_sentence_on_count_tables_can_be_translated(series, form, marked):
    _, out, err = run_main(str(series), "--format", form)
    assert err == ""
    # The name of a derived box is data: "0-19 less 0-17" in every language, as in JSON and in ids.
    assert [word for word in unmarked(out, series) if word not in {"less", "with"}] == []


def held_back(tmp_path):
    """The series without its last release, and that release."""
    shutil.copytree(HOSPITAL, tmp_path / "s")
    shutil.move(tmp_path / "s/releases/2.csv", tmp_path / "2.csv")
    edit(tmp_path / "s/series.toml", ', "releases/2.csv"', "")
    return str(tmp_path / "s"), str(tmp_path / "2.csv")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_every_sentence_on_a_candidate_can_be_translated(form, marked, tmp_path):
    _, out, _ = run_main("next", *held_back(tmp_path), "--reveal", "--format", form)
    assert set(unmarked(out, tmp_path)) <= MEASURES


MEASURES = {"certain", "classes", "compromised", "disclosed", "eliminated", "open", "pinned", "vulnerable"}
MEASURES |= {
    "ways",
    "mean",
    "above",
    "at",
    "limit",
    "candidate",
    "sizes",
    "versions",
    "individuals",
    "worlds",
    "infeasible",
}
"""Names of measures in JSON, as `audit next` compares them."""


def test_every_sentence_of_a_repair_can_be_translated(marked, tmp_path):
    _, out, _ = run_main("repair", *held_back(tmp_path), "--output", str(tmp_path / "new"))
    assert unmarked(out, tmp_path) == []


@pytest.mark.parametrize("words", [["Alice"], ["Bob"], ["Alice", "--format", "markdown"]])
def test_every_sentence_of_an_explanation_can_be_translated(words, marked):
    _, out, _ = run_main("explain", str(HOSPITAL), "--individual", *words)
    assert set(unmarked(out, HOSPITAL)) <= {"text"}


@pytest.mark.parametrize("form", ["text", "markdown", "csv"])
def test_every_sentence_of_a_comparison_can_be_translated(form, marked):
    two = EXAMPLES / "hospital-2-invariant", EXAMPLES / "cases-independent"
    _, out, _ = run_main("compare", *map(str, two), "--format", form)
    assert set(unmarked(out, *two)) <= {"invariance"}


@pytest.mark.parametrize("principle", [("m-invariance", "--m", "2"), ("e-equivalence", "--e", "2")])
def test_every_sentence_of_a_check_can_be_translated(principle, marked):
    name, *parameters = principle
    _, out, _ = run_main("check", str(HOSPITAL), "--principle", name, *parameters, "--reveal")
    assert unmarked(out.replace(name, ""), HOSPITAL) == []


def test_every_sentence_of_a_history_can_be_translated(marked, tmp_path):
    (tmp_path / "reports").mkdir()
    run_main(str(HOSPITAL), "--format", "json", "--output", str(tmp_path / "reports/1.json"))
    _, out, _ = run_main("history", str(tmp_path))
    assert unmarked(out, HOSPITAL) == []


@pytest.mark.parametrize(
    ("code", "verdict"), [("en", "NOT SAFE"), ("de", "NICHT SICHER"), ("fr", "NON SÛR"), ("es", "NO SEGURO")]
)
def test_the_option_chooses_the_language(code, verdict):
    assert verdict in run_main(str(HOSPITAL), "--language", code)[1]
    page = run_main(str(HOSPITAL), "--language", code, "--format", "html")[1]
    assert f'<html lang="{code}">' in page
    assert verdict in page


def test_without_the_option_the_locale_does(monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert "NICHT SICHER" in run_main(str(HOSPITAL))[1]
    assert "NOT SAFE" in run_main(str(HOSPITAL), "--language", "en")[1]
    monkeypatch.setenv("LC_ALL", "xx")
    assert "NOT SAFE" in run_main(str(HOSPITAL))[1]


def test_an_unknown_language_is_refused():
    code, _, err = run_main(str(HOSPITAL), "--language", "pt")
    assert code == 2
    assert "'en', 'de', 'fr', 'es'" in err


def test_fields_of_machines_stay_as_they_are():
    """What programs read is the same in every language; sentences of people may follow it."""
    english, german = (
        json.loads(run_main(str(HOSPITAL), "--format", "json", "--reveal", "--language", code)[1])
        for code in ("en", "de")
    )
    for report in (english, german):
        for attack in report["attacks"]:
            attack["seconds"] = 0
            attack["reason"] = attack["reason"] is not None
            attack["findings"] = len(attack["findings"])
            attack["measures"].pop("ways", None)
        for clause in report["policy"]["clauses"]:
            clause["reason"] = clause["reason"] is not None
        for each in report["panel"]:
            del each["no_journalist"]
        report["people"] = sorted((each["individual"], each["reasons"]) for each in report["people"])
        for rung in report["ladder"]:
            del rung["seconds"]
    assert german == english
