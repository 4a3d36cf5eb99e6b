"""Reports in other languages: the option, the locale, and no sentence that a catalogue cannot reach."""

import gettext
import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import audit
from attacks.registry import ATTACKS
from audit.cli.command import ON_TABLES
from audit.cli.main import COMMANDS
from audit.findings.count import label_name
from audit.model.adversary import ADVERSARIES
from audit.runtime.phrases import ENGLISH
from reports.languages import catalogues
from reports.languages.catalogues import in_language
from tests.cli.forms import EXAMPLES, edit
from tests.helpers.messy import as_csv, write
from tests.helpers.running import drafted, refused, run_main

BEGIN, END = "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}", "\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
WORD = re.compile(r"\b[^\W\d_]{2,}\b")
CODE = re.compile(r"`[^`]*`|<[^>]*>|--[a-z-]+(=\S+)?|\$ audit .*|\S+\.(csv|toml|html|json)\b|sha256|audit [a-z]+ .*")
OURS = {
    *ATTACKS.names, ON_TABLES, *COMMANDS, *ADVERSARIES,
    "max", "risk", "min", "width", "count", "ever", "series", "audit", "SHA", "https", "person", "counterfeit",
    "private",
}  # fmt: skip
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


@pytest.mark.many
@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_every_sentence_of_an_audit_can_be_translated(name, form, marked):
    _, out, err = run_main(str(EXAMPLES / name), "--reveal", "--findings", "all", "--format", form)
    assert err == ""
    assert set(unmarked(out, EXAMPLES / name)) == set()


@pytest.mark.many
@pytest.mark.parametrize("series", sorted(TABLES.iterdir()), ids=lambda path: path.name)
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_every_sentence_on_count_tables_can_be_translated(series, form, marked):
    _, out, err = run_main(str(series), "--format", form)
    assert err == ""
    # The name of a derived box is data: "0-19 less 0-17" in every language, as in JSON and in ids.
    assert [word for word in unmarked(out, series) if word not in {"less", "with"}] == []


MEASURES = {
    "certain", "classes", "compromised", "disclosed", "eliminated", "open", "pinned", "vulnerable", "ways", "mean",
    "above", "at", "limit", "candidate", "sizes", "versions", "individuals", "worlds", "infeasible",
}  # fmt: skip
"""Names of measures in JSON, as `audit next` compares them."""
TWO = [str(EXAMPLES / name) for name in ("hospital-2-invariant", "cases-independent")]
PRINCIPLES = [("m-invariance", "--m", "2"), ("e-equivalence", "--e", "2")]
COMMAND_LINES = [
    *(([str(HOSPITAL), "--document", name], set()) for name in ("dpia", "expert", "wp29")),
    *((["next", "{s}", "{2}", "--reveal", "--format", form], MEASURES) for form in ("text", "markdown")),
    (["repair", "{s}", "{2}", "--output", "{new}"], set()),
    *((["explain", str(HOSPITAL), "--individual", *words], {"text"})
      for words in (["Alice"], ["Bob"], ["Alice", "--format", "markdown"])),
    *((["compare", *TWO, "--format", form], {"invariance"}) for form in ("text", "markdown", "csv")),
    *((["check", str(HOSPITAL), "--principle", *words, "--reveal"], {"invariance"}) for words in PRINCIPLES),
    (["history", "{history}"], set()),
    (["simulate", "--output", "{new}", "--rows", "600", "--snapshots", "2", "--file-type", "csv"], set()),
    (["simulate", "--output", "{new}", "--tables", "threshold", "--snapshots", "2", "--areas", "3"], {"threshold"}),
    (["plan", str(EXAMPLES / "ward-microdata"), "--queries", "5", *(word for name in ("m-invariance", "m-distinct-star")
      for word in ("--method", name))], {"invariance", "distinct", "star"}),
]  # fmt: skip


@pytest.mark.many
@pytest.mark.parametrize(
    ("words", "allowed"), COMMAND_LINES, ids=lambda each: each[0] if isinstance(each, list) else ""
)
def test_every_sentence_of_other_commands_can_be_translated(words, allowed, marked, tmp_path):
    out = answered(tmp_path, words)
    assert out
    assert set(unmarked(out, tmp_path, HOSPITAL, *map(Path, TWO))) <= allowed


PLANNED = ["plan", str(EXAMPLES / "clinic-microdata"), "--queries", "5", "--method", "m-invariance"]


@pytest.mark.many
@pytest.mark.parametrize(
    "words", [PLANNED, *(each for each, _ in COMMAND_LINES if each[0] not in ("repair", "compare"))], ids=str
)
def test_french_has_a_space_before_its_high_signs(words, tmp_path):
    """Also between the parts of a line that are sentences of their own."""
    out = answered(tmp_path, [*words, "--language", "fr"])
    assert re.findall(r"[^\s`]*[\w)»][;?!](?=\s)", CODE.sub(" ", out).replace("IIIa;", "")) == []


def answered(tmp_path, words):
    """What a command prints about a series without its last release, that release, and a folder of reports."""
    shutil.copytree(HOSPITAL, tmp_path / "s")
    shutil.move(tmp_path / "s/releases/2.csv", tmp_path / "2.csv")
    edit(tmp_path / "s/series.toml", ', "releases/2.csv"', "")
    (tmp_path / "history/reports").mkdir(parents=True)
    if words[0] == "history":
        run_main(str(HOSPITAL), "--format", "json", "--output", str(tmp_path / "history/reports/1.json"))
    places = {name: str(tmp_path / name) for name in ("s", "new", "history")}
    return run_main(*(word.format("", "", tmp_path / "2.csv", **places) for word in words))[1]


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ([], set()),
        (["plan"], {"MICRODATA"}),
        (["chek", "x"], {"chek"}),
        (["x", "--polcy"], set()),
        (["x", "--language"], set()),
        (
            ["x", "--format", "pdf"],
            {"pdf", "text", "json", "markdown", "html", "sarif", "junit", "csv", "xlsx"},
        ),
        (["x", "--time-limit", "soon"], set()),
        (["x", "--findings", "many"], set()),
        (["x", "--j", "1"], set()),
        (["x", "--reveal=yes"], {"yes"}),
        (["waive", "x", "--group", "1"], set()),
        (["waive", "x", "y", "--until", "soon"], {"soon"}),
        (["simulate", "--output", "x", "--returning", "2"], set()),
        (["simulate", "--output", "s3://x"], set()),
        (["compare"], {"SERIES"}),
        (["explain", str(HOSPITAL)], set()),
    ],
    ids=lambda each: " ".join(each[:3]) if isinstance(each, list) else "",
)
def test_what_is_wrong_with_the_words_of_a_command_is_said_in_sentences(words, allowed, marked):
    code, out, err = run_main(*words)
    assert (code, out) == (2, "")
    assert set(unmarked(err, HOSPITAL)) <= allowed


@pytest.mark.parametrize("how", ["--language=de", "--lang de", "the locale"])
def test_words_that_cannot_be_parsed_are_answered_in_the_language(how, monkeypatch):
    if how == "the locale":
        monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
        how = ""
    assert "Argument --rows: eine ganze Zahl von 1 bis" in refused("simulate", "--rows", "y", *how.split())


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
    assert "'en', 'de', 'fr', 'es'" in refused(str(HOSPITAL), "--language", "pt")


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


@pytest.mark.parametrize(
    ("language", "question", "mark", "yes"),
    [
        ("en", "What is the column", "guess: ", "yes"),
        ("fr", "Qu’est-ce que la colonne", "supposition\u00a0: ", "oui"),
        ("de", "Was ist die Spalte", "Annahme: ", "ja"),
        ("es", "¿Qué es la columna", "suposición: ", "sí"),
    ],
)
def test_a_manifest_is_asked_about_and_written_in_a_language(tmp_path, monkeypatch, language, question, mark, yes):
    """Answers are those shown: `oui` is an answer; only the comments of the manifest differ, and only they change."""
    rows = [[age, sex, value] for age in ("20-39", "40-59") for sex in "mf" for value in ("flu", "cold")]
    for tag in ("march", "june"):
        write(tmp_path / f"{tag}.csv", as_csv([["Age", "Sex", "Disease"], *rows]))
    words = ["--language", language]
    path = tmp_path / "series.toml"
    text = drafted(tmp_path, *words)
    assert f"  # {mark}" in text
    keys = text.partition("[unconfirmed]")[2]
    assert '"columns.sensitive"' in keys
    more = text.replace("keys = [", 'keys = ["columns.missing", ').replace(
        "[columns]\n", '[columns]\nmissing = ["?"]\n'
    )
    path.write_text(more, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"2\n1\n1\n{yes}\n\n\n\n"))
    code, _, err = run_main("init", str(tmp_path), "--confirm", *words)
    assert code == 0, err
    assert question in err
    done = path.read_text(encoding="utf-8")
    assert "[unconfirmed]" not in done
    assert f"# {mark}" not in done


@pytest.mark.parametrize(("code", "sign"), [("de", "lassen Sie ihn weg"), ("fr", "retirez-la"), ("es", "quítelo")])
def test_an_error_with_a_reason_is_in_the_language_of_the_reason(code, sign):
    err = refused(str(EXAMPLES / "ward-l-diverse"), "--attack", "intersection", "--language", code)
    assert sign in err
    assert "requested" not in err


@pytest.mark.parametrize(("language", "said"), [("de", "die Spalte ist nicht in der"), ("fr", "la colonne n’est")])
def test_faults_in_files_are_told_in_the_language(tmp_path, language, said):
    folder = shutil.copytree(HOSPITAL, tmp_path / "hospital")
    edit(folder / "series.toml", '"Zipcode"', '"Postcode"')
    output = refused(str(folder), "--language", language)
    assert said in output
    assert "column" not in output


FAULTS = {
    "key": ("series.toml", "[columns]", "[columns]\nunheard = 1"),
    "column": ("series.toml", '"Zipcode"', '"Postcode"'),
    "release": ("series.toml", "1.csv", "3.csv"),
    "width": ("releases/1.csv", "flu", "flu,more"),
    "value": ("releases/1.csv", "flu", ""),
    "person": ("releases/1.csv", "Bob", "Alice"),
    "release without rows": ("releases/1.csv", (HOSPITAL / "releases/1.csv").read_text().split("\n", 1)[1], ""),
    "group": ("releases/1.csv", "Bob,1", "Bob,"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_a_file_and_what_to_do_are_sentences(tmp_path, marked, fault):
    folder = shutil.copytree(HOSPITAL, tmp_path / "hospital")
    file, old, new = FAULTS[fault]
    edit(folder / file, old, new)
    for line in refused(str(folder), "--language", "de").splitlines():
        assert re.fullmatch(f"audit: {BEGIN}.*: {BEGIN}.*{END}; {BEGIN}.*{END}{END}", line), line


def test_names_made_of_labels_are_in_the_language_and_published_ones_as_they_are():
    """A published label may have the words that join others, or be such a word: joined labels have quotation marks."""
    facts = replace(
        audit.load(TABLES / "tables-one-left-out", kind="tables").audit().report.tables,
        labels=frozenset({"much less seen", "80+", "young with old", "ohne"}),
    )
    names = [
        "much less seen", "(rest)", "All less 80+ less 0-9", "foreign with 80+ less 0-9", "All less ohne",
        "young with old less 80+",
    ]  # fmt: skip
    assert [label_name(each, facts) for each in names] == [
        "much less seen",
        "(rest)",
        '"All" less "80+" less "0-9"',
        '"foreign" with "80+" less "0-9"',
        '"All" less "ohne"',
        '"young with old" less "80+"',
    ]
    with in_language("de"):
        assert [label_name(each, facts) for each in names] == [
            "much less seen",
            "(Rest)",
            "„All“ ohne „80+“ ohne „0-9“",
            "„foreign“ und zugleich „80+“ ohne „0-9“",
            "„All“ ohne „ohne“",
            "„young with old“ ohne „80+“",
        ]


def test_the_next_command_keeps_the_language_of_the_command_line_alone(monkeypatch, tmp_path):
    """A language that the environment chooses is chosen for the next command, too."""

    def following(*words):
        lines = run_main(str(HOSPITAL), *words)[1].splitlines()
        return next(line.strip() for line in reversed(lines) if line.strip().startswith("$ audit"))

    for code in ("en", "de", "fr", "es"):
        assert following("--language", code).endswith(f" --language {code}")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert "--language" not in following()
    shutil.copytree(HOSPITAL, tmp_path / "s")
    (tmp_path / "s/series.toml").unlink()
    out = run_main("init", str(tmp_path / "s"), "--yes", "--language", "de")[1]
    steps = [line for line in out.splitlines() if ": audit " in line]
    assert steps
    assert all(line.endswith(" --language de") for line in steps)
