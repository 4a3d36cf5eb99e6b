"""Pages and documents of an audit: what the verdict says about people, what it permits, and who learns what."""

import csv
import io
import json
import re
import shutil
import stat
from html import escape, unescape

import pytest

from audit.api import load
from audit.cli.main import COMMANDS
from audit.runtime.version import VERSION
from reports.languages.catalogues import LANGUAGES
from reports.registry import DOCUMENTS, FORMATS
from tests.cli.forms import EXAMPLES, append, edit
from tests.cli.forms import FORMS as CASES
from tests.helpers.count_tables import TinyTables
from tests.helpers.messy import series_of
from tests.helpers.running import refused, run_audit, run_main
from tests.mutants.mutant import kills

HOSPITAL = EXAMPLES / "hospital-l-diverse"
SAFE, ONE_RELEASE = EXAMPLES / "clinic-2-equivalence", EXAMPLES / "hospital-2-invariant"
TABLES = EXAMPLES.parent / "count_table_examples"


@pytest.fixture
def broken(tmp_path):
    """The series of a hospital in which Bob's value changes, although it must not."""
    shutil.copytree(HOSPITAL, tmp_path / "s")
    old = 'Bob,1,"[21, 23]","[12000, 25000]",dyspepsia'
    edit(tmp_path / "s/releases/2.csv", old, old.replace("dyspepsia", "flu"))
    return tmp_path / "s"


@pytest.fixture
def series(tmp_path):
    shutil.copytree(HOSPITAL, tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    return tmp_path / "s"


def page(series, *words, form="markdown"):
    """Return the verdict of a page, and its sections by their titles, as one line each."""
    _, out, err = run_main(str(series), "--format", form, *words)
    assert err == ""
    parts = re.split(r"^## (.*)$", out, flags=re.MULTILINE)
    sections = {title: " ".join(body.split()) for title, body in zip(parts[1::2], parts[2::2], strict=True)}
    return sections["Verdict"].split("**")[1].replace("\\", ""), sections, parts[0]


def choices(sections):
    return re.findall(r"☐ ([^☐*]*[^☐* ])", sections["Decision"])


TRIED = r"by any attack tried \([a-z-]+(, [a-z-]+)*\)\."
HELD = [
    (SAFE, (), "The policy holds: of 10 people, nobody's value is certain "),
    (SAFE, ("--policy", "max_risk=0.9"), "The policy holds: of 10 people, nobody's value is known with 90% or more "),
    (
        ONE_RELEASE,
        ("--adversary", "published"),
        "The policy holds for each release by itself; several releases together were not judged: of 24 "
        "rows, none gives its value "
        "away for certain ",
    ),
    (
        ONE_RELEASE,
        ("--adversary", "published", "--policy", "max_risk=0.9"),
        "The policy holds for each release by itself; several releases together were not judged: of 24 "
        "rows, none gives its value "
        "away with 90% or more ",
    ),
    (
        EXAMPLES / "cases-monotonic",
        ("--adversary", "pseudonym"),
        "The policy holds: of 10 rows, none gives its value away for certain ",
    ),
]


@pytest.mark.parametrize(("series", "words", "sentence"), HELD)
def test_a_policy_that_holds_is_told_in_people(series, words, sentence):
    verdict, _, _ = page(series, *words)
    assert re.fullmatch(re.escape(sentence) + TRIED, verdict), verdict


def test_people_whose_value_is_known_beforehand_are_not_counted(tmp_path):
    shutil.copytree(SAFE, tmp_path / "s")
    row = (tmp_path / "s/releases/1.csv").read_text().splitlines()
    names = row[0].split(",")
    who, value = (row[1].split(",")[names.index(name)] for name in ("Owner", "Disease"))
    (tmp_path / "s/known.csv").write_text(f"individual,value\n{who},{value}\n")
    append(tmp_path / "s/series.toml", '\n[adversary]\nknown = "known.csv"\n')
    verdict, _, _ = page(tmp_path / "s", "--attack", "intersection")
    assert "of 9 people" in verdict


def waive_all(series, reason):
    """Waive each finding of an audit by its id; return how many there are."""
    _, result, _ = run_audit(series, "--findings", "all", "--stable-ids")
    ids = [finding["id"] for attack in result["attacks"] for finding in attack["findings"]]
    for ident in ids:
        waiver = f'finding = "{ident}"\nreason = "{reason}"\nexpires = 2999-01-01\nsize = 1\n'
        append(series / "series.toml", f"\n[[waiver]]\n{waiver}")
    return len(ids)


def test_a_waiver_is_never_hidden_behind_nobody(series):
    number = waive_all(series, "r")
    verdict, _, _ = page(series, "--stable-ids")
    head = f"The policy holds, except for what is waived: {number} findings."
    told = f"{head} Of 16 people, nobody else's value is certain "
    assert re.match(re.escape(told) + TRIED, verdict), verdict
    assert verdict.endswith(" Among what is not counted, the values of 4 people are certain.")


def test_an_undecided_verdict_says_of_how_many_people():
    verdict, sections, _ = page(EXAMPLES / "clinic-2-equivalence", "--time-limit", "0.000001")
    assert verdict.startswith("UNDECIDED: no violation was found for 10 people, but ")
    assert len(choices(sections)) == 2
    assert "waits until what is open has been decided" in choices(sections)[0]


def test_broken_assumptions_are_one_short_sentence(broken):
    """What to do, and who it is where people are named, stands below."""
    verdict, sections, _ = page(broken)
    assert (
        verdict == "UNDECIDED, because the assumptions do not hold: the value of 1 person changes although it must not."
    )
    assert "transitions that allow what happens" in sections["What to do"]
    assert "Bob" not in " ".join(sections.values())
    named = page(broken, "--reveal")
    assert named[0] == verdict
    assert "values change although they must not: Bob" in named[1]["Verdict"]


def test_whatever_waits_for_the_assumptions_says_so(broken):
    rows = page(broken)[1]["What to do"]
    assert (
        rows.count("| corrected data, or other assumptions in series.toml |") == 3
    )  # clauses that wait for the same are told together
    assert "| equivalence |" not in rows  # the clause above it has said so


def test_each_verdict_allows_its_own_decisions(broken):
    safe, unsafe, open_ = (choices(page(series)[1]) for series in (SAFE, HOSPITAL, broken))
    assert safe == ["Release 3 may go out.", "Release 3 does not go out, for this reason:"]
    assert unsafe == [
        "Release 2 does not go out.",
        "Release 2 goes out changed, after an audit of what was changed:",
        "The findings are accepted, for this reason and until this date:",
    ]
    assert open_ == unsafe[:2]  # there are no findings to accept


@pytest.mark.parametrize("series", [SAFE, HOSPITAL, TABLES / "tables-levels"], ids=lambda series: series.name)
def test_the_first_sheet_has_the_verdict_what_to_do_and_the_signature(series):
    """What comes later is an annex, which says none of it again."""
    text = run_main(str(series), "--format", "html")[1]
    text = re.sub(r"<a class=[^>]*>|</a>", "", text)
    sheet, annex = text.split('<div class="sheet">')[1].split("</div>\n<section>", 1)
    verdict = unescape(re.search(r'class="verdict [a-z]+"><span[^>]*>.</span> ([^<]*)<', sheet)[1])
    assert [sheet.index(each) for each in (escape(verdict, quote=True)[:20], "What to do", "Decision", "Signature")]
    assert (text.count("Signature"), unescape(text).count(verdict)) == (1, 1)
    assert "<h2>" in annex


def in_words(text):
    """Return the sentences and cells of a page in HTML, one a line; no pictures, code and published texts."""
    text = re.sub(r"<(style|svg|code|title|h1).*?</\1>|<a [^>]*>|</a>|</?span[^>]*>", "", text, flags=re.DOTALL)
    return [unescape(each).strip() for each in re.split(r"<[^>]+>", text) if each.strip()]


@pytest.mark.many
@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
@pytest.mark.parametrize("name", ["hospital-l-diverse", "ward-l-diverse", "tables-rates", "broken"])
def test_numbers_are_written_as_in_the_language_of_the_page(name, code, broken):
    """Decimals, thousands and percent signs: of the program's own numbers, none is written as in English."""
    series = {"broken": broken, "tables-rates": TABLES / "tables-rates"}.get(name, EXAMPLES / name)
    words = ("--policy", "max_risk=0.65") if name in ("hospital-l-diverse", "ward-l-diverse") else ()
    out = run_main(str(series), "--format", "html", "--language", code, "--findings", "0", *words)[1]
    own = re.compile(rf"\b\d\d[./]\d\d[./]\d{{4}}\b|{re.escape(VERSION)}|\d{{1,3}}(?:\.\d{{3}})+(?!\d)")
    lines = [own.sub("", line) for line in in_words(out)]
    assert len(lines) > 40
    assert [line for line in lines if re.search(r"\d\.\d|\d,\d{3}\D|\d ?%|\{\w+\}", line)] == []


@pytest.mark.many
@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", ["hospital-l-diverse", "clinic-2-equivalence", "tables-levels", "broken"])
def test_no_section_of_a_page_is_empty(name, code, broken):
    series = {"broken": broken, "tables-levels": TABLES / "tables-levels"}.get(name, EXAMPLES / name)
    out = run_main(str(series), "--format", "html", "--language", code)[1]
    sections = re.findall(r"<section>(.*?)</section>", out, re.DOTALL)
    assert len(sections) > 7
    assert [each for each in sections if not in_words(re.sub(r"<h2>.*?</h2>", "", each))] == []


def test_the_first_sheet_on_tables_shows_how_a_count_is_derived():
    sheet = run_main(str(TABLES / "tables-year-to-date"), "--format", "html")[1].split("</div>\n<section>", 1)[0]
    assert "✗ * → 4" in in_words(sheet)
    hidden = run_main(str(TABLES / "tables-year-to-date"), "--format", "html", "--findings", "0")[1]
    assert "✗ * → 4" not in in_words(hidden)


@kills("audit.metrics.release_summary.panels_in", "(spread.entries == 1) & grave", "spread.entries == 1")
def test_a_page_splits_what_one_release_discloses_from_what_all_do(tmp_path):
    together = page(HOSPITAL)[1]["Verdict"]
    assert "Single releases: none has a group whose rows all have the same value." in together
    assert "All releases together: a value is certain for 4 of 16 people." in together
    shutil.copytree(HOSPITAL, tmp_path / "s")
    edit(tmp_path / "s/releases/1.csv", '"[12000, 14000]",bronchitis', '"[12000, 14000]",dyspepsia')
    alone = page(tmp_path / "s")[1]["Verdict"]
    assert "in 1 of 2, people are in groups whose rows all have the same value" in alone
    assert "in release 1 these are 2 people" in alone
    edit(tmp_path / "s/series.toml", "[columns]\n", '[columns]\nharmless = { Disease = ["dyspepsia"] }\n')
    assert "none has a group whose rows all have the same value" in page(tmp_path / "s")[1]["Verdict"]


def test_a_page_shows_five_people_until_a_reader_asks_for_more(tmp_path):
    ward = EXAMPLES / "ward-l-diverse"
    text = run_main(str(ward), "--format", "html", "--findings", "all")[1]
    shown, more = text.split('<details class="more">')
    assert (shown.count('class="finding"'), more.count('class="finding"')) == (5, 1)
    assert "1 more" in more


def test_a_page_on_tables_with_findings_stays_inside():
    out = run_main(str(TABLES / "tables-rounded-quarters"), "--format", "html")[1]
    assert '<body class="inside">' in out
    assert '@top-right { content: "INTERNAL: shows hidden counts"' in out
    readers = page(TABLES / "tables-rounded-quarters")[1]["Who learns what from this page"]
    assert "only for colleagues" in readers


def test_a_page_on_tables_without_findings_says_what_it_tells():
    words = str(TABLES / "tables-rounded-quarters"), "--format", "html", "--findings", "0"
    out = run_main(*words)[1]
    assert '<body class="shareable">' in out
    assert "differencing-" not in out
    readers = page(words[0], "--findings", "0")[1]["Who learns what from this page"]
    assert "learns from this page that 49 small or hidden counts can be derived" in readers
    assert "The rules under" in readers
    safe = page(TABLES / "tables-safe")[1]["Who learns what from this page"]
    assert "learns nothing more about any count" in safe


TO_COMPLETE = ("dpia", "expert", "wp29")
# What OpenMed's `CompositionEvidence` accepts.
STATUSES = {"not_assessed", "no_material_increase_observed", "increase_observed", "inconclusive"}


def rendered(name, *words, series=HOSPITAL):
    code, out, err = run_main(str(series), "--document", name, *words)
    assert err == ""
    return code, out


@pytest.mark.parametrize("name", DOCUMENTS.names)
def test_the_verdict_is_in_it_and_nobody_is_named(name):
    code, out = rendered(name)
    assert code == 1
    assert not re.search("Bob|Alice|David|Andy", out)
    if name in TO_COMPLETE:
        assert "NOT SAFE: the sensitive value is certain for 4 of 16 people." in out
        assert "\\[to be filled in: " in out
        assert not re.search(r"^## .*\n\s*(## |\Z)", out, re.MULTILINE), "a section that says nothing"


@pytest.mark.many
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
@pytest.mark.parametrize("name", TO_COMPLETE)
def test_no_document_says_what_to_write_into_a_manifest(tmp_path, name, language):
    """It is for an authority; what the publisher has to do is in the report."""
    shutil.copytree(HOSPITAL, tmp_path / "s")
    manifest = tmp_path / "s/series.toml"
    manifest.write_text(manifest.read_text() + '\n[unconfirmed]\nkeys = ["columns.sensitive"]\n')
    release = tmp_path / "s/releases/1.csv"
    release.write_bytes(release.read_text().replace("gastritis", "gastritis für Ärzte").encode("cp1252"))
    words = ("--language", language)
    code, out = rendered(name, *words, series=tmp_path / "s")
    assert code == 3
    assert not re.search(r"`|unconfirmed|encoding =|columns\.|--confirm|audit init", out.replace("\\", ""))
    report = " ".join(run_main(str(tmp_path / "s"), *words)[1].split())
    assert "encoding =" in report
    assert "--confirm" in report


@kills("audit.metrics.release_summary._is_label", "not any(part in alone for part in listed(text))", "True")
@kills("audit.metrics.release_summary._ids_recur", "> held.names.size", ">= 0")
@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("towns", [("Ulm, Old Town", "Bonn"), ("Ulm, Bonn", "Bonn"), ("{Ulm, Old Town}", "Bonn")])
def test_a_document_says_what_record_ids_commas_and_the_manifest_mean(tmp_path, again, towns):
    """A label with a comma is no coarser cell, unless a part is a text, too; ids may be drawn for each release."""
    head = ["Case", "Age", "Town", "Illness"]
    tables = [
        [head, *([f"{tag * (not again)}{10 + n}", "20-29", towns[n % 2], "abc"[n // 2 % 3]] for n in range(24))]
        for tag in (1, 2)
    ]
    columns = 'sensitive = "Illness"\nquasi_identifiers = ["Age", "Town"]\nrecord = "Case"\nspelled = ["Case"]\n'
    folder = series_of(tmp_path, tables, columns, '[adversary]\ntransitions = "any"\n')
    dpia, wp29 = (" ".join(rendered(name, series=folder)[1].split()) for name in ("dpia", "wp29"))
    part = "" if "Old" in towns[0] and "{" not in towns[0] else ", Town in 50.0% of the rows"
    assert f"Coarsened columns: Age{part}." in dpia
    assert ("Yes, by design: record ids are published and stay the same" in wp29) == again
    assert ("links the rows of one record" in dpia) == again
    assert ("none occurs in two releases" in dpia) == ("none occurs in two releases" in wp29) == (not again)
    assert "Any value of a person may become any other" in dpia
    assert 'Texts of "Case" are read as they are spelled' in dpia
    assert "the highest and the mean over all rows." in dpia


@pytest.mark.parametrize("name", TO_COMPLETE)
def test_a_document_is_a_page_as_well(name):
    """The page has what the Markdown has, word for word."""
    code, out = rendered(name, "--format", "html")
    assert code == 1
    words = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?(span|code|a)\b[^>]*>", "", out.split("<body")[1])))
    plain = re.sub(r"[\\*#|`]", "", rendered(name)[1])
    for line in plain.splitlines():
        if line.strip() and "---" not in line and "releases/" not in line and "%" not in line:
            assert all(word.rstrip(":") in words for word in line.split()), line


@pytest.mark.parametrize(
    ("file", "words", "begins"),
    [
        ("dpia.html", ("--document", "dpia"), "<!doctype html>"),
        ("dpia.md", ("--document", "dpia"), "# "),
        ("report.HTM", (), "<!doctype html>"),
        ("report.json", (), "{"),
        ("report.html", ("--format", "markdown"), "# "),
        ("report.txt", (), "Hospital"),
        ("report.csv", ("--format", "text"), "Hospital"),
    ],
)
def test_the_name_of_a_file_says_its_format_unless_an_option_does(tmp_path, file, words, begins):
    assert run_main(str(HOSPITAL), "--attack", "intersection", "--output", str(tmp_path / file), *words)[0] == 1
    assert (tmp_path / file).read_text(encoding="utf-8").lstrip().lower().startswith(begins.lower())


@pytest.mark.parametrize(
    ("words", "ending", "forms"),
    [
        ((), "csv", FORMATS.names),
        (("findings",), "html", ["text", "csv", "xlsx"]),
        (("findings",), "JSON", ["text", "csv", "xlsx"]),
        (("explain", "--individual", "Bob"), "xlsx", FORMATS.names),
    ],
)
def test_a_format_that_a_command_does_not_write_is_refused(tmp_path, words, ending, forms):
    """Otherwise a file named so would hold plain text; --help names an ending that the command knows."""
    command, *options = words or ("",)
    named, path = [*filter(None, [command])], tmp_path / f"report.{ending}"
    shutil.copytree(HOSPITAL, tmp_path / "s")
    (tmp_path / "s/private").mkdir()
    err = refused(*named, str(tmp_path / "s"), *options, "--output", str(path))
    assert f"this command does not write such files; choose one of these with --format: {', '.join(forms)}" in err
    assert not path.exists()
    example = re.search(r"what --output ends with, such as\s+(\S+),", run_main(*named, "--help")[1])
    assert run_main(*named, str(tmp_path / "s"), *options, "--output", f"{path}{example[1]}")[2] == ""


@pytest.mark.parametrize("example", [HOSPITAL, TABLES / "tables-year-to-date"])
def test_accepted_findings_are_named_where_a_document_says_so(tmp_path, example):
    series = tmp_path / "s"
    shutil.copytree(example, series)
    (series / "private").mkdir(exist_ok=True)
    ident = next(csv.DictReader(io.StringIO(run_main("findings", str(series), "--format", "csv")[1])))["id"]
    assert run_main("waive", str(series), ident, "--reason", "the board agreed", "--until", "2999-01-01")[0] == 0
    document = rendered("dpia", series=series)[1]
    assert "1 finding was accepted beforehand; a report made with --reveal names it, and the reason." in document
    assert ident not in document
    assert "the board agreed" not in document
    named = " ".join(run_main(str(series), "--reveal")[1].split())
    assert re.search(rf"{ident} is waived \(until 2999.01.01: the board agreed\)", named)


DEATHS = ("deaths", "9", "9", "0", "0")
NUMBER = re.compile(r"\d[\d,.]*")


def measured(text):
    """The lists and tables of a document, without its terms and the places to fill in."""
    head, _, rest = text.split("## Terms")[0].partition("measured in its file\n\n")  # only documents have this table
    lines = re.findall(r"^[*|].*$", head + rest.partition("\n\n")[2], re.MULTILINE)
    return "".join(line for line in lines if "to be filled in" not in line)


@pytest.mark.many
@pytest.mark.parametrize("name", TO_COMPLETE)
@pytest.mark.parametrize("series", ["hospital-l-diverse", "ward-l-diverse", "clinic-2-equivalence"])
def test_a_document_has_the_numbers_of_the_page_and_no_commands(name, series):
    """An authority reads the same as the page of the same run, without commands."""
    page = run_main(str(EXAMPLES / series), "--format", "markdown")[1]
    text = rendered(name, series=EXAMPLES / series)[1]
    [verdict] = re.findall(r"^## Verdict\n\n\*\*(.*)\*\*$", page, re.MULTILINE)
    assert f"**{verdict}**" in text
    for row in re.findall(r"^\| ([a-z-]+) \| complete \| (.*?) \| \d* \|(?:[\d. |]*\|)?$", text, re.MULTILINE):
        [shown] = re.findall(rf"^\| {row[0]} \| complete \| (.*?) \|", page, re.MULTILINE)
        assert shown == row[1]
    told = measured(text)
    assert set(NUMBER.findall(told)) <= set(NUMBER.findall(page))
    assert len(set(NUMBER.findall(told))) > 5
    assert not re.search(rf"--[a-z]|audit (SERIES|{'|'.join(COMMANDS)})|\$ ", text)
    assert "## Terms" in text


@pytest.mark.parametrize("name", TO_COMPLETE)
def test_a_document_about_broken_assumptions_has_no_commands(name, broken):
    text = rendered(name, series=broken)[1]
    assert "Correct the data, or say which values may follow which" in text.replace("\\", "")
    assert not re.search(r"`|--[a-z]|\[adversary", text.split("## What was not decided")[0])


@pytest.mark.many
@pytest.mark.parametrize("name", DOCUMENTS.names)
@pytest.mark.parametrize("series", ["tables-rounded-quarters", "tables-year-to-date", "tables-safe"])
def test_a_document_on_tables_has_the_numbers_of_the_page_and_no_hidden_count(name, series):
    page_code, page, _ = run_main(str(TABLES / series), "--format", "markdown", "--findings", "0")
    code, text = rendered(name, series=TABLES / series)
    assert code == page_code
    assert "differencing-" not in text
    if name in TO_COMPLETE:
        [verdict] = re.findall(r"^## Verdict\n\n\*\*(.*)\*\*$", page, re.MULTILINE)
        assert f"**{verdict}**" in text
        told = measured(text)
        assert set(NUMBER.findall(told)) <= set(NUMBER.findall(page))
        assert "it names nobody and shows no count that the tables hide" in text
        assert "no person is named" not in text
        assert not re.search(r"^## .*\n\s*(## |\Z)", text, re.MULTILINE), "a section that says nothing"


@pytest.mark.parametrize(
    ("series", "words", "said"),
    [
        ("hospital-l-diverse", (), "Yes, by assumption: this adversary knows each person's group"),
        ("hospital-l-diverse-outsider", (), "Judged: this adversary knows people's exact quasi-identifiers"),
        ("hospital-2-invariant", ("--adversary", "published"), "Not judged: no attack"),
        ("cases-monotonic", (), "inference-table: none of 6 records below k = 2"),
        ("cases-monotonic", (), "Yes, by design: record ids are published"),
    ],
)
def test_linkability_is_answered_where_it_was_judged(series, words, said):
    text = rendered("wp29", *words, series=EXAMPLES / series)[1]
    answer = text.split("## Linkability")[1].split("## ")[0]
    assert said in answer
    assert ("Not judged" in answer) == ("Not judged" in said)


@pytest.mark.parametrize(
    ("series", "right"), [("hospital-l-diverse", "key"), ("hospital-l-diverse-outsider", "register")]
)
def test_what_has_to_be_right_is_what_the_adversary_has(series, right):
    _, out = rendered("dpia", series=EXAMPLES / series)
    assert {what for what in ("key", "register") if f"The {what} is right about" in out} == {right}


def test_an_assessment_says_how_many_rows_anybody_can_find(tmp_path):
    CASES["anatomy"](tmp_path / "pairs")
    _, out = rendered("dpia", series=tmp_path / "pairs")
    _, result, _ = run_audit(tmp_path / "pairs")
    worst = max(result["panel"], key=lambda each: each["alone"] / each["rows"])
    assert worst["exact"]
    assert f"{worst['alone']} of {worst['rows']} rows of release {worst['release']} share theirs with no other" in out
    assert "Any value may be anybody's" in out


def test_the_record_of_criteria():
    record = json.loads(rendered("satre")[1])
    assert (record["specification"], record["statement"], record["outcome"]) == ("SATRE", "3.3.09", "not met")
    assert {each["clause"]: each["state"] for each in record["criteria"]}["max_risk"] == "violated"
    assert set(record["decision"].values()) == {None}


@pytest.mark.parametrize(
    ("series", "words", "code", "status"),
    [
        ("hospital-l-diverse", (), 1, "increase_observed"),
        ("hospital-2-invariant", ("--attack", "intersection"), 0, "no_material_increase_observed"),
        ("clinic-2-equivalence", ("--attack", "equivalence", "--max-e", "1", "--policy", "min_e=3"), 3, "inconclusive"),
    ],
)
def test_the_statuses_of_composition_evidence_follow_from_exit_codes(series, words, code, status):
    got, out = rendered("openmed", *words, series=EXAMPLES / series)
    evidence = json.loads(out)
    assert got == code
    assert evidence["risk_status"] == status
    assert status in STATUSES
    assert re.fullmatch("sha256:[0-9a-f]{64}", evidence["evidence_digest"])
    assert (evidence["longitudinal_linkage_assessed"], evidence["prior_release_overlap_assessed"]) == (True, True)


def test_an_unknown_document_is_one_line():
    assert refused(str(HOSPITAL), "--document", "letter").count("\n") == 1


def test_a_report_that_names_people_stays_as_private_as_its_file_was(tmp_path):
    page = tmp_path / "report.html"
    page.touch(mode=0o600)
    run_main(str(HOSPITAL), "--reveal", "--format", "html", "--output", str(page))
    assert "Bob" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


@pytest.mark.parametrize("form", [name for name in FORMATS.names if name not in {"json", "sarif"}])
def test_a_verdict_that_rests_on_waivers_says_so(series, form):
    number = waive_all(series, "Bob knows")
    code, out, _ = run_main(str(series), "--format", form)
    assert code == 0
    words = re.sub("<[^>]+>", "", out) if form == "html" else out
    assert f"except for what is waived: {number} findings" in " ".join(words.split())
    assert "Bob" not in out
    assert "Bob knows" in run_main(str(series), "--format", form, "--reveal")[1]


def test_the_headline_names_the_attribute_that_falls_most(tmp_path):
    rows = ["a,1,x,u\nb,1,x,v\nc,2,y,u\nd,2,z,u\n", "a,1,x,u\nc,1,y,u\nb,2,x,v\nd,2,z,u\n"]
    columns = 'individual = "who"\ngroup = "group"\nsensitive = ["first", "second"]'
    series_of(tmp_path / "s", [f"who,group,first,second\n{each}" for each in rows], columns)
    code, result, _ = run_audit(tmp_path / "s", "--attack", "intersection")
    found = {str(attack["sensitive"]): attack["people"] for attack in result["attacks"]}
    assert code == 1
    assert (found["first"], found["second"]) == (4, 3)
    text = run_main(str(tmp_path / "s"), "--attack", "intersection")[1]
    assert "NOT SAFE: the value of first is certain for 4 of 4 people." in text


@pytest.mark.parametrize("name", TO_COMPLETE)
def test_a_document_gives_methods_risks_and_what_is_assumed(name, tmp_path):
    shutil.copytree(HOSPITAL, tmp_path / "s")
    with (tmp_path / "s/series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('\n[anonymized]\nmethod = "l-diversity"\nl = 2\n')
    text = rendered(name, series=tmp_path / "s")[1]
    assert "Method of anonymization, as declared by the publisher: l-diversity, l = 2." in text
    assert "Method of the audit: the published releases were attacked as an adversary would do it, by inter" in text
    assert text.index("We assume, without having checked it:") < text.index("The adversary knows who is in")
    assert "[to be filled in: method and parameters" in rendered(name)[1].replace("\\", "")
    if name != "wp29":
        assert "| highest risk | mean risk |" in text
        assert "Below 1, the value is a guess" in text


@pytest.mark.many
@pytest.mark.parametrize("series", sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml")))
def test_an_assessment_gives_each_column_one_role(series, tmp_path):
    """Every column of the files is in the table of roles once; one that the manifest does not name has no role."""
    shutil.copytree(EXAMPLES / series, tmp_path / "s")
    manifest = load(tmp_path / "s").opened.manifest
    first = manifest.releases[0].rows
    with_more = [f"{line},{'Note' if at == 0 else 'x'}" for at, line in enumerate(first.read_text().splitlines())]
    first.write_text("\n".join([*with_more, ""]))
    files = [path for release in manifest.releases for path, _ in release.halves]
    there = {name for path in files for name in path.read_text().splitlines()[0].split(",")}
    text = rendered("dpia", series=tmp_path / "s")[1]
    rows = re.findall(
        r"^\| (.*?) \| (.*?): [^|]* \|.*\| ([0-9,]*) \|$", text.split("measured in its file")[1].split("\n\n")[1], re.M
    )
    roles = [(name.replace("\\", ""), role) for name, role, _ in rows]
    newest = manifest.releases[-1]
    many = {name: int(count) for name, _, count in rows if count}
    assert {*many} == {*manifest.columns.sensitive, *manifest.columns.quasi_identifiers}
    for path, _ in newest.halves:
        for name in many.keys() & {*path.read_text().splitlines()[0].split(",")}:
            texts = {row[name] for row in csv.DictReader(path.read_text().splitlines())}
            assert many[name] == len(texts - {"*"})
    assert {name for name, _ in roles} >= there
    assert len(dict(roles)) == len(roles)
    assert {name for name, role in roles if role == "without a role"} == {"Note"}
    assert {name for name, role in roles if role == "sensitive"} == {*manifest.columns.sensitive}


@pytest.mark.parametrize(
    ("cells", "said", "different"),
    [
        (["1", "2", "3", "4"], "exact numbers", 4),
        (["a", "b", "b", "b"], "one text each, exact or a broader class", 2),
        (["2024-01-05", "2024-02-05", "2024-02-05", "2024-03-05"], "exact days", 3),
        (["[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]"], "ranges about 10 wide", 2),
        (["20-29", "20-29", "20-29", "30-69"], "ranges about 10 wide", 2),
        (["[1928, 1932]", "[1928, 1932]", "[1960, 1964]", "[1960, 1964]"], "ranges of about 5 years", 2),
        (["[0, 0.5]", "[0, 0.5]", "[0.5, 1]", "[0.5, 1]"], "ranges about 0.5 wide", 2),
        (["[2024-01-01, 2024-01-31]"] * 4, "ranges of about 31 days", 1),
        (["<20", "<20", ">60", ">60"], "ranges without an end", 2),
        (["75***", "75***", "76***", "7****"], "the first 1 to 2 characters", 3),
        (["{a, b}", "{a, b}", "{c, d}", "{c, d}"], "several values together", 2),
        (
            ["*", "a", "b", "c"],
            "one text each, exact or a broader class in 75.0% of the rows; a withheld value in 25.0% of the rows",
            3,
        ),
        (["*"] * 4, "a withheld value", 0),
        (
            ["*", "n/k", "", "c"],
            "no known value in 50.0% of the rows; one text each, exact or a broader class in 25.0% of the rows; "
            "a withheld value in 25.0% of the rows",
            1,
        ),
        (["n/k"] * 4, "no known value", 0),
    ],
)
def test_an_assessment_says_how_exactly_columns_are_published(cells, said, different, tmp_path):
    values = ["flu, acute", "flu, acute", "HIV", "HIV"]  # a comma in a sensitive value makes no list of it
    rows = [f'g,"{cell}","{value}"' for cell, value in zip(cells, values, strict=True)]
    columns = 'group = "group"\nquasi_identifiers = ["q"]\nsensitive = "illness"\nmissing = ["", "n/k"]'
    series_of(tmp_path / "s", ["\n".join(["group,q,illness", *rows, ""])], columns)
    text = rendered("dpia", series=tmp_path / "s")[1].replace("\\", "").replace(";<br>", "; ")
    assert f"| q | quasi-identifier: by which a person might be recognised | {said} | {different} |" in text
    assert (
        "| illness | sensitive: what no one may learn about a person | one text each, exact or a broader class | 2 |"
        in text
    )
    taken = text.split("## Measures")[1].split("What can be done now")[0]
    assert ("Coarsened columns: q" in taken) == any(word in said for word in ("ranges", "first", "several"))
    assert ("Withheld cells: q in" in taken) == ("withheld" in said)


@pytest.mark.parametrize("declared", ["", 'grave = ["dyspepsia"]', 'grave = { Disease = ["dyspepsia", "flu"] }'])
def test_an_assessment_says_what_is_grave_and_what_was_found_about_it(declared, tmp_path):
    """As many people as the most findings of one attack about such values name."""
    shutil.copytree(HOSPITAL, tmp_path / "s")
    with (tmp_path / "s/series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(f"\n[policy]\nmax_ever_risk = 0.9\n{declared}\n" if declared else "")
    text = rendered("dpia", series=tmp_path / "s")[1]
    if not declared:
        assert "The policy names no grave values (grave under [policy])" in text.replace("\\", "")
        return
    _, found, _ = run_audit(tmp_path / "s", "--findings", "all")
    known = [
        len(
            {
                each["individual"]
                for each in attack["findings"]
                if each.get("value", "?") and str(each.get("value")) in declared
            }
        )
        for attack in found["attacks"]
    ]
    assert max(known) > 0
    assert re.search(rf"^\* {max(known)} (person|people) certainly ha(s|ve) one of these values", text, re.MULTILINE)
    assert "findings about them come first: " in text


@pytest.mark.parametrize("words", [(), ("--time-limit", "0.000001")])
@pytest.mark.parametrize("series", ["hospital-l-diverse", "hospital-l-diverse-outsider", "ward-l-diverse"])
def test_a_risk_that_was_not_computed_is_explained(series, words):
    """A question mark among the risks of an attack has a line that says what it means and names the attack."""
    text = rendered("dpia", *words, series=EXAMPLES / series)[1]
    unknown = re.findall(r"^\| ([a-z-]+) \|.*\| \? \|", text, re.MULTILINE)
    said = "".join(re.findall(r"^\* \? means that (.*) did not count", text, re.MULTILINE))
    assert {*re.findall("[a-z-]{4,}", said)} == {*unknown}


def test_an_assessment_of_tables_says_what_is_declared(tmp_path):
    """Which labels and statistics are parts of which, signs, limits: what the verdict rests on."""
    tables = TinyTables(
        ("area",), [[(("All",), "50"), (("N",), "20"), (("S",), "*"), (("S and W",), "30")]],
        totals={"area": "All"}, markers={"*": (1, 4)}, min_count=5, open=("area",),
        categories={"area": {"N": ("N",), "S": ("S",), "S and W": ("S", "W")}},
    )  # fmt: skip
    folder = tables.write(tmp_path)
    edit(folder / "series.toml", 'value = "n"', 'values = ["n", "deaths"]\npart_of = { deaths = "n" }')
    first = folder / "releases/1.csv"
    first.write_text(
        "\n".join([f"{line},{more}" for line, more in zip(first.read_text().splitlines(), DEATHS, strict=True)])
    )
    text = rendered("dpia", series=folder)[1].replace("\\", "")
    for said in (
        "These labels cover everyone: area All, statistic n.",
        '"All" of area may count more than its other labels together.',
        "Labels of area that are made up of others: S and W (S and W).",
        "deaths counts some of those in n.",
        "* stands for 1 to 4.",
        "min_count: smallest count that may be known: 5",
    ):
        assert said in text


@pytest.mark.many
@pytest.mark.parametrize(
    "words", [(), ("--attack", "update-graph"), ("--attack", "intersection"), ("--attack", "joint")]
)
@pytest.mark.parametrize(
    "series", ["distinct-star-skewed", "ward-2-distinct", "clinic-2-invariant", "hospital-2-invariant"]
)
def test_a_risk_in_the_verdict_is_a_posterior_or_called_an_estimate(series, words):
    """And the attack that is named has this risk."""
    _, result, _ = run_audit(EXAMPLES / series, *words)
    text = " ".join(run_main(str(EXAMPLES / series), *words)[1].split())
    said = re.search(
        r"(?:by an estimate of ([a-z-]+) [^,]*, )?"
        r"(?:the [\w ]+ of one person|the values of \d+ people) (?:is|are) known with "
        r"(?:\d+% or more, at most with )?(\d+)%",
        text,
        re.IGNORECASE,
    )
    if said is None:
        return
    risks = {each["attack"]: each["measures"].get("max_risk") for each in result["attacks"]}
    decided = {each["attack"] for each in result["attacks"] if each["status"] == "complete"} & {"joint"}
    assert (said[1] is None) == (risks.get("joint") is not None and bool(decided))
    assert int(100 * risks[said[1] or "joint"] + 0.5) == int(said[2])


def test_an_estimate_in_the_verdict_is_called_so():
    text = " ".join(run_main(str(EXAMPLES / "distinct-star-skewed"), "--attack", "update-graph")[1].split())
    assert (
        "By an estimate of update-graph from each person's own groups alone, the sensitive value of one person is "
        "known with 91%" in text
    )


def test_what_is_undecided_is_said_under_what_to_do_next(tmp_path):
    """No attack judges e where values change, and no option would help: the heading is not empty."""
    rows = [["Owner", "Group", "Age", "Disease"], *[[f"p{n}", str(n // 4), "20", "abcd"[n % 4]] for n in range(8)]]
    columns = 'individual = "Owner"\ngroup = "Group"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
    folder = series_of(tmp_path / "s", [rows, rows], columns, '[adversary]\ntransitions = "any"\n[policy]\nmin_e = 2\n')
    code, out, _ = run_main(str(folder))
    last = " ".join(out.split("What to do next")[1].split())
    assert code == 3
    assert "not everything was decided. - min_e (nothing: the attack is not for this kind of series)" in last


def test_a_page_has_all_that_is_found_of_a_person(tmp_path):
    """Each kind of finding, and each category, by itself; what several attacks find of a value stands once."""
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/1.csv").write_text("g,income,who\n1,1000,a\n1,1001,b\n2,500,c\n2,900,d\n", encoding="utf-8")
    (tmp_path / "categories.csv").write_text(
        "value,category\n1000,high\n1001,high\n1000,even\n1001,even\n500,low\n900,mid\n", encoding="utf-8"
    )
    (tmp_path / "series.toml").write_text(
        '[series]\nreleases = ["releases/1.csv"]\n[columns]\nsensitive = "income"\ngroup = "g"\nindividual = "who"\n'
        'types = { income = "numeric" }\nsimilar = { income = "categories.csv" }\n'
        '[policy]\nmax_ever_risk = 0.9\ngrave = ["1000", "1001"]\n',
        encoding="utf-8",
    )
    _, sections, _ = page(tmp_path, "--reveal")
    said = re.findall(r"\*\*(a [^*]*)\*\*", sections["Findings"])
    assert sorted(said) == [
        "a had a grave value at some time up to release 1 with a probability of 100%.",
        "a has a value from 1000 to 1001, by release 1.",
        "a has a value of the category even, by release 1.",
        "a has a value of the category high, by release 1.",
    ]
