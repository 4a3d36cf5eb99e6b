"""`audit check`: exit codes, what is printed, what is hidden, and what is refused."""

import json
from pathlib import Path

import pytest

from audit.model.options import options_of
from audit.principles.registry import PRINCIPLES
from tests.cli.forms import EXAMPLES, FORMS, edit, private_texts, snapshot
from tests.cli.test_command_line import only_line
from tests.helpers.messy import series_of
from tests.helpers.running import refused, run_main


def run(name, *words):
    return run_main("check", str(EXAMPLES / name), "--principle", *words)


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("hospital-2-invariant", ["m-invariance", "--m", "2"], 0),
        ("hospital-l-diverse", ["m-invariance", "--m", "2"], 1),
        ("cases-monotonic", ["monotonic", "--k", "2"], 0),
        ("cases-independent", ["monotonic", "--k", "2"], 1),
        ("clinic-merged", ["monotonic", "--k", "2"], 2),
        ("clinic-2-equivalence", ["e-equivalence", "--e", "2"], 0),
        ("clinic-merged", ["e-equivalence", "--e", "2"], 1),
        ("ward-2-distinct", ["e-equivalence", "--e", "2"], 3),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_exit_codes(name, words, code, form):
    found, out, err = run(name, *words, "--format", form)
    assert found == code
    assert bool(out) is (code != 2 or form == "json")  # as JSON, what is wrong is a document too
    assert bool(err) is (code == 2)
    assert ("UNDECIDED" in out) is (code == 3 and form == "text")
    assert ("between values that never change, and the series has transitions" in " ".join(out.split())) is (code == 3)


# -- what is printed ----------------------------------------------------------------------------------------------


def test_lines_of_people_are_hidden_with_their_names():
    hidden, shown = (
        json.loads(run("cases-independent", "monotonic", "--k", "3", "--format", "json", *words)[1])["offences"]
        for words in ([], ["--reveal"])
    )
    assert [offence["line"] for offence in hidden] == [2, 4, 2, None, 3]
    assert [offence["line"] for offence in shown] == [2, 4, 2, 2, 3]
    assert [offence["individuals"] for offence in hidden] == [[], [], [], [], []]
    assert [offence["individuals"] for offence in shown] == [[], [], [], ["1", "3"], []]


# -- every form of series -----------------------------------------------------------------------------------------


@pytest.mark.many
@pytest.mark.parametrize("principle", list(PRINCIPLES), ids=lambda principle: principle.name)
@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_form_of_series(form, principle, tmp_path):
    """Each check ends with a verdict or one clear line, writes nothing, and names no one unless asked."""
    FORMS[form](tmp_path / "s")
    before = snapshot(tmp_path / "s")
    words = ["check", str(tmp_path / "s"), "--principle", principle.name]
    words += [word for option in options_of(principle) for word in (option.flag, "3")]
    code, out, err = run_main(*words)
    assert code in (0, 1, 2, *([3] if principle.name == "e-equivalence" else [])), err
    assert snapshot(tmp_path / "s") == before
    assert not [text for text in private_texts(tmp_path / "s") if text in out + err]
    if code == 2:
        assert "needs [columns]" in only_line(err)
    else:
        assert err == ""


# -- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--principle"),
        (["--principle", "secrecy"], "'k-anonymity', 'l-diversity'"),
        (["--principle", "k-anonymity", "--k", "0"], "a whole number from 1"),
        (["--principle", "k-anonymity", "--k", "2.5"], "a whole number from 1"),
        (["--principle", "k-anonymity", "--k", "9" * 30], "a whole number from 1"),
        (["--principle", "k-anonymity", "--format", "csv"], "text"),
    ],
)
def test_wrong_words_are_told_in_one_line(words, said):
    line = only_line(refused("check", str(EXAMPLES / "hospital-l-diverse"), *words))
    assert said in line
    assert "audit check --help" in line


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("hospital-l-diverse", ["m-invariance"], "m-invariance needs --m"),
        ("hospital-l-diverse", ["m-invariance", "--k", "2"], "m-invariance has no --k; there are --m"),
        ("hospital-l-diverse", ["l-diversity", "--l", "2", "--k", "2"], "l-diversity has no --k"),
        ("cases-monotonic", ["m-invariance", "--m", "2"], "add it"),
        ("no-such-series", ["k-anonymity", "--k", "2"], "there is no such file"),
    ],
)
def test_what_is_refused(name, words, said):
    code, out, err = run(name, *words)
    assert (code, out) == (2, "")
    assert said in only_line(err)


def test_a_faulty_file_is_told_with_its_line(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    edit(
        tmp_path / "s/releases/2.csv", '"[21, 23]","[12000, 25000]",gastritis', '"[23, 21]","[12000, 25000]",gastritis'
    )
    err = refused("check", str(tmp_path / "s"), "--principle", "k-anonymity", "--k", "2")
    assert only_line(err).startswith('releases/2.csv:3, column "Age"')


def test_lines_are_those_of_a_file_of_several_releases_with_totals(tmp_path):
    """Rows of other releases and totals, which are left out, count as lines."""
    rows = ["2021;[20, 29];flu", "2021;[20, 29];cold", "2022;total;", "2022;[20, 29];flu", "2022;[30, 39];cold"]
    columns = 'sensitive = "Dx"\nquasi_identifiers = ["Age"]\nignore_rows = { Age = ["total"] }\n'
    above = 'releases_by = "Year"\n'
    folder = series_of(tmp_path / "s", ["\n".join(["Year;Age;Dx", *rows, ""])], columns, above=above)
    code, out, _ = run_main("check", str(folder), "--principle", "k-anonymity", "--k", "2", "--format", "json")
    assert (code, [each["line"] for each in json.loads(out)["offences"]]) == (1, [5, 6])
    candidate = tmp_path / "next.csv"
    candidate.write_text("\n".join(["Year;Age;Dx", *rows, "2023;[20, 29];flu", "2023;[20, 29];flu", ""]))
    attacks = json.loads(run_main("next", str(folder), str(candidate), "--format", "json")[1])["attacks"]
    causes = [found["cause"]["rows"] for each in attacks for found in each["new_findings"]]
    assert causes == [[{"group": "1", "lines": [7, 8]}]]


def test_the_manual_has_every_principle():
    manual = (Path(__file__).parents[2] / "docs/principles.md").read_text(encoding="utf-8")
    for principle in PRINCIPLES:
        assert f"| `{principle.name}` | `{'`, `'.join(option.flag for option in options_of(principle))}` |" in manual
