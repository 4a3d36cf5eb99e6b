"""Principles that an attack decides, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from audit.io.series import open_series
from audit.model.errors import InputError
from audit.principles.principle import Verdict, checked
from audit.principles.registry import find
from tests.helpers.amount import some
from tests.helpers.least_e import least_e
from tests.helpers.messy import series_of
from tests.helpers.running import run_main

EXAMPLES = Path(__file__).parents[2] / "examples"
SEVERAL = "groups with the same values"


def verdict(folder: Path, e: int) -> Verdict:
    return checked(find("e-equivalence", {"e": e}), open_series(folder))


def write(folder: Path, releases) -> Path:
    """A series of releases, each rows of (owner, group, value); no owner is a counterfeit without identity."""
    tables = [[("Owner", "G", "S"), *rows] for rows in releases]
    return series_of(folder, tables, 'individual = "Owner"\nsensitive = "S"\ngroup = "G"')


def groups_of(releases):
    """The groups of all releases as the oracle wants them."""
    found = {}
    for number, rows in enumerate(releases):
        for line, (owner, group, value) in enumerate(rows):
            members, values = found.setdefault((number, group), ([], []))
            members.append(owner or (number, line))
            values.append(value)
    return list(found.values())


# -- what it shows is true ----------------------------------------------------------------------------------------


@st.composite
def buckets(draw):
    """Series of buckets, more or less: people come, go and return; sometimes two people have a group of their own."""
    size, values = draw(st.integers(3, 10)), draw(st.integers(2, 3))
    home = [(draw(st.integers(0, 1)), draw(st.integers(0, values - 1))) for _ in range(size)]
    releases = []
    for number in range(draw(st.integers(1, 4))):
        rows = [
            (f"p{who}", str(home[who][0]), f"{home[who][0]}{home[who][1]}")
            for who in range(size)
            if not releases or draw(st.integers(0, 3)) or draw(st.booleans())
        ]
        rows += [("", "0", "00")] * draw(st.integers(0, 1)) + [("~c1", "0", "01")] * draw(st.integers(0, 1))
        if draw(st.integers(0, 9)) == 0 and len(rows) > 3:
            rows[0] = (rows[0][0], "2", rows[0][2])
            rows[1] = (rows[1][0], "2", rows[1][2])
        releases.append(rows or [(f"q{number}", "0", "00")])
    return releases


@settings(max_examples=some(150))
@given(releases=buckets(), e=st.integers(1, 4))
def test_where_it_says_that_the_promise_holds_it_does(releases, e, tmp_path_factory):
    found = verdict(write(tmp_path_factory.mktemp("s"), releases), e)
    assert not found.broken
    event(f"e = {e}: {'holds' if found.holds else found.undecided[:24]}")
    if found.holds:
        assert least_e(groups_of(releases), e - 1) is None


# -- audit check --------------------------------------------------------------------------------------------------


def check(folder: Path, e: int, *words: str):
    return run_main("check", str(folder), "--principle", "e-equivalence", "--e", str(e), *words)


def test_the_attack_decides_what_the_condition_leaves_open():
    assert check(EXAMPLES / "clinic-2-equivalence", 2)[0] == 0
    code, out, err = check(EXAMPLES / "clinic-merged", 2)
    assert (code, err) == (1, "")
    assert "BROKEN: the series does not keep e-equivalence (e = 2).\n  equivalences with e below 2: 1\n" in out
    assert "release 3, group 2\n    an equivalence with e = 1, from 3 groups of releases 1, 2, 3\n" in out
    assert not [name for name in ("Frank", "Harry") if name in out]
    assert "release 3, group 2: Frank and Harry\n" in check(EXAMPLES / "clinic-merged", 2, "--reveal")[1]


def test_a_series_that_the_condition_cannot_show_may_hold(tmp_path):
    """Two groups of the same three values, all of them different: 3 people have what 3 others have, not fewer."""
    releases = [[(f"{group}{value}", group, value) for group in "12" for value in "abc"]]
    folder = write(tmp_path, releases)
    assert verdict(folder, 3).undecided.startswith(SEVERAL)
    assert least_e(groups_of(releases), 3) == 3
    assert check(folder, 3)[0] == 0
    assert check(folder, 4)[0] == 1


def test_what_the_attack_cannot_tell_is_undecided(tmp_path, monkeypatch):
    from attacks.equivalence.attack import EquivalenceAttack
    from audit.model.measures import BoundedMeasures, LeastBounds
    from audit.model.outcome import Outcome

    least = [LeastBounds(3, None)]

    def run(attack, evidence, budget):
        assert attack.max_e == 4
        return Outcome("equivalence", "incomplete", "too much", BoundedMeasures(min_e=least[-1]))

    monkeypatch.setattr(EquivalenceAttack, "run", run)
    for upper, wanted in ((None, 3), (7, 3), (5, 3), (4, 1)):
        least.append(LeastBounds(3, upper))
        code, out, err = check(EXAMPLES / "clinic-2-equivalence", 5)
        assert (code, err) == (wanted, "")
        if wanted == 3:
            assert "UNDECIDED: it cannot be decided whether the series keeps e-equivalence (e = 5).\n" in out
            assert "the attack equivalence shows only that e is at least 3 (too much)" in " ".join(out.split())
        else:
            assert "an equivalence with e = 4" in out
    least.append(LeastBounds(3, None))
    document = json.loads(check(EXAMPLES / "clinic-2-equivalence", 5, "--format", "json")[1])
    assert (document["holds"], document["broken"], document["offences"]) == (None, {}, [])
    assert "at least 3 (too much)" in document["undecided"]


def verdict_of(folder, ident="m-distinct", m=2):
    return checked(find(ident, {"m": m}), open_series(folder))


def written(folder, *releases, updates=None, sensitive=("S",)):
    """Write a series of plain CSV releases whose columns are owner, group and values; `updates` are pairs."""
    tables = ["\n".join([",".join(["O", "G", *sensitive]), *text.split(), ""]) for text in releases]
    columns = f'individual = "O"\ngroup = "G"\nsensitive = {list(sensitive)}'
    if updates is None:
        return series_of(folder, tables, columns)
    head = ",".join(["from", "to", "probability"][: updates.split()[0].count(",") + 1])
    rules = "\n".join([head, *updates.split(), ""])
    return series_of(folder, tables, columns, '[adversary]\ntransitions = "t.csv"', t=rules)


@pytest.mark.parametrize(
    ("updates", "value", "release"),
    [
        ("a,a c,c", "b", "1"),
        ("a,a b,b", "c", "2"),  # a value that the transitions have never heard of
        ("a,a b,b b,c", "c", "2"),
        ("a,a,1 b,b,1 c,c,0", "c", "2"),
    ],
)
def test_values_that_nothing_is_said_of_are_refused(updates, value, release, tmp_path):
    with pytest.raises(InputError) as refused:
        verdict_of(written(tmp_path, "A,1,a B,1,b", "A,1,a B,1,c", updates=updates))
    assert str(refused.value) == (
        f't.csv, column "from": no line says which values may follow "{value}", which release {release} publishes; '
        "add a line for each, one to the value itself if it may stay"
    )
