"""What `audit init` says, asks and writes into a manifest is sentences of a catalogue, whatever it finds."""

import io
import math
import re
import shutil
import tomllib

import pytest

from audit.init.count_rules import in_words
from reports.languages.catalogues import in_language
from tests.cli.forms import EXAMPLES, FORMS
from tests.cli.test_languages import TABLES, WORD, marked, unmarked  # noqa: F401 - a fixture
from tests.cli.test_messy_init import confirmed
from tests.cli.test_register_columns import rolled
from tests.docs.test_table_forms import ROWS, put
from tests.helpers.messy import KINDS, as_csv, write
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

LINE = re.compile(r"""((?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*)(?:# ?(.*))?""")
PEOPLE = {path.parent for path in EXAMPLES.glob("*/microdata.toml")}
ANSWERS = {
    "quasi",
    "identifiers",
    "quasi_identifiers",
    "sensitive",
    "unlinkable",
    "record",
    "individual",
    "group",
    "count",
    "never",
    "stated",
    "people",
    "none",
    "any",
    "same",
    "cumulative",
    "independent",
}


def unsaid(folder, *words):
    """The words that `init` prints, asks or writes into comments outside of sentences, less those of files and keys."""
    files = {path.relative_to(folder.parent): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, out, err = run_main("init", str(folder), "--yes", *words)
    assert (code, err) == (0, "")
    [path] = folder.glob("*.toml")
    lines = [LINE.fullmatch(line).groups("") for line in path.read_text(encoding="utf-8").splitlines()]
    stated, comments = ("\n".join(part) for part in zip(*lines, strict=True))
    read = [data.decode(encoding, "ignore") for data in files.values() for encoding in ("utf-8", "cp1252", "utf-16")]
    known = {word for text in (stated, str(folder), *map(str, files), *read) for word in WORD.findall(text)}
    asked = confirmed(folder)[1] if "--microdata" not in words else ""
    return sorted({*unmarked(out), *unmarked(comments), *unmarked(asked)} - known - ANSWERS)


def without_manifest(source, folder):
    shutil.copytree(source, folder)
    for each in ("series.toml", "microdata.toml", "expected.json"):
        (folder / each).unlink(missing_ok=True)
    return folder


@kills(
    "audit.init.count_metadata.tau_argus",
    'say("tables of tau-Argus")',
    '"tables of tau-Argus"',
    case="[tau-Argus, `.tab` with `.rda` and `.hrc`]",
)
@pytest.mark.many
@pytest.mark.parametrize("form", [form for form in ROWS if ROWS[form][0] != "refused" and "all parts" not in form])
def test_of_count_tables(form, marked, tmp_path):  # noqa: F811
    put(form, tmp_path / "s")
    assert set(unsaid(tmp_path / "s")) <= {"SDMX", "CSV"}


@pytest.mark.parametrize("source", sorted([*TABLES.iterdir(), *PEOPLE]), ids=lambda path: path.name)
def test_of_examples(source, marked, tmp_path):  # noqa: F811
    words = ["--microdata"] if source in PEOPLE else []
    assert unsaid(without_manifest(source, tmp_path / "s"), *words) == []


@pytest.mark.many
@pytest.mark.parametrize("name", FORMS)
def test_of_people(name, marked, tmp_path):  # noqa: F811
    FORMS[name](tmp_path / "form")
    assert unsaid(without_manifest(tmp_path / "form", tmp_path / "s")) == []


HEAD = ["Patient", "Alter", "PLZ", "Messwert", "Hauptdiagnose"]


def rows(release=0, people=24):
    ill = ["grippe", "gicht", "asthma"]
    return [[f"P{n}", f"{20 + n % 3 * 10}-{29 + n % 3 * 10}", f"5{n % 2}***", f"{n},5", ill[n // 6 % 3]]
            for n in range(release, people + release)]  # fmt: skip


def hospital(folder):
    """German files of an office: another name of a column, sums, spellings, and whatever lies beside."""
    first, second = rows(), [[*row[:4], row[4].title()] for row in rows(1)]
    write(folder / "releases/1.csv", as_csv([HEAD, *first, ["Summe", "", "", "", ""]], ";").encode("latin-1"))
    write(
        folder / "releases/2.csv",
        as_csv([[*HEAD[:4], "Diagnose", ""], *[[*r, "x"] for r in second]], "\t").encode("utf-16"),
    )
    for name in ("releases/alt.xls", "notiz.csv", "brief.docx", "alt/3.csv", "alt/4.csv", "counterfeits/9.csv"):
        write(folder / name, "a;b\n1;2\n")
    write(folder / "hierarchies/farben.csv", "rot;warm\nblau;kalt\n")


def changing(folder):
    """Values that change by the key, and columns that only some releases have."""
    for tag, ill in (("1", ["flu", "cold"]), ("2", ["gout", "cold"])):
        table = [[f"P{n}", "20-30", ill[n % 2], *["ns"[n % 2], str(n)][: 2 * (tag == "2")]] for n in range(20)]
        head = ["Patient", "Age", "Disease", "Region", "Income"]
        write(folder / f"{tag}.csv", as_csv([head[: len(table[0])], *table]))


def episodes(folder):
    """People with several rows, some of them twice, and dates."""
    table = [
        [f"P{n // 2}", f"{n % 3}0-{n % 3}9", f"2024-01-{1 + n % 9:02}", ["flu", "cold"][n // 3 % 2]] for n in range(40)
    ]
    write(folder / "1.csv", as_csv([["Patient", "Age", "Admission", "Disease"], *table, table[0], table[0]]))


def panel(folder):
    table = [[f"P{n}", wave, str(n % 50), ["yes", "no"][n % 3 > 0]] for wave in ("2021", "2022") for n in range(40)]
    write(folder / "panel.csv", as_csv([["Code", "Erhebungsjahr", "Alter", "Krankheit"], *table]))


def misfits(folder):
    """Files beside the releases that fit none, and a half of a pair."""
    for tag in "12":
        write(folder / f"releases/{tag}.csv", as_csv([HEAD, *rows(int(tag))]))
    write(folder / "register.csv", as_csv([["individual", "Alter", "first", "last"], ["P1", "21", "1", "9"]]))
    write(folder / "other.csv", as_csv([["individual", "Alter", "release"], ["P1", "21", "9"]]))
    write(folder / "transitions.csv", "from,to\ngrippe,grippe\n")
    write(folder / "private/9.key.csv", "row,individual\n0,P1\n")
    write(folder / "releases/3.rows.csv", as_csv([HEAD, *rows(3)]))
    write(folder / "beside.csv", as_csv([["a", "b"], *[[str(n), f"K{n}"] for n in range(24)]]))


def differing(folder):
    """Exact ages in one release and ranges in another, values of other languages, months that look like ranges."""
    for tag, ages, ill in (("spring", range(20, 44), "flu cold"), ("summer", ["20-40"] * 24, "grippe rhume")):
        table = [[str(age), "fm"[n % 2], f"2024-0{1 + n % 9}", ill.split()[n % 2]] for n, age in enumerate(ages)]
        write(folder / f"{tag}.csv", as_csv([["Age", "Sex", "Month", "Disease"], *table]))


def exact(folder):
    """Columns of which nothing is known; ids of the files, and others that come again."""
    for tag in "12":
        table = [
            [str(n), f"k{n}-{tag}", f"x{n}", f"{n * n}.5", str(n % 7), ["NA", "b", "c"][n % 3]] for n in range(120)
        ]
        write(
            folder / f"{tag}.csv",
            as_csv([["id", "case", "q0", "weight", "n", "label"], *table], quotechar="'", quoting=1),
        )


def roll(folder):
    rolled(folder, ["Versicherte", "Age", "Sex"], [[f"V{n:03}", str(20 + n), "mf"[n % 2]] for n in range(20)])


def places(folder):
    lines = [[f"V{n:03}", str(20 + n), "mf"[n % 2], "1", "2"] for n in range(20)]
    rolled(folder, ["Versicherte", "Age", "Sex", "von", "bis"], lines)


def many(folder):
    """More releases than are listed."""
    for tag in range(30):
        write(folder / f"{tag}.csv", as_csv([HEAD, *rows(tag)]))


MESSY = [hospital, changing, episodes, panel, misfits, differing, exact, roll, places, many]


@kills("audit.init.found_files._check_releases", 'say("published in this order")', '"published in this order"')
@pytest.mark.many
@pytest.mark.parametrize("form", MESSY, ids=lambda form: form.__name__)
def test_of_messy_folders(form, marked, tmp_path):  # noqa: F811
    form(tmp_path / "s")
    assert unsaid(tmp_path / "s") == []


@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
def test_of_every_notation(kind, marked, tmp_path):  # noqa: F811
    for tag in "12":
        KINDS[kind](tmp_path / "s/releases" / tag, [HEAD, *rows(int(tag))])
    assert set(unsaid(tmp_path / "s")) <= {"Data", "Sheet"}


@pytest.mark.parametrize(
    ("code", "few", "many"),
    [
        ("en", "1 to 4", "5 or more"),
        ("de", "1 bis 4", "5 oder mehr"),
        ("fr", "1 à 4", "5 ou plus"),
        ("es", "1 a 4", "5 o más"),
    ],
)
def test_counts_are_asked_for_in_words_that_are_an_answer(code, few, many, monkeypatch, tmp_path):
    put("markers in words", tmp_path / "s")
    words = ["--language", code]
    assert run_main("init", str(tmp_path / "s"), "--yes", *words)[0] == 0
    path = tmp_path / "s/series.toml"
    any_count = many.replace("5", "0")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"2\nmany\n{many}\n2\n{any_count}\n" + "\n" * 9))
    exit_code, _, err = run_main("init", str(tmp_path / "s"), "--confirm", *words)
    assert exit_code == 0, err
    asked = " ".join(err.split())
    assert asked.count(many) == 3, asked  # asked of two markers, the first of them twice
    assert few in asked
    assert f"{any_count}; " in asked.replace(" ;", ";")
    markers = tomllib.loads(path.read_text(encoding="utf-8"))["table"]["markers"]
    assert [*markers.values()] == [[5, math.inf], [0, math.inf]]


@pytest.mark.many
@pytest.mark.parametrize("code", ["en", "de", "fr", "es"])
@pytest.mark.parametrize(
    "form", ["CDC, totals in a column of notes", "PxStat", "Destatis, flat", "tidy, `*`, a line refutes small counts"]
)
def test_a_guessed_marker_is_shown_and_explained_and_answered_in_one_notation(code, form, monkeypatch, tmp_path):
    put(form, tmp_path / "s")
    words = ["--language", code]
    out = run_main("init", str(tmp_path / "s"), "--yes", *words)[1]
    path = tmp_path / "s/series.toml"
    [(sign, ends)] = before = [*tomllib.loads(path.read_text(encoding="utf-8"))["table"]["markers"].items()]
    with in_language(code):
        counts = in_words(*ends)
    assert f"{sign} {counts}" in " ".join(out.split())
    monkeypatch.setattr("sys.stdin", io.StringIO(f"2\n{counts}\n" + "\n" * 9))
    exit_code, _, err = run_main("init", str(tmp_path / "s"), "--confirm", *words)
    asked = " ".join(err.split())
    assert exit_code == 0, err
    assert asked.partition("?")[0].count(counts) in (2, 3), asked  # what is guessed, and why
    assert [*tomllib.loads(path.read_text(encoding="utf-8"))["table"]["markers"].items()] == before
