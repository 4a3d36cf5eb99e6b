"""`audit explain`: what it shows about a person, with all steps, for which adversaries, and what it refuses."""

import json
import os
import re
import signal
from dataclasses import replace
from operator import itemgetter

import pytest

from attacks.joint.attack import JointAttack
from audit.adversary.view import build_evidence
from audit.findings.disclosure import CertificateStep
from audit.findings.proof import Proof
from audit.io.series import open_series
from tests.cli.forms import EXAMPLES, FORMS, append, write_rows
from tests.cli.test_command_line import only_line
from tests.helpers.messy import series_of, write
from tests.helpers.running import done, refused, run_main
from tests.helpers.tiny import Known, Row, TinySeries

HOSPITAL = EXAMPLES / "hospital-l-diverse"
BROKEN = EXAMPLES / "joint-breaks-2-distinct"


def explain(path, *words):
    return re.sub(r"\[([a-z-]+)-[0-9a-f]{16}\]", r"[\1]", done("explain", str(path), *words))


def findings(path, *words):
    _, out, _ = run_main(str(path), "--attack", "intersection", "--format", "json", *words)
    return json.loads(out)["attacks"]


# -- explain ----------------------------------------------------------------------------------------------


def test_cases_are_told_with_all_their_steps():
    told = explain(BROKEN, "--individual", "p1")
    assert "  possible by update-graph  b or c\n  possible by joint         b\n" in told
    assert "If p1 had c in release 2" in told or "Without b, p1 would" in told
    assert "which is impossible." in told
    assert all(len(line) <= 100 for line in told.splitlines())


def test_only_what_is_known_is_told(tmp_path):
    rows = [Row("A", "1", "flu"), Row("B", "1", "cold"), Row("C", "1", "gout"), Row("~c1", "1", "mumps")]
    series = TinySeries([rows, [rows[1], rows[2]]], known=[Known("A", "flu")])
    path = series.write(tmp_path)
    assert "release 1, group 1\n  known beforehand: flu\nnot in release 2\n" in explain(path, "--individual", "A")
    assert "  published there           cold, gout or mumps\n" in explain(path, "--individual", "B")


@pytest.mark.parametrize(("pays", "more"), [(["10", "10", "20"], True), (["10", "20", "30"], False)])
def test_risks_of_combinations_that_add_up_to_more_than_1_are_explained(tmp_path, pays, more):
    rows = [[f"p{n}", "20-29", value, pay] for n, (value, pay) in enumerate(zip("abc", pays, strict=True))]
    said = 'sensitive = ["Disease", "Pay"]\nquasi_identifiers = ["Age"]\nindividual = "Owner"\n'
    folder = series_of(tmp_path, [[["Owner", "Age", "Disease", "Pay"], *rows]], said)
    out = " ".join(explain(folder, "--individual", "p0").split())
    assert ("The risk of a combination is that of the likeliest of its values" in out) == more


def test_a_certain_value_is_in_quotation_marks(tmp_path):
    """A value may be a word of the sentence, such as no."""
    path = TinySeries([[Row("A", "1", "no"), Row("B", "2", "yes"), Row("C", "2", "no")]]).write(tmp_path)
    told = explain(path, "--individual", "A", "--language", "fr")
    assert "Conclusion\u00a0: valeur connue\u00a0: «\u00a0no\u00a0»" in told


@pytest.mark.parametrize(("groups", "said"), [(("58",), "group 58: a"), (("58", "88"), "groups 58, 88: a")])
def test_the_groups_of_a_step_are_counted(groups, said):
    assert CertificateStep("1", groups, ("a",)).in_full() == f"release 1, {said}"


@pytest.mark.parametrize("who", ["Alic", "alice", "", "~c1", "7", "\x1b[31m"])
def test_nobody_else_is_named_when_somebody_is_unknown(who, tmp_path):
    rows = [Row("Alice", "1", "flu"), Row("Bob", "1", "cold"), Row("~c1", "1", "flu")]
    series = TinySeries([rows])
    err = refused("explain", str(series.write(tmp_path)), "--individual", who)
    assert "Alice" not in only_line(err)
    assert "Bob" not in err
    assert "--individual" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--individual"),
        (["--individual", "Alice", "--format", "picture"], "text"),
        (["--individual", "Alice", "--time-limit", "0"], "above 0"),
        (["--individual", "Alice", "--adversary", "pseudonym"], "linked"),
    ],
)
def test_wrong_words(words, said):
    err = refused("explain", str(HOSPITAL), *words)
    assert said in only_line(err)
    assert "audit explain --help" in err


# -- findings ---------------------------------------------------------------------------------------------


def joint(path, *words):
    code, out, err = run_main(str(path), "--attack", "joint", "--format", "json", "--findings", "all", *words)
    assert err == ""
    assert code == 1
    [entry] = json.loads(out)["attacks"]
    return {(f["individual"], f["release"]): f for f in entry["findings"]}


def test_a_pseudonym_of_a_report_is_explained(tmp_path):
    """Who works through a report has pseudonyms, which the key in private/ tells."""
    folder = tmp_path / "s"
    FORMS["hospital-l-diverse"](folder)
    assert "no person with this identifier" in refused("explain", str(folder), "--individual", "person-000000000000")
    (folder / "private").mkdir()
    told = [findings(folder, "--stable-ids", *more)[0]["findings"] for more in ([], ["--reveal"])]
    (shown, *_), (name, *_) = ([each["individual"] for each in sorted(some, key=itemgetter("id"))] for some in told)
    by_name, by_pseudonym = (explain(folder, "--individual", each) for each in (name, shown))
    assert by_pseudonym.split() == by_name.replace(name, shown).split()
    assert "no person with this identifier" in refused("explain", str(folder), "--individual", "person-000000000000")


def test_proofs_in_json():
    alice = joint(HOSPITAL, "--reveal")["Alice", "1"]
    assert alice["evidence"] == "proof"
    assert alice["certificate"] == [
        {
            "points": [{"release": "1", "group": "1", "value": "dyspepsia", "points": 1, "rows": 1}],
            "total": 1,
            "spent": [{"person": "Alice", "least": 1}, {"person": "Bob", "least": 1}],
        }
    ]


def test_what_ones_own_groups_show_is_shown_by_them(monkeypatch):
    """An empty proof stands for the person's own groups; claims without any proof are the solver's result."""

    run = JointAttack.run

    def short(attack, evidence, budget, /):
        outcome = run(attack, evidence, budget)
        bob = build_evidence(open_series(HOSPITAL))[0].series.people.find("Bob")

        def build(places):
            findings = outcome.claims.certify(places)
            return [replace(f, proof=Proof((), ())) if f.individual == bob else None for f in findings]

        return replace(outcome, claims=replace(outcome.claims, certify=build))

    monkeypatch.setattr(JointAttack, "run", short)
    _, out, _ = run_main(str(HOSPITAL), "--attack", "joint", "--format", "json", "--reveal", "--findings", "all")
    [entry] = json.loads(out)["attacks"]
    told = {(f["individual"], f["release"]): f for f in entry["findings"]}
    assert {key: f["evidence"] for key, f in told.items() if key[0] == "Bob"} == dict.fromkeys(
        [("Bob", "1"), ("Bob", "2")], "proof"
    )
    assert {f["evidence"] for key, f in told.items() if key[0] != "Bob"} == {"solver"}
    assert entry["findings_total"] == 6
    assert told["Bob", "1"]["certificate"] == [
        {"release": "1", "group": "1", "candidates": ["bronchitis", "dyspepsia"], "feasible": ["dyspepsia"]},
        {"release": "2", "group": "1", "candidates": ["dyspepsia", "gastritis"], "feasible": ["dyspepsia"]},
    ]


def spenders(findings):
    return {each["person"] for f in findings.values() for step in f["certificate"] for each in step.get("spent", ())}


def test_everybody_in_a_proof_has_a_pseudonym(tmp_path):
    """Counterfeits too, and each the same one in all findings."""
    rows = [Row("Ann", "1", "flu"), Row("Bob", "1", "cold"), Row("~c1", "1", "gout")]
    series = TinySeries([rows, [rows[1], Row("Carl", "1", "mumps")], [rows[2], Row("Dora", "1", "mumps")]])
    path = series.write(tmp_path)
    named, told = joint(path, "--reveal"), joint(path)
    assert not set(re.findall(r"Ann|Bob|Carl|Dora|~c1", json.dumps(list(told.values()))))
    holders = spenders(told)
    assert {re.sub(r"\d", "0", who) for who in holders} == {"person-000000", "counterfeit-000000"}
    assert len(holders) == len(spenders(named))
    assert holders - {"counterfeit-000001"} <= {individual for individual, _ in told}
    text = run_main(str(path), "--attack", "joint")[1]
    assert "counterfeit-000001" in text
    assert not re.search(r"Ann|Bob|Carl|Dora|~c1", text)


def test_proofs_in_text():
    code, out, _ = run_main(str(HOSPITAL), "--reveal")
    assert code == 1
    assert re.search(
        r"\n  Alice has bronchitis, in release 1   \[joint-[0-9a-f]{16}\]\n    release 1, group 1: 1 row with", out
    )
    assert "6 of 22 versions" in out


HOSTILE = [
    "\x1b[31mEve\x1b[0m",
    "Two\nlines",
    "=cmd|' /C calc'!A0",
    "[red]Eve[/red]",
    "Bob\u202egnp",
    "x" * 3000,
    "太郎",
]


def refusal(path, *words):
    code, out, err = run_main("explain", str(path), *words)
    assert (code, out) == (2, "")
    return only_line(err)


@pytest.mark.parametrize(
    ("name", "adversary", "said"),
    [
        ("cases-independent", "linked", "the adversary `linked` needs [columns] individual"),
        ("hospital-l-diverse", "register", "the adversary `register` needs [adversary] register"),
        ("hospital-l-diverse-outsider", "linked", "the adversary `linked` needs [columns] individual"),
    ],
)
def test_an_adversary_that_the_series_does_not_allow(name, adversary, said):
    assert said in refusal(EXAMPLES / name, "--individual", "Bob", "--adversary", adversary)


def test_a_missing_key(tmp_path):
    FORMS["keyed"](tmp_path / "s")
    (tmp_path / "s/private/2.key.csv").unlink()
    said = refusal(tmp_path / "s", "--individual", "Bob")
    assert "releases/2.csv: there is no key for this release" in said
    (tmp_path / "s/private/1.key.csv").unlink()
    assert "the series does not say who is in it" in refusal(tmp_path / "s", "--individual", "Bob")


def test_known_values_that_contradict_the_releases(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    write_rows(tmp_path / "s/known.csv", [["individual", "value"], ["Bob", "flu"]])
    append(tmp_path / "s/series.toml", '\n[adversary]\nknown = "known.csv"\n')
    assert "known.csv:2" in refusal(tmp_path / "s", "--individual", "Alice")


@pytest.mark.parametrize("who", HOSTILE)
def test_hostile_names_move_no_cursor_and_forge_no_line(who, tmp_path):
    rows = [Row(who, "g\x1b]0;t\x07", "flu\x1b[2J"), Row("Bob", "g\x1b]0;t\x07", "a\nforged: b")]
    path = TinySeries([rows, rows[:1]]).write(tmp_path)
    out = done("explain", str(path), "--individual", who)
    assert out.replace("\n", "").isprintable()
    assert "\nforged" not in out
    assert max(map(len, out.splitlines())) < 300
    assert refusal(path, "--individual", who + "\x1b[31m").startswith("--individual: no person with this identifier")


@pytest.mark.parametrize("at", ["intersection", "joint"])
def test_an_interrupt(at, monkeypatch):
    """Whichever attack runs when the user stops the command."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    from attacks.registry import find

    def stopped(self, evidence, budget, /):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(type(find(at)), "run", stopped)
    try:
        told = run_main("explain", str(EXAMPLES / "hospital-l-diverse"), "--individual", "Bob")
    finally:
        signal.signal(signal.SIGINT, before)
    assert told == (130, "", "audit: interrupted\n")


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("flu", "If values do not change, flu is certain"),
        ("gout", "The person's value did change: whoever takes values to stay the same infers flu"),
        (None, ""),
    ],
)
def test_what_would_be_certain_without_changes_is_said_of_the_person(tmp_path, last, said):
    """The report says of how many people; the page of one of them must not say that nothing is certain, and no more."""
    groups = [["flu", "cold"], ["flu", "gout"]] if last else [["flu", "cold"], ["flu", "cold"]]
    own = ["flu", last or "flu"]
    (tmp_path / "private").mkdir()
    for tag, values, mine in zip("12", groups, own, strict=True):
        other = next(value for value in values if value != mine)
        write_rows(tmp_path / f"{tag}.csv", [["Age", "Disease"], ["20-39", mine], ["20-39", other]])
        write_rows(tmp_path / f"private/{tag}.key.csv", [["row", "individual"], ["0", "Ann"], ["1", f"Bo{tag}"]])
    text = '[series]\nreleases = ["1.csv", "2.csv"]\n[columns]\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
    (tmp_path / "series.toml").write_text(f'{text}[adversary]\ntransitions = "any"\n')
    told = " ".join(explain(tmp_path, "--individual", "Ann").split())
    assert (said in told, "values do not change" in told or "did change" in told) == (True, bool(said))


# -- rows and records -------------------------------------------------------------------------------------

MOVED = [["Pupil", "School", "SEN"], ["1", "A", "HI"], ["2", "A", "ASD"], ["3", "B", "HI"], ["4", "B", "MLD"]]


def panel(folder, more=""):
    """Pupil 1 alone moves from A to B; pupil 2 alone stays in A; both releases have two values for each school."""
    later = [MOVED[0], ["1", "B", "HI"], ["2", "A", "ASD"], ["3", "A", "HI"], ["4", "B", "MLD"]]
    columns = 'sensitive = "SEN"\nquasi_identifiers = ["School"]\nrecord = "Pupil"\nchanging = ["School"]'
    return series_of(folder, [MOVED, later], columns, f'[adversary]\ntransitions = "any"\n{more}')


def test_a_record_is_explained_by_the_classes_of_its_rows(tmp_path):
    folder = panel(tmp_path)
    assert "or name a record with --record ID" in refused("explain", str(folder), "--individual", "1")
    told = " ".join(explain(folder, "--record", "1").split())
    assert "Conclusion: it is certain: release 1: one of its records" in told
    assert "published there ASD or HI risk by homogeneity ASD 0.500, HI 0.500 true value HI" in told
    assert "has ASD" not in told
    assert "is not in the releases" in refused("explain", str(folder), "--record", "5")
    assert "not both" in refused("explain", str(folder), "--record", "1", "--individual", "1")


def test_the_record_of_a_person_is_judged_beside_the_person(tmp_path):
    folder = panel(tmp_path)
    for tag in "12":
        write(folder / f"private/{tag}.key.csv", "row,individual\n0,Ann\n1,Bob\n2,Cat\n3,Dan\n")
    told = " ".join(explain(folder, "--individual", "Ann").split())
    assert "Not judged: what record ids disclose beside the groups of people (values change" in told
    assert "Conclusion: it is certain: release 1: one of its records" in told
    assert "has HI" in told
    assert "has ASD" not in told


def test_the_episodes_of_a_person_are_judged_one_by_one(tmp_path):
    rows = [["Age", "Disease"], ["20-39", "flu"], ["20-39", "flu"], ["40-59", "flu"], ["40-59", "gout"]]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\nrows = "episodes"'
    folder = series_of(tmp_path, [rows], columns)
    write(folder / "private/1.key.csv", "row,individual\n0,Ann\n1,Bob\n2,Ann\n3,Cat\n")
    assert "leave --adversary out" in refused("explain", str(folder), "--individual", "Ann", "--adversary", "linked")
    told = " ".join(explain(folder, "--individual", "Ann").split())
    assert "Not judged: what several rows or releases disclose together about one person." in told
    assert "Conclusion: it is certain: release 1, group 1: all 2 rows that look alike have flu." in told
    assert "release 1, group 2 published there flu or gout" in told
    assert "Conclusion: nothing is certain" in explain(folder, "--individual", "Cat")
    assert "is not in the keys" in refused("explain", str(folder), "--individual", "Eve")
