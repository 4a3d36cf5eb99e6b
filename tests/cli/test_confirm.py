"""`audit init --confirm`: it asks what is guessed or has no role, and changes nothing else in the manifest."""

import csv
import io
import random
import tomllib
from collections import Counter
from contextlib import suppress
from itertools import product

import pytest

from audit.cli import init
from audit.init.confirmation import confirmed
from audit.init.questions import OPEN
from audit.io.toml import toml_document, value_under
from audit.model.errors import UsageError
from reports.verdict import if_unchanged
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, write
from tests.helpers.running import agreed, drafted, refused, run_audit, run_main
from tests.mutants.mutant import kills

MANIFEST = """\
# Ours. Do not touch.
[series]
name = "Ward"   # as in the contract
releases = ["jan.csv", "feb.csv"]

[columns]   # what they mean
sensitive = "Disease"
quasi_identifiers = [
    "Age",  # in bands
    "Sex",
]
types.Age = "numeric"   # years

[unconfirmed]
# guesses
keys = [{keys}]

# [policy]
# k = 3
"""
ALL = '"columns.sensitive", "columns.quasi_identifiers", "series.releases"'
HEAD = ["Age", "Sex", "Disease", "Note"]


@pytest.fixture
def folder(tmp_path):
    for tag in ("jan", "feb"):
        rows = [[f"{20 + n % 2 * 10}-{29 + n % 2 * 10}", "fm"[n // 2 % 2], ["flu", "cold", "gout"][n % 3], f"{tag} {n}"]
                for n in range(48)]  # fmt: skip
        write(tmp_path / f"{tag}.csv", as_csv([HEAD, *rows]))
    write(tmp_path / "series.toml", MANIFEST.format(keys=ALL))
    return tmp_path


def confirm(folder, *answers, more=0):
    """Answer on lines, then with so many empty ones: exit code, what was asked, errors and the manifest's text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("".join(f"{answer}\n" for answer in [*answers, *[""] * more])))
        code, out, err = run_main("init", str(folder), "--confirm")
    return code, out, err, (folder / "series.toml").read_text(encoding="utf-8")


def said(text):
    return [line.split('"')[1] for line in text.splitlines() if line.startswith("What is the column")]


def test_each_guess_and_each_column_without_a_role_is_asked_and_nothing_else_is_changed(folder):
    code, out, err, text = confirm(folder, "", "", "unlinkable", "we number the notes", "feb, jan")
    assert code == 0, err
    assert said(err) == ["Disease", "Sex", "Note"]  # ages in bands are quasi-identifiers
    assert "It has no role." in " ".join(err.split())
    expected = MANIFEST.replace("[unconfirmed]\n# guesses\nkeys = [{keys}]\n\n", "")
    expected = expected.replace('["jan.csv", "feb.csv"]', '[\n    "feb.csv",\n    "jan.csv",\n]')
    lines = [line for line in text.splitlines() if line and not line.startswith("unlinkable")]
    assert lines == [line for line in expected.splitlines() if line]
    assert tomllib.loads(text)["columns"]["unlinkable"] == {"Note": "we number the notes"}
    assert f"Next: audit {folder}" in out
    code, result, _ = run_audit(folder)
    assert (code, {each["state"] for each in result["policy"]["clauses"]}) == (0, {"holds", "not judged"})
    assert confirm(folder) == (0, f"{folder}/series.toml: nothing is left to confirm.\n", "", text)


@pytest.mark.parametrize(
    ("answer", "expected"), [("people", (False, 0)), ("counterfeits", (False, 1)), ("", (True, 0))]
)
def test_whose_rows_have_a_blank_identifier_is_a_question(folder, answer, expected):
    rows = [["", "20-29", "f", "flu"], *([f"P{n}", "20-29", "f", ["flu", "cold"][n % 2]] for n in range(6))]
    for tag, first in (("jan", 0), ("feb", 1)):
        write(folder / f"{tag}.csv", as_csv([["Who", *HEAD[:3]], *rows[first:]]))
    people = 'individual = "Who"\nunnamed = "people"\n\n[unconfirmed]'
    write(folder / "series.toml", MANIFEST.format(keys='"columns.unnamed"').replace("[unconfirmed]", people))
    assert "Some rows have a blank identifier." in confirm(folder, "", answer)[2]
    _, result, _ = run_audit(folder)
    assert (result["policy"]["clauses"][0]["state"] == "undecided", result["series"]["counterfeits"]) == expected


@kills("audit.init.column_meanings._Guesser.guess_quasi", "known = ", "known = True or ")
@pytest.mark.parametrize(("name", "asked"), [("zz", ["zz"]), ("Zip", [])])
def test_bands_under_a_heading_that_says_nothing_are_asked_about(tmp_path, name, asked):
    """Beside a sensitive column that is no guess, too: bands may be sensitive."""
    bands = [f"{n}000-{n}999" for n in (1, 2)]
    rows = [[age, band, value] for age in ("20-29", "30-39") for band in bands for value in ("flu", "cold")]
    write(tmp_path / "1.csv", as_csv([["Age", name, "Disease"], *rows, *rows]))
    manifest = tomllib.loads(drafted(tmp_path))
    assert manifest.get("unconfirmed", {"keys": []})["keys"] == ["columns.quasi_identifiers"] * len(asked)
    assert run_audit(tmp_path)[0] == (3 if asked else 0)
    if asked:
        assert said(confirm(tmp_path, "")[2]) == asked
        assert run_audit(tmp_path)[0] == 3  # an empty line says nothing
        assert confirm(tmp_path, "quasi_identifiers")[0] == 0
        assert run_audit(tmp_path)[0] == 0


def test_the_twin_that_is_unsafe_is_so_once_it_is_confirmed(folder):
    assert run_audit(folder)[0] == 3
    assert confirm(folder, "", "", "quasi_identifiers", "jan, feb")[0] == 0
    code, result, _ = run_audit(folder)
    assert code == 1
    assert {each["measure"] for each in result["policy"]["violations"]} == {"k", "max_risk"}


def test_a_column_that_loses_a_unique_role_is_asked_again(folder):
    write(
        folder / "series.toml",
        MANIFEST.format(keys='"columns.quasi_identifiers"').replace("[columns]", '[columns]\ngroup = "Note"'),
    )
    code, _, err, text = confirm(folder, "group", "unlinkable", "drawn anew each time")
    assert code == 0, err
    assert said(err) == ["Sex", "Note"]
    columns = tomllib.loads(text)["columns"]
    assert (columns["group"], columns["unlinkable"]) == ("Sex", {"Note": "drawn anew each time"})


def test_comments_about_a_column_with_another_role_go_though_they_are_on_two_lines(folder):
    """A comment of the publisher's own stays."""
    said_of = '# "Age" (intervalles)\u00a0; "Sex" (d’après\n# son nom)\n'
    for about, stays in ((said_of, False), ("# ours\n", True)):
        text = MANIFEST.format(keys='"columns.quasi_identifiers"').replace("types.Age", f"{about}types.Age")
        write(folder / "series.toml", text)
        code, _, err, text = confirm(folder, "unlinkable", "ours", "unlinkable", "ours, too")
        assert (code, said(err), about.splitlines()[-1] in text) == (0, ["Sex", "Note"], stays)


def test_an_empty_line_confirms_no_key_that_only_the_publisher_knows(folder):
    """A published id links rows; taken for the publisher's own key, it would link none."""
    keys = f'{ALL}, "columns.individual"'
    write(folder / "series.toml", MANIFEST.format(keys=keys).replace("types.Age", 'individual = "Note"\ntypes.Age'))
    before = (folder / "series.toml").read_text(encoding="utf-8")
    code, _, err, text = confirm(folder, "?", "?", "unlinkable", "?", "?")
    assert (code, tomllib.loads(text)) == (0, tomllib.loads(before)), err
    _, out, _, same = confirm(folder, "?", more=9)
    assert (same, "nothing is left to confirm" in out) == (text, False)
    assert f"nothing that depends on them is decided: {keys}.".replace('"', "") in " ".join(out.split())
    code, _, err, text = confirm(folder, "", "", "count", more=9)
    assert (code, said(err)) == (0, ["Disease", "Sex", "Note"])
    assert {"count": "Note"}.items() <= (columns := tomllib.loads(text)["columns"]).items()
    assert "individual" not in columns


@pytest.mark.parametrize("answers", [(), ("", ""), ("", "", "unlinkable"), ("", "", "unlinkable", "x")])
def test_answers_that_end_too_early_change_nothing(folder, answers):
    code, _, err, text = confirm(folder, *answers)
    assert code == 2
    assert "there are fewer answers than questions, and nothing was changed" in err
    assert text == MANIFEST.format(keys=ALL)


@kills("audit.init.questions.AskedManifest.is_right", "(question, OPEN)", '(question, "yes")')
def test_a_denied_guess_is_deleted_or_stays_unconfirmed(folder):
    plain = MANIFEST.replace("types.Age", 'unlinkable.Note = "x"\nmissing = ["?"]\ntypes.Age')
    keys = '"columns.missing", "columns.types.Age", "series.name"'
    write(folder / "series.toml", plain.format(keys=keys))
    code, _, err, text = confirm(folder, "no", "yes", "no")
    assert code == 0, err
    assert 'series.toml says columns.missing = ["?"]. Is that right?' in err
    found = tomllib.loads(text)
    assert "missing" not in found["columns"]
    assert found["columns"]["types"] == {"Age": "numeric"}
    assert found["unconfirmed"]["keys"] == ["series.name"]
    assert "# guesses" in text
    assert "unconfirmed" in tomllib.loads(confirm(folder, "")[3])


@kills("audit.init.confirmation._AskedAboutPeople.take_role", "if [name] ==", "if () ==")
def test_columns_that_change_go_with_the_role_of_the_column(folder):
    text = MANIFEST.format(keys='"columns.quasi_identifiers"').replace("types.Age", 'changing = ["Sex"]\ntypes.Age')
    write(folder / "series.toml", text)
    code, _, err, text = confirm(folder, "unlinkable", "ours", "unlinkable", "ours, too")
    assert (code, "changing" in tomllib.loads(text)["columns"]) == (0, False), err


def test_a_denied_guess_without_which_no_release_can_be_read_stays_one(folder):
    """The answers ended in an error, and were lost."""
    path, stated = folder / "feb.csv", 'renamed.feb = { Illness = "Disease" }\nunlinkable.Note = "x"\ntypes.Age'
    write(path, path.read_text(encoding="utf-8").replace("Disease", "Illness"))
    before = MANIFEST.format(keys='"columns.renamed"').replace("types.Age", stated)
    write(folder / "series.toml", before)
    code, _, err, text = confirm(folder, "no")
    assert (code, tomllib.loads(text)) == (0, tomllib.loads(before)), err


@kills("audit.init.questions.AskedManifest.still_guessed", "is not None", "or key")
@pytest.mark.parametrize("seed", range(some(20)))
def test_a_key_that_an_answer_removes_is_no_guess_any_more(tmp_path, seed):
    """The manifest could not be read with it, and one question came again and again, whatever was answered."""
    draw = random.Random(seed)  # noqa: S311
    for tag, name in (("1", "Sex"), ("2", "Gender")):
        rows = [[f"H{n // 2}", n % 2, f"{n % 4}0-{n % 4}9", "fm"[n % 2], ["flu", "cold", ""][n % 3]] for n in range(24)]
        write(tmp_path / f"{tag}.csv", as_csv([["Household", "No", "Age", name, "Disease"], *rows]))
    columns = {"sensitive": "Disease", "quasi_identifiers": ["Household", "Age", "Sex"], "individual": "No",
               "rows": "episodes", "missing": ["?"], "changing": ["Age"], "types": {"Age": "numeric"},
               "renamed": {"2": {"Gender": "Sex"}}, "unnamed": "people"}  # fmt: skip
    guesses = {"keys": [f"columns.{key}" for key in draw.sample([*columns], len(columns))]}
    tables = {"series": {"releases": ["1.csv", "2.csv"]}, "columns": columns, "unconfirmed": guesses}
    text = toml_document(tables)
    asked = Counter()

    def ask(question):
        asked[question.text] += 1
        assert asked[question.text] < 10, question.text
        return draw.choice([*question.answers] or ["ours"])

    with suppress(UsageError):  # no column is sensitive
        text = confirmed(tmp_path, text, ask)
    manifest = tomllib.loads(text)
    assert all(value_under(manifest, key) is not None for key in manifest.get("unconfirmed", {"keys": []})["keys"])


def test_a_column_that_some_releases_lack_can_wait(folder):
    rows = [[*HEAD, "Ward"], ["20-29", "f", "flu", "x", "A"], ["20-29", "f", "cold", "y", "B"]]
    write(folder / "feb.csv", as_csv(rows))
    code, _, err, text = confirm(folder, "", "", "", "", more=2)
    assert code == 0, err
    assert said(err)[-1] == "Ward"
    assert "Not all releases have it" in " ".join(err.split())
    assert "Ward" not in str(tomllib.loads(text)["columns"])
    code, result, _ = run_audit(folder, "--policy", "k=1", "--policy", "max_risk=1")
    assert any('have no role: "Note" and "Ward"' in each["reason"] for each in result["policy"]["undecided"])


def test_what_cannot_be_confirmed(folder, tmp_path):
    assert run_main("init", str(folder), "--confirm", "--yes")[0] == 2
    write(folder / "series.toml", "[series")
    assert "this is not TOML" in run_main("init", str(folder), "--confirm")[2]
    (folder / "series.toml").unlink()
    assert f"let `audit init {folder}` write it first" in refused("init", str(folder), "--confirm")
    microdata = refused("init", str(folder), "--microdata", "--confirm")
    assert f"let `audit init --microdata {folder}` write it first" in microdata


@kills("audit.init.confirmation._AskedAboutPeople.ask_role", "bool(sensitivity(name))", "False")
def test_no_empty_line_says_that_what_sounds_sensitive_may_be_known(folder):
    """Enter takes what is suggested, and whatever is a quasi-identifier is not judged."""
    for path in (folder / "jan.csv", folder / "feb.csv"):
        write(path, path.read_text().replace("Note", "Second diagnosis"))
    code, _, err, text = confirm(folder, "", "", "", "jan, feb")
    assert (code, "may be sensitive" in err) == (0, True)
    columns = tomllib.loads(MANIFEST.format(keys=ALL))["columns"]
    assert (tomllib.loads(text)["columns"], tomllib.loads(text).get("unconfirmed")) == (columns, None)
    code, _, _, text = confirm(folder, "sensitive")
    assert (code, tomllib.loads(text)["columns"]["sensitive"]) == (0, ["Disease", "Second diagnosis"])


@pytest.fixture
def wave(tmp_path):
    """Two waves with keys, in which people's meals change, and their needs, in other ways."""
    for wave in range(2):
        rows = [[f"p{n}", f"{n % 2}0-{n % 2}9", ["No", "Yes"][(n // 2 + wave * (n % 8 == 0)) % 2],
                 ["None", "Plan", "Support"][(n // 3 + wave * (n % 6 == 0)) % 3]] for n in range(24)]  # fmt: skip
        write(tmp_path / f"{2022 + wave}.csv", as_csv([["Pupil No", "Age", "Meals", "Needs"], *rows]))
    manifest = MANIFEST.replace("jan.csv", "2022.csv").replace("feb.csv", "2023.csv").replace('"Disease"', '"Meals"')
    manifest = manifest.replace('"Sex"', '"Needs"').replace("types.Age", 'individual = "Pupil No"\ntypes.Age')
    manifest = manifest.replace("[unc", '[adversary]\ntransitions = "transitions.csv"  # guess: drafted\n\n[unc')
    keys = f'{ALL}, "adversary.transitions"'
    write(tmp_path / "series.toml", manifest.format(keys=keys))
    write(tmp_path / "transitions.csv", "from,to\nNo,No\nNo,Yes\nYes,Yes\n")
    return tmp_path


@pytest.mark.parametrize(
    ("answers", "transitions"),
    [
        (["quasi_identifiers", "sensitive", "2022, 2023"], "transitions.csv"),
        (["sensitive", "sensitive", "2022, 2023", "no", "any", "any"], "any"),
        (["sensitive", "sensitive", "2022, 2023", "no"], "transitions.csv"),
        (["sensitive", "sensitive", "2022, 2023", "no", "stated", "any"], "transitions.csv"),
    ],
    ids=["another", "any", "stated", "each by itself"],
)
def test_transitions_drafted_for_the_former_sensitive_column_are_drafted_anew(wave, answers, transitions):
    code, _, err, text = confirm(wave, *answers, more=9)
    assert code == 0, err
    manifest = tomllib.loads(text)
    assert manifest["adversary"]["transitions"] == transitions
    assert ("Needs" in manifest["columns"]["sensitive"], "unconfirmed" in manifest) == (True, False)
    code, result, _ = run_audit(wave)
    assert (code in (0, 1, 3), result["contradictions"]) == (True, {"changed": 0, "infeasible": 0})


@kills(
    "audit.init.confirmation._AskedAboutPeople.ask_changes", "self.list_changes(file, given) if others", "ANY if others"
)
@kills("audit.init.guess.lines_of", "several = len(changes) > 1", "several = False")
@pytest.mark.parametrize("answers", list(product(("never", "stated", "any"), repeat=2)), ids="-".join)
def test_whether_values_change_is_asked_and_kept_for_each_sensitive_column(wave, answers):
    """Both were asked about at once, no answer was what the keys show, and by "any" an audit found too little."""
    code, _, err, text = confirm(wave, "sensitive", "sensitive", "2022, 2023", "no", *answers, more=9)
    assert (code, err.count("Can the value of")) == (0, 2), err
    kept, same = tomllib.loads(text)["adversary"]["transitions"], answers in [("never", "never"), ("any", "any")]
    assert (kept, "unconfirmed" in text) == (answers[0] if same else "transitions.csv", False)
    if same:
        return
    lines = list(csv.DictReader(io.StringIO((wave / "transitions.csv").read_text(encoding="utf-8"))))
    values, changes = {"Meals": 2, "Needs": 3}, {"Meals": 1, "Needs": 3}
    for name, answer in zip(values, answers, strict=True):
        many = {"never": values[name], "any": values[name] ** 2, "stated": values[name] + changes[name]}[answer]
        assert len([each for each in lines if each["attribute"] == name]) == many
    code, _, err = run_main(str(wave))
    assert (code == 2) == ("never" in answers), err  # the keys show that values change


@kills("audit.init.confirmation._AskedAboutPeople.ask_all", "self.ask_types()", "pass")
@pytest.mark.parametrize(
    ("form", "answers", "written"),
    [
        ("{},50", ["numeric", ","], {"types": {"Needs": "numeric"}, "decimal": ","}),
        ("{},50", ["categorical"], {"types": {"Needs": "categorical"}}),
        ("{},50", ["?"], {}),
        ("{}", ["numeric"], {"types": {"Needs": "numeric"}}),
        ("{}0-{}9", ["categorical"], {"types": {"Needs": "categorical"}}),
    ],
)
def test_what_the_numbers_of_a_column_are_is_asked_once_it_is_sensitive(wave, form, answers, written):
    """Only the audit said what it needs to know."""
    for tag in ("2022", "2023"):
        path = wave / f"{tag}.csv"
        head, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
        number = {"None": 12, "Plan": 45, "Support": 78}
        write(path, as_csv([head, *([*row[:3], form.replace("{}", str(number[row[3]]))] for row in rows)]))
    _, _, err, text = confirm(wave, "sensitive", "sensitive", *answers, "2022, 2023", more=9)
    columns = tomllib.loads(text)["columns"]
    types = {"types": {"Age": "numeric", **written.get("types", {})}}
    assert {key: columns[key] for key in ("types", "decimal") if key in columns} == {**written, **types}, err
    reasons = [str(each["reason"]) for each in run_audit(wave)[1]["policy"]["clauses"]]
    assert any("Needs" in each and "types" in each for each in reasons) == (not written), reasons


@kills("audit.cli.init._UntilInterrupted.__call__", "return OPEN", "raise KeyboardInterrupt")
@kills("audit.cli.init._UntilInterrupted.__call__", "len(self.asked) > 1 and ", "")
@pytest.mark.parametrize("given", range(4))
def test_after_an_interrupt_the_other_questions_are_left_open(folder, monkeypatch, given):
    before, asked = (folder / "series.toml").read_text(encoding="utf-8"), []

    def ask(question, *, interrupted=True):
        asked.append(question)
        if len(asked) > given and interrupted:
            raise KeyboardInterrupt
        return agreed(question) if len(asked) <= given else OPEN

    monkeypatch.setattr(init, "ask_until_answered", ask)
    code, _, err = run_main("init", str(folder), "--confirm")
    text, count = (folder / "series.toml").read_text(encoding="utf-8"), len(asked)
    assert (code, count) == (130, given + 1)
    assert ("series.toml has the answers so far" if given else "series.toml is as it was") in " ".join(err.split())
    if given:
        write(folder / "series.toml", before)
        asked.clear()
        monkeypatch.setattr(init, "ask_until_answered", lambda question: ask(question, interrupted=False))
        assert run_main("init", str(folder), "--confirm")[0] == 0
        assert (folder / "series.toml").read_text(encoding="utf-8") == text
    else:
        assert text == before


def test_where_any_value_may_follow_any_the_advice_leads_to_the_changes_that_the_key_shows(wave):
    """It led to `never`, by which the key contradicts the assumptions, and back."""
    code, _, err, text = confirm(wave, "sensitive", "quasi_identifiers", "2022, 2023", "any", more=9)
    assert code == 0, err
    assert 'delete transitions = "any", and let `audit init --confirm`' in if_unchanged(0)
    head, _, tail = text.partition('transitions = "any"')
    write(wave / "series.toml", head + tail.partition("\n")[2] + "\n# [policy]\n")
    code, _, err, text = confirm(wave, more=9)
    assert 'transitions = "transitions.csv"' in text.partition("[adversary]")[2].splitlines()[1], err
    assert run_audit(wave)[1]["contradictions"] == {"changed": 0, "infeasible": 0}


def test_answers_about_changes_that_no_file_can_list_leave_them_a_guess(wave):
    """One file has the changes of all columns, and any of many values may follow any of them only in all columns."""
    for tag in ("2022", "2023"):
        path = wave / f"{tag}.csv"
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
        write(path, as_csv([rows[0], *([*row[:3], f"{row[3]} {n}"] for n, row in enumerate(rows[1:]))]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.init.confirmation.MOST_CHANGING", 20)
        _, _, _, text = confirm(wave, "sensitive", "sensitive", "2022, 2023", "no", "stated", "any", more=9)
    assert "adversary.transitions" in tomllib.loads(text)["unconfirmed"]["keys"]


def test_transitions_are_drafted_anew_in_the_order_that_the_publisher_states(wave):
    code, _, err, text = confirm(wave, "sensitive", "quasi_identifiers", "2023, 2022", more=9)
    assert (code, tomllib.loads(text)["series"]["releases"]) == (0, ["2023.csv", "2022.csv"]), err
    lines = (wave / "transitions.csv").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == ["No,No", "Yes,No", "Yes,Yes", "from,to"]


@kills("audit.io.naming._readings", "beside[::-1]), (numbers[at], *beside)", "beside), (numbers[at], *beside)")
@kills("audit.io.naming.in_time", "is_alike and order == other", "is_alike")
@pytest.mark.parametrize(
    ("tags", "order", "asked"),
    [
        (["April 2024", "January 2024"], ["January 2024", "April 2024"], False),
        (["11-2022", "02-2023"], ["11-2022", "02-2023"], False),
        (["2024-autumn", "2024-spring"], ["2024-spring", "2024-autumn"], True),
        (["15.07.2023", "16.01.2023"], ["16.01.2023", "15.07.2023"], True),
    ],
)
def test_releases_are_listed_in_time_and_asked_about_if_their_names_do_not_show_it(wave, tags, order, asked):
    for old, new in zip(("2022", "2023"), tags, strict=True):
        (wave / f"{old}.csv").rename(wave / f"{new}.csv")
    for name in ("series.toml", "transitions.csv"):
        (wave / name).unlink()
    manifest = tomllib.loads(drafted(wave))
    assert manifest["series"]["releases"] == [f"{tag}.csv" for tag in order]
    assert ("series.releases" in manifest["unconfirmed"]["keys"]) == asked


@kills("audit.io.manifest.order_doubts", "manifest.unordered is not None", "False")
@kills("audit.io.manifest.SeriesReader.tags_in", "None if is_clear", "None if order")
@pytest.mark.parametrize(("tags", "code"), [(["1", "2"], 1), (["I", "II"], 3), (["b", "a"], 3)])
def test_waves_whose_texts_do_not_show_their_order_leave_transitions_undecided(tmp_path, tags, code):
    rows = [[tag, who, who, value] for tag, values in zip(tags, ("ab", "ba"), strict=True)
            for who, value in zip("pq", values, strict=True)]  # fmt: skip
    write(tmp_path / "panel.csv", as_csv([["wave", "id", "group", "value"], *rows]))
    write(tmp_path / "moves.csv", "from,to\na,b\nb,a\na,a\nb,b\n")
    columns = 'sensitive = "value"\ngroup = "group"\nindividual = "id"\n'
    series = '[series]\nreleases = ["panel.csv"]\nreleases_by = "wave"\n\n[columns]\n'
    adversary = '\n[adversary]\ntransitions = "moves.csv"\n'
    write(tmp_path / "series.toml", f"{series}{columns}{adversary}")
    assert run_audit(tmp_path)[0] == code


def test_a_draft_of_transitions_that_its_publisher_edited_is_not_overwritten(wave):
    edited = (wave / "transitions.csv").read_text(encoding="utf-8") + "No,Maybe\n"
    write(wave / "transitions.csv", edited)
    code, _, err, text = confirm(wave, "quasi_identifiers", "sensitive", more=9)
    assert (code, tomllib.loads(text)["adversary"]["transitions"]) == (0, "transitions-2.csv"), err
    assert "transitions.csv" not in text
    assert (wave / "transitions.csv").read_text(encoding="utf-8") == edited


def test_a_person_whose_values_change_in_two_columns_contradicts_the_assumptions_once(wave):
    (wave / "transitions.csv").unlink()
    text = (wave / "series.toml").read_text(encoding="utf-8").replace(', "adversary.transitions"', "")
    text = text.replace('transitions = "transitions.csv"', "").replace('"Meals"', '["Meals", "Needs"]', 1)
    write(wave / "series.toml", text.replace('    "Needs",\n', ""))
    _, result, _ = run_audit(wave)
    assert result["contradictions"]["changed"] == len({n for n in range(24) if n % 8 == 0 or n % 6 == 0})


def confirmation(question):
    return "sensitive" if "Needs" in question.text and "sensitive" in question.answers else agreed(question)


def test_signs_that_are_taken_for_not_applicable_are_all_named_and_may_be_parted(tmp_path):
    """Who said yes to z said it of x, too, and no asked nothing."""
    rows = ["A,f,z", "A,m,c", "A,d,12", "A,All,14", "B,f,x", "B,m,21", "B,d,30", "B,All,57"]
    write(tmp_path / "1.csv", "\n".join(["area,sex,cases", *rows, ""]))
    manifest = tomllib.loads(drafted(tmp_path))
    assert manifest["table"]["not_published"] == ["z", "x"]
    keys = manifest["unconfirmed"]["keys"]
    answers = [[""], ["no", '["z"]']]
    given = [answer for key in keys for answer in answers[key == "table.not_published"]]
    code, _, err, text = confirm(tmp_path, *given, more=9)
    assert (code, '"z" and "x" are taken for "not applicable"' in " ".join(err.split())) == (0, True)
    assert tomllib.loads(text)["table"]["not_published"] == ["z"]
    assert '"x" = [1, 4]' in refused(str(tmp_path))


def answered(folder, change):
    """Answer the question about changes of values, and take every other guess for right; whether it was asked."""
    asked, file = [], folder / "series.toml"

    def ask(question):
        asked.append(question.text.startswith("Can the value"))
        return change if asked[-1] else confirmation(question)

    write(file, confirmed(folder, file.read_text(encoding="utf-8"), ask))
    return any(asked)


@pytest.fixture
def registered(tmp_path):
    """Two releases and a register: who has which disease is certain, but only if values stay the same."""
    people = [("xy"[n % 2], "xy"[n // 2 % 2], "ABCD"[n % 4]) for n in range(24)]
    first, second = ([[a, "*", value] for a, _, value in people], [["*", b, value] for _, b, value in people])
    for tag, rows in (("2023", first), ("2024", second)):
        write(tmp_path / f"{tag}.csv", as_csv([["Region", "Area", "Disease"], *rows]))
    lines = [[f"P{n}", a, b, 1, 2] for n, (a, b, _) in enumerate(people)]
    write(tmp_path / "register.csv", as_csv([["individual", "Region", "Area", "first", "last"], *lines]))
    return tmp_path


@pytest.mark.parametrize(
    ("answer", "transitions", "code"),
    [("never", "never", 1), ("any", "any", 0), ("?", "never", 3), ("stated", "transitions.csv", 1)],
)
def test_whether_values_change_is_asked_where_nothing_shows_it(registered, answer, transitions, code):
    drafted(registered)
    assert run_audit(registered)[0] == 3
    if answer == "stated":
        write(registered / "transitions.csv", as_csv([["from", "to"], *[[value, value] for value in "ABCD"]]))
    assert answered(registered, answer)
    manifest = tomllib.loads((registered / "series.toml").read_text(encoding="utf-8"))
    assert manifest["adversary"]["transitions"] == transitions
    assert (run_audit(registered)[0], "unconfirmed" in manifest) == (code, code == 3)


@kills("audit.init.questions.AskedManifest.guess", "append(key)", "count(key)")
@kills("audit.init.guess.changes_of_values", "return None if people else {}", "return {}")
@kills("audit.io.rules.rows_and_values.SeveralRows.doubts", "is not None:", "is None and False:")
@kills("audit.init.confirmation._AskedAboutPeople.find_cases", "if (column", "if False and (column")
@pytest.mark.many
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("older", [True, False])
@pytest.mark.parametrize(("answer", "code"), [("?", 3), ("episodes", 3), ("people", 1)])
def test_whether_a_row_is_one_of_several_is_asked_where_no_key_shows_it(registered, listed, older, answer, code):
    """A register says who people are, not whose the rows are: beside one, cases were taken for people.

    So they were where an older manifest says nothing of it.
    """
    for tag in ("2023", "2024"):
        lines = (registered / f"{tag}.csv").read_text(encoding="utf-8").splitlines()
        write(
            registered / f"{tag}.csv", "\n".join(f"{line},{'Los' if at == 0 else '*'}" for at, line in enumerate(lines))
        )
    if not listed:
        (registered / "register.csv").unlink()
    manifest = tomllib.loads(drafted(registered))
    assert ("rows" in manifest["columns"], run_audit(registered)[0]) == (False, 3)

    def ask(question):
        return answer if "columns.rows" in question.text else confirmation(question)

    file = registered / "series.toml"
    if older:
        lines = file.read_text(encoding="utf-8").partition("[unconfirmed]")[0].splitlines()
        write(file, "\n".join(line for line in lines if not line.startswith("rows = ")) + "\n")
        (reason,) = [c["reason"] for c in run_audit(registered)[1]["policy"]["clauses"] if c["clause"] == "max_risk"]
        assert 'rows = "people" if each row' in reason
    write(file, confirmed(registered, file.read_text(encoding="utf-8"), ask))
    if listed or code == 3:
        assert run_audit(registered)[0] == code
        assert (registered / "series.toml").read_text(encoding="utf-8").count('transitions = "never"') == listed
    said = run_main(str(registered), "--document", "dpia")[1]
    assert ("Nobody has several rows in one release." in said) == (answer == "people")


@pytest.mark.many
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("cells", [("10-19", "20-29", "-"), ("N", "S", "-")])
@pytest.mark.parametrize("answer", ["yes", "no", "?"])
def test_a_sign_that_is_no_unknown_value_is_a_text_or_leaves_the_verdict_open(tmp_path, cells, listed, answer):
    """A dash is no number, and without a crosswalk it is nobody's of a register."""
    rows = [[cells[n % 3], "fm"[n // 3 % 2], "ABCD"[n // 6 % 4]] for n in range(48)]
    write(tmp_path / "1.csv", as_csv([["Area", "Sex", "Disease"], *rows]))
    exact = {"10-19": "15", "20-29": "25", "-": "0"} if "-" in cells[0] else {"-": "W"}
    lines = [[f"P{n}", exact.get(area, area), sex, 1, 1] for n, (area, sex, _) in enumerate(rows)]
    if listed:
        write(tmp_path / "register.csv", as_csv([["individual", "Area", "Sex", "first", "last"], *lines]))
    drafted(tmp_path)
    asked, file = [], tmp_path / "series.toml"

    def ask(question):
        asked.append(question.text)
        return answer if "columns.missing" in question.text else confirmation(question)

    for _ in range(2):
        write(file, confirmed(tmp_path, file.read_text(encoding="utf-8"), ask))
    assert any("columns.missing" in each for each in asked)
    is_open = answer == "?" or (answer == "no" and (listed or "-" in cells[0]))
    code = run_audit(tmp_path)[0]
    assert code in ((2, 3) if is_open else (0,))


@pytest.mark.parametrize(("answer", "said"), [("none", False), ("= Place", "Place"), ("?", None)])
def test_what_a_register_says_of_a_column_that_it_lacks_is_asked(registered, answer, said):
    lines = (registered / "register.csv").read_text(encoding="utf-8").replace("Area", "Place")
    write(registered / "register.csv", lines)
    drafted(registered)

    def ask(question):
        return answer if 'no column "Area"' in question.text else confirmation(question)

    file = registered / "series.toml"
    write(file, confirmed(registered, file.read_text(encoding="utf-8"), ask))
    assert tomllib.loads(file.read_text(encoding="utf-8")).get("register", {}).get("Area") == said
    (reason,) = [c["reason"] for c in run_audit(registered)[1]["policy"]["clauses"] if c["clause"] == "max_risk"]
    assert (said is None) == ("the register lacks" in (reason or ""))
    assert not (confirm(registered)[0] == 0 and said is None)


def test_whether_values_change_is_not_asked_where_the_keys_show_it_or_nobody_is_followed(registered):
    (registered / "register.csv").unlink()
    assert "adversary" not in tomllib.loads(drafted(registered))
    for tag in ("2023", "2024"):
        (registered / "series.toml").unlink()
        lines = [["row", "individual"], *[[n, f"P{n}"] for n in range(24)]]
        write(registered / "private" / f"{tag}.key.csv", as_csv(lines))
        manifest = tomllib.loads(drafted(registered))
        assert ("transitions" in manifest.get("adversary", {})) == (tag == "2023")  # one release has no key


@kills("audit.init.confirmation._AskedAboutPeople.ask_all", "unsaid or moved", "moved")
@pytest.mark.parametrize("late", [False, True])
def test_changes_are_asked_about_whenever_the_keys_are_there(tmp_path, late):
    """An audit without transitions found many contradictions where the keys came after `audit init`."""
    for year in range(2):
        rows = [[f"{n % 2}0-{n % 2}9", "ABCD"[(n // 2 + year) % 4]] for n in range(24)]
        write(tmp_path / f"{2022 + year}.csv", as_csv([["Age", "Disease"], *rows]))
    for again in (False, True):
        if again == late:
            for year in range(2):
                lines = [["row", "individual"], *[[n, f"P{n}"] for n in range(24)]]
                write(tmp_path / "private" / f"{2022 + year}.key.csv", as_csv(lines))
        if not again:
            drafted(tmp_path)
    assert answered(tmp_path, "any")
    assert run_audit(tmp_path)[1]["contradictions"] == {"changed": 0, "infeasible": 0}


@pytest.mark.parametrize(("answer", "code"), [("never", 3), ("any", 0), ("?", 3)])
def test_drafted_transitions_that_are_denied_are_never_deleted_in_silence(wave, answer, code):
    for name in ("series.toml", "transitions.csv"):
        (wave / name).unlink()
    drafted(wave)
    assert answered(wave, answer)
    manifest = tomllib.loads((wave / "series.toml").read_text(encoding="utf-8"))
    assert manifest["adversary"]["transitions"] == ("transitions.csv" if answer == "?" else answer)
    assert ("lists the changes" in (wave / "series.toml").read_text(encoding="utf-8")) == (answer == "?")
    assert manifest.get("unconfirmed", {"keys": []})["keys"] == ["adversary.transitions"] * (answer == "?")
    found, result, _ = run_audit(wave)
    assert (found, result["contradictions"]["changed"] > 0) == (code, answer == "never")


@pytest.mark.parametrize(("role", "changes"), [("record", "any"), ("unlinkable", None)])
def test_changes_are_asked_about_as_long_as_a_column_shows_them(wave, role, changes):
    """Record ids show them as the key did; of a column that links no rows, nothing is left of the draft."""
    for name in ("series.toml", "transitions.csv"):
        (wave / name).unlink()
    drafted(wave)
    file = wave / "series.toml"

    def ask(question):
        asked.append(question.text)
        if question.text.startswith("Can the value"):
            return "any"
        return (role if question.answers else "drawn anew") if "Pupil No" in question.text else confirmation(question)

    asked = []
    text = confirmed(wave, file.read_text(encoding="utf-8"), ask)
    assert tomllib.loads(text).get("adversary", {}).get("transitions") == changes
    assert any(each.startswith("Can the value") for each in asked) == bool(changes)
    assert "lists the changes" not in text


@pytest.mark.parametrize(("answer", "harmless"), [("yes", {"Disease": ["aucune"]}), ("", None)])
def test_a_value_of_most_rows_is_never_harmless_without_a_word(tmp_path, answer, harmless):
    """Both readings are audited: who certainly has none of the illnesses is found, or known to be harmless."""
    values = [["aucune"] * 3, ["aucune", "grippe", "inconnu"]]
    rows = [[f"{n % 2}0-{n % 2}9", values[n % 2][n // 2 % 3]] for n in range(24)]
    write(tmp_path / "1.csv", as_csv([["zz", "Disease"], *rows]))
    out = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    assert 'write harmless = { Disease = ["aucune"] } under [columns]' in out
    assert '"Disease" has cells that say that the value is not known ("inconnu")' in out
    assert "harmless" not in (tmp_path / "series.toml").read_text(encoding="utf-8")
    code, _, err, text = confirm(tmp_path, "quasi_identifiers", answer, more=9)
    assert (code, tomllib.loads(text)["columns"].get("harmless")) == (0, harmless), err
    assert 'the value of "Disease" is "inconnu"?' in " ".join(err.split())
    assert run_audit(tmp_path)[0] == (1 if harmless is None else 0)
    if harmless is None:
        assert confirm(tmp_path)[1].endswith("nothing is left to confirm.\n")


def survey(folder, seed):
    """Write a French survey with three waves in a file, and refusals in each column; with ids, if the seed is odd."""
    rng = random.Random(seed)  # noqa: S311
    head = ["vague", "sexe", "age", "diplome", "revenu", "opinion", "naissance", *["id"] * (seed % 2)]
    rows = []
    for wave in ("première vague", "deuxième vague", "dernière vague"):
        for n in range(40):
            age = rng.randrange(18, 80)
            cells = [["Homme", "Femme", "NSP"], [f"{age // 10 * 10}-{age // 10 * 10 + 9}"] * 9 + ["refus"],
                     ["Bac", "CAP", "NSP"], [f"{age / 10}".replace(".", ",")] * 9 + ["NSP", "refus"],
                     ["pour", "contre", "refus"], [f"03/{2000 - age}"]]  # fmt: skip
            rows.append([wave, *map(rng.choice, cells), *[str(4000 + n)] * (seed % 2)])
    write(folder / "enquete.csv", as_csv([head, *rows], ";"))


@pytest.mark.parametrize("seed", range(some(30)))
def test_an_audit_reads_what_any_answers_leave_unless_it_is_said_that_it_does_not(tmp_path, seed):
    rng = random.Random(seed)  # noqa: S311
    survey(tmp_path, seed)
    assert run_main("init", str(tmp_path), "--yes", "--language", rng.choice(["en", "fr"]))[0] == 0
    for _ in range(2):
        code, out, err, _ = confirm(tmp_path, *(rng.randrange(1, 9) for _ in range(400)))
        assert code == 0 or (code == 2 and "no column is sensitive" in err), err
    audited, _, why = run_main(str(tmp_path), "--time-limit", "1")
    # Only an attack finds that a column changes, which the answers deny.
    assert audited != 2 or "an audit refuses" in out or code == 2 or "changing" in why, why


@kills("audit.init.confirmation._AskedAboutPeople.take_role", "say_nothing_below(self.columns, role)", "pass")
def test_what_was_guessed_of_a_column_is_not_said_of_its_new_role(tmp_path):
    """The comment below the key says what to write if the column was published; that was answered."""
    survey(tmp_path, 1)
    assert "# the worst case" in drafted(tmp_path)
    for answer, stays in (("?", True), ("record", False)):
        code, _, err, text = confirm(tmp_path, *["?"] * 6, answer, more=40)
        assert code == 0, err
        assert ("# the worst case" in text) == stays


@kills("audit.io.roles.beside_record", "alone < table.rows", "False")
@pytest.mark.parametrize(
    ("stated", "answers", "record"),
    [
        ("", ["record", "Person"], ["Household", "Person"]),
        ("", ["record", "?", "unlinkable", "drawn anew"], None),
        ('record = "Household"\n', ["record", "Person"], ["Household", "Person"]),
        ('record = "Household"\n', ["unlinkable", "drawn anew"], None),
        ('individual = "Household"\n', ["unlinkable", "drawn anew"], None),
    ],
)
def test_a_column_that_people_share_names_a_record_only_with_another_one(tmp_path, stated, answers, record):
    """It was written as answered, refused by each audit, and never asked about again."""
    people = [[f"H{n // 2}", n % 2 + 1, "fm"[n % 2], ["flu", "cold", "gout"][n % 3]] for n in range(48)]
    waves = [[str(wave), *row] for wave in (1, 2) for row in people]
    write(tmp_path / "waves.csv", as_csv([["Wave", "Household", "Person", "Sex", "Disease"], *waves]))
    write(
        tmp_path / "series.toml",
        '[series]\nreleases = ["waves.csv"]\nreleases_by = "Wave"\n\n[columns]\nsensitive = "Disease"\n'
        f'{stated}quasi_identifiers = ["Sex"]\nunlinkable.Wave = "it says the release"\n'
        + 'unlinkable.Person = "counts those of a household"\n'
        * (record is None),
    )
    if "record" in stated:
        assert 'write record = ["Household", "…"]' in refused(str(tmp_path))
    code, out, err, text = confirm(tmp_path, *answers, more=4)
    assert (code, "an audit refuses" in out, tomllib.loads(text)["columns"].get("record")) == (0, False, record), err
    assert said(err).count("Person") == 0, "the answer about the household has named it"
    assert run_audit(tmp_path)[0] in {0, 1, 3}


@pytest.mark.parametrize("answers", [["record", "episodes"], ["individual", "episodes"]])
@pytest.mark.parametrize("columns", [["Case"], ["Case", "Day"]])
def test_a_pseudonym_of_people_with_several_stays_has_an_answer(tmp_path, answers, columns):
    """A published one was a household's or none; as the key, each audit refused it, and nothing asked what rows are."""
    for tag in ("1", "2"):
        rows = [
            [f"P{n // 2}", *[f"{n % 2}{tag}"] * (len(columns) - 1), "fm"[n // 2 % 2], ["flu", "cold"][n % 2]]
            for n in range(48)
        ]
        write(tmp_path / f"{tag}.csv", as_csv([[*columns, "Sex", "Disease"], *rows]))
    series = '[series]\nreleases = ["1.csv", "2.csv"]\n[columns]\nsensitive = "Disease"\n'
    unlinkable = 'unlinkable.Day = "rounded"\n' * (len(columns) - 1)
    write(tmp_path / "series.toml", f'{series}quasi_identifiers = ["Sex"]\n{unlinkable}')
    code, out, err, text = confirm(tmp_path, *answers, more=4)
    written = tomllib.loads(text)
    assert (code, "an audit refuses" in out, written["columns"].get(answers[0])) == (0, False, "Case"), err
    assert (written["columns"]["rows"], "unconfirmed" in written, "transitions" in text) == ("episodes", False, False)
    assert run_audit(tmp_path)[0] in {1, 3}


@pytest.mark.parametrize("answer", ["no", "yes"])
def test_a_blank_sensitive_cell_is_asked_about_and_named_in_words(tmp_path, answer):
    """Findings ended with "has", and nothing asked whether a blank cell may become known."""
    rows = [["20-29", value] for value in ("flu", "gout", "cold")] + [["30-39", ""], ["30-39", ""]]
    write(tmp_path / "1.csv", as_csv([["Age", "Disease"], *rows]))
    text = '[series]\nreleases = ["1.csv"]\n\n[columns]\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
    write(tmp_path / "series.toml", f'{text}missing = [""]\n\n[unconfirmed]\nkeys = ["columns.sensitive"]\n')
    _, _, err, _ = confirm(tmp_path, "sensitive", answer)
    assert 'Some rows have no value of "Disease".' in " ".join(err.split())
    code, out, _ = run_main(str(tmp_path))
    assert (code == 1, "all 2 rows that look alike have no value" in out) == (answer == "no", answer == "no"), out


@kills("audit.init.confirmation._AskedAboutPeople.state_blank", '"" not in missing and', '"" in missing and')
@kills("audit.init.confirmation._AskedAboutPeople.has_transitions", "self.lists_all(str(stated))", "True")
@pytest.mark.parametrize("answer", ["yes", "no"])
@pytest.mark.parametrize("listed", [True, False])
def test_an_audit_accepts_what_was_answered_about_two_sensitive_columns(tmp_path, answer, listed):
    """It refused blank cells whatever was answered, and a file of transitions that lists the values of one column."""
    ill = ["flu", "gout", "cold"]
    people = [["20-29", ill[n % 3], ["", "low", "high", "mid"][n % 4], n] for n in range(24)]
    later = [[*row[:1], ill[(n + 1) % 3], *row[2:]] for n, row in enumerate(people)]
    for place, rows in enumerate((people, later), 1):
        write(tmp_path / f"{place}.csv", as_csv([["Age", "Disease", "Income", "Patient"], *rows]))
    columns = 'sensitive = ["Disease", "Income"]\nquasi_identifiers = ["Age"]\nindividual = "Patient"\n'
    changes = [("from", "to"), *((a, b) for own in (ill, ["", "low"]) for a in own for b in own)]
    stated = 'transitions = "transitions.csv"\n' if listed else ""
    write(tmp_path / "transitions.csv", as_csv(changes))
    text = f'[series]\nreleases = ["1.csv", "2.csv"]\n\n[columns]\n{columns}\n[adversary]\n{stated}'
    write(tmp_path / "series.toml", f'{text}\n[unconfirmed]\nkeys = ["columns.sensitive"]\n')
    _, _, err, _ = confirm(tmp_path, "sensitive", "sensitive", answer, "any", more=9)
    assert "in the ways that transitions.csv" not in err
    code, result, err = run_audit(tmp_path)
    assert code in {0, 1, 3}, err
    assert not [each for each in result["policy"]["undecided"] if "similar" in str(each)]


def test_a_column_may_be_another_one_under_another_name(folder):
    """It could only be given a role of its own, and `renamed` had to be written by hand."""
    path = folder / "feb.csv"
    write(path, path.read_text(encoding="utf-8").replace("Sex", "Gend.", 1))
    code, _, err, text = confirm(folder, "", "", "unlinkable", "we number the notes", "= Sex", "jan, feb")
    assert (code, tomllib.loads(text)["columns"]["renamed"]) == (0, {"feb": {"Gend.": "Sex"}}), err
    code, result, _ = run_audit(folder)
    assert (code, [each["kind"] for each in result["warnings"] if each["kind"] == "unpublished-column"]) == (0, [])


@kills("audit.init.questions._is_label", "counts is None or not label", "True")
def test_a_total_that_no_table_has_is_no_answer(tmp_path):
    """A "no" to the question what it is instead would be a label of nobody, and leave out all sums."""
    lines = ["area,sex,n", *(f"{area},{sex},{n}" for area in "ab" for sex, n in (("m", 9), ("f", "c"), ("all", 30)))]
    (tmp_path / "2024.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals.sex = "m"\nmarkers.c = [1, inf]\n'
    series = f'[series]\nkind = "tables"\nreleases = ["2024.csv"]\n[table]\n{table}[policy]\nmin_count = 2\n'
    (tmp_path / "series.toml").write_text(f'{series}[unconfirmed]\nkeys = ["table.totals.sex"]\n', encoding="utf-8")
    code, _, asked, text = confirm(tmp_path, "no", "no", "all", more=3)
    assert (code, 'no table has the label "no"' in " ".join(asked.split())) == (0, True), asked
    assert tomllib.loads(text)["table"]["totals"] == {"sex": "all"}
