"""Pseudo-Boolean proofs of findings: derived statements hold in all worlds, and no spoiled proof derives more."""

import contextlib
import json
import random
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.witness.verify import Published
from audit.witness.verify_proof import Derivation, Formula, findings
from tests.helpers.amount import some
from tests.helpers.running import run_main, written
from tests.helpers.strategies import linked_series
from tests.mutants.mutant import kills
from tests.oracle.larger import drawn_at_random
from tests.oracle.worlds import few, histories

EXAMPLES = Path(__file__).parent.parent / "examples"
SERIES, SPOILED = some(40), some(60)
CROWDS = [
    {"people": 60, "releases": 2, "values": 12, "size": 6, "distinct": True, "table": "constant"},
    {"people": 40, "releases": 3, "values": 6, "size": 4, "distinct": True, "table": "constant"},
]
REFUSED = (ValueError, LookupError)


def proved(folder, where):
    """Write a witness with proofs; return the series, its formula and the lines, or nothing where it is refused."""
    code, _, err = run_main(str(folder), "--witness", str(where), "--proofs", "veripb")
    if code == 2:
        assert "--witness: " in err
        return None
    code, said, _ = run_main("verify", str(folder), str(where))
    assert code == 0, said
    series = Published(Path(folder), linked=True)
    return series, Formula(series), (Path(where) / "findings.pbp").read_text().splitlines()


def certain(where):
    """Of how many people an attribute is certain by points, and by the proof."""
    stated = json.loads((Path(where) / "statement.json").read_text())["claims"]
    found = Counter()
    for claim in stated:
        found[claim["claim"]] += claim.get("certain", claim.get("people", 0))
    return found["values"], found["findings"]


def spoil(rng, lines):
    """A proof with one to three things changed."""
    lines = list(lines)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(2, len(lines)) if len(lines) > 2 else 1
        words, kind = lines[at].split(), rng.randrange(6)
        places = [place for place, word in enumerate(words) if word.strip("~x").isdecimal()]
        place = rng.choice(places)
        if kind == 0:
            lines.insert(at, rng.choice(lines[2:] or lines))
        elif kind == 1:
            del lines[at]
        elif kind == 2 and words[0] == "rup":
            one = words[rng.randrange(2, len(words) - 2, 2)]
            words[1:-2] += ["1", rng.choice([one, one.strip("~")])]
            lines.insert(at, " ".join(words))
        elif kind == 3:
            words[place] = words[place][1:] if words[place][0] == "~" else f"~{words[place]}"
            lines.insert(at, " ".join(words))
        else:
            number = int(words[place].strip("~x"))
            words[place] = words[place].replace(str(number), str(max(0, number + rng.choice([-2, -1, 1, 2, 5]))))
            lines[at if kind == 4 else slice(at, at)] = " ".join(words) if kind == 4 else [" ".join(words)]
    return lines


def derived(formula, lines):
    """The clauses that a proof derives until a line is refused."""
    proof = Derivation(formula)
    with contextlib.suppress(*REFUSED):
        for line in lines[2:]:
            proof.line(line)
    return proof.clauses


def is_so(clauses, worlds):
    """Whether clauses hold in some worlds, each the variables that are true in it."""
    return all(any((each > 0) == (abs(each) in world) for each in clause) for clause in clauses for world in worlds)


@settings(max_examples=SERIES)
@given(linked_series(), st.integers(0, 2**32))
def test_what_is_derived_is_so_in_all_worlds(series, seed):
    if not few(series, "linked", 5_000):
        return
    with written(series) as folder, tempfile.TemporaryDirectory() as where:
        found = proved(folder, where)
        if found is None:
            return
        read, formula, lines = found
        points, proof = certain(where)
        assert points == proof
    worlds = [
        {formula.variable[read.people[person], read.code[(value,)]] for (person, _), value in versions}
        for versions, _ in histories(series, "linked")
    ]
    rng = random.Random(seed)  # noqa: S311 - it spoils, and hides nothing
    assert is_so(derived(formula, lines), worlds)
    for _ in range(SPOILED):
        assert is_so(derived(formula, spoil(rng, lines)), worlds)


@kills("audit.witness.verify_proof.Derivation.clause", "lost > self.spare", "lost >= self.spare")
@pytest.mark.parametrize("crowd", CROWDS, ids=["two", "three"])
def test_no_spoiled_proof_of_many_people_derives_what_is_not_so(crowd, tmp_path):
    rng = random.Random(0)  # noqa: S311 - as above
    with written(drawn_at_random(1, **crowd)) as folder:
        read, formula, lines = proved(folder, tmp_path)
    [sensitive] = read.sensitive
    stated = [line for line in lines if line[0] == "v"]
    worlds = [{int(word[1:]) for word in line.split()[1:]} for line in stated]
    right = certain(tmp_path)[1]
    assert right
    refused = 0
    for _ in range(5 * SPOILED):
        spoiled = spoil(rng, lines)
        assert is_so(derived(formula, spoiled), worlds)
        try:
            assert findings(read, formula, spoiled, sensitive)["people"] <= right
        except REFUSED:
            refused += 1
    assert refused > SPOILED


@kills("audit.witness.verify_proof.Derivation.clause", "len({*map(abs, literals)}) != len(literals) or", "")
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("rup 1 x1 1 x1 >= 1 ;", "another form"),
        ("rup 1 ~x1 >= 2 ;", "another form"),
        ("rup 2 ~x1 >= 1 ;", "another form"),
        ("rup >= 1 ;", "another form"),
        ("rup 1 ~x1 >= 1 ;", "does not follow"),
        ("pol 1 -1 *", "negative number of times"),
        ("pol 1 2", "unpack"),
        ("pol 0", "0"),
        ("red 1 x1 >= 1 ; x1 -> 1", "unknown rule red"),
        ("v x1 x2", "does not fit"),
        ("v x1 x5 x6 x10 x11 x14 x15 x19 x23 x24 x27 x29 x32 x33 x36 x37", "a world twice"),
        ("", "unpack"),
    ],
)
def test_an_invalid_proof_step_is_refused(line, what, tmp_path):
    read, formula, lines = proved(EXAMPLES / "hospital-l-diverse", tmp_path)
    assert findings(read, formula, lines, "Disease") == {"people": 4}
    with pytest.raises(REFUSED, match=what):
        findings(read, formula, [*lines[:2], line, *lines[2:]], "Disease")


@kills("audit.witness.verify_proof.claimed", '(witness / "findings.opb").read_text("utf-8") != formula.text()', "False")
def test_a_formula_of_another_series_proves_nothing(tmp_path):
    series = EXAMPLES / "hospital-l-diverse"
    proved(series, tmp_path)
    file = tmp_path / "findings.opb"
    file.write_text(file.read_text().replace(">= 2 ;", ">= 1 ;", 1))
    code, said, _ = run_main("verify", str(series), str(tmp_path))
    assert (code, "not the formula of the series" in said) == (1, True), said


@pytest.mark.parametrize(
    ("name", "words", "what"),
    [
        ("ward-l-diverse", ["--witness", "w"], "whose values never change"),
        ("hospital-l-diverse-outsider", ["--witness", "w"], "whose values never change"),
        ("hospital-l-diverse", [], "add --witness FOLDER"),
    ],
)
def test_proofs_that_there_are_not_are_refused(name, words, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run_main(str(EXAMPLES / name), *words, "--proofs", "veripb")
    assert (code, what in err, list(tmp_path.iterdir())) == (2, True, []), err
