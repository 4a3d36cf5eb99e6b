"""Classes of records that look alike, of one value or few people, against counting by hand, whatever else is known."""

import random
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import pytest

from attacks.homogeneity import HomogeneityAttack
from attacks.intersection import IntersectionAttack
from audit.adversary.view import build_evidence, handed
from audit.io.series import open_series
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import read_audit, run_audit, run_main
from tests.mutants.mutant import kills

CELLS = {"20-29": (20, 29), "30-39": (30, 39), "20-39": (20, 39), "25-34": (25, 34), "40-49": (40, 49)}
COLUMNS = 'sensitive = "d"\nrecord = "id"\nquasi_identifiers = ["age"]\n[adversary]\n'


def drawn(rng, *, changing, moving=False):
    """Releases of rows, by record: the cell and the value; `moving`: its cells may have nothing in common."""
    ages = [rng.randint(20, 39) for _ in range(rng.randint(4, 7))]
    values = [rng.choice("ab") for _ in ages]
    releases = []
    for _ in range(rng.randint(2, 3)):
        rows = {}
        for record, age in enumerate(ages):
            if rng.random() < 0.8 or not rows:
                fitting = [cell for cell, (low, high) in CELLS.items() if low <= age <= high]
                cell = rng.choice(["20-29", "30-39"] if moving else fitting)
                rows[record] = cell, rng.choice("ab") if changing else values[record]
        releases.append(rows)
    return ages, releases


def written(folder, releases, *, changing=False, moving=False, listed=None, registered=None):
    """The series; `listed` are the records whose people the keys name, `registered` has ages by record."""
    tables = [[["id", "age", "d"], *([str(r), *row] for r, row in rows.items())] for rows in releases]
    for place, rows in enumerate(releases, 1):
        if listed is not None:
            key = [[str(at), f"p{record}"] for at, record in enumerate(rows) if record in listed]
            write(folder / f"private/{place}.key.csv", as_csv([["row", "individual"], *key]))
    more, beside = 'transitions = "any"\n' * changing, {}
    if registered is not None:
        stays = [
            [f"p{record}", str(age), str(place)]
            for place, rows in enumerate(releases, 1)
            for record, age in registered.items()
            if record in rows
        ]
        beside["register"] = [["individual", "age", "release"], *stays]
        more += 'register = "register.csv"\n'
    columns = COLUMNS.replace("[adversary]", 'changing = ["age"]\n[adversary]') if moving else COLUMNS
    return series_of(folder, tables, columns, more, **beside)


def with_cell(known, cell, release):
    """What is known of a record: the ages that all cells have in common, or the cell of each release."""
    if release is not None:
        return *(known or ()), (release, cell)
    low, high = known or (0, 99)
    return max(low, CELLS[cell][0]), min(high, CELLS[cell][1])


def alike(value_of, looks):
    """The values by record of each class of records that look alike."""
    classes = defaultdict(dict)
    for record, value in value_of.items():
        classes[looks(record)][record] = value
    return classes.values()


def by_hand(releases, *, changing, judged, linked, moving=False):
    """Each class of one value, as release, last release over which its records look alike, value and size.

    A class of records each of which was in such a class before is not told again. `judged` are the records that may be
    of people of whom nothing is known, `linked` those that nothing else follows over the releases.
    """
    found, told, known, always = Counter(), set(), {}, {}
    for after, rows in enumerate(releases):
        classes = defaultdict(set)
        for record, (cell, value) in rows.items():
            known[record] = with_cell(known.get(record), cell, after if moving else None)
            always[record] = value
            classes[cell].add(record)
        for members in classes.values():
            values = {rows[record][1] for record in members}
            if len(values) == 1:
                found[str(after + 1), None, *values, len(members)] += bool(members & judged)
                told |= {(after if changing else None, record) for record in members}
        so_far = releases[: after + 1]
        for together, release in product([False, True], [*([] if changing else [None]), *range(after + 1)]):
            value_of = (
                always if release is None else {record: value for record, (_, value) in releases[release].items()}
            )
            looks = {
                record: (known[record], *(together and record in there for there in so_far)) for record in value_of
            }
            for members in alike(value_of, looks.__getitem__) if after else ():
                mine = {(release if changing else None, record) for record in members}
                if len({*members.values()}) == 1 and {*members} & linked and not mine <= told:
                    last = max(at for at, there in enumerate(so_far) if there.keys() & members)
                    at = release if release is not None else last if together else after
                    found[str(at + 1), str(after + 1), *{*members.values()}, len(members)] += 1
                    told |= mine
    return found


def homogeneity(folder, adversary):
    code, result = read_audit(folder, "--adversary", adversary, "--findings", "all")
    [entry] = [each for each in result["attacks"] if each["attack"] == "homogeneity"]
    found = Counter((each["release"], each.get("after"), each["value"], each["rows"]) for each in entry["findings"])
    return code, entry, found, result


def max_risk_with(harmless, folder):
    """How `max_risk` ends if a value is harmless, and if that somebody has another value is, too."""
    before = (folder / "series.toml").read_text()
    more = f'record = "id"\nharmless = {{ d = ["{harmless}"] }}\nsimilar = {{ d = false }}'
    write(folder / "series.toml", before.replace('record = "id"', more, 1))
    _, result = read_audit(folder, "--adversary", "pseudonym")
    write(folder / "series.toml", before)
    [state] = [each["state"] for each in result["policy"]["clauses"] if each["clause"] == "max_risk"]
    return state


@kills("attacks.homogeneity._Following.add", "equal_rows([classes + 1, self._releases])[1]", "classes")
@kills("attacks.homogeneity._Following._look", "if together and members.release is None:", "if False:")
@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("seed", range(8, 8 + some(12)))  # in the eighth, only records in the same releases are alike
def test_classes_of_linked_records(tmp_path, seed, changing, moving):
    _, releases = drawn(random.Random(seed), changing=changing, moving=moving)  # noqa: S311
    everybody = {record for rows in releases for record in rows}
    folder = written(tmp_path, releases, changing=changing, moving=moving)
    code, entry, found, _ = homogeneity(folder, "pseudonym")
    expected = by_hand(releases, changing=changing, judged=everybody, linked=everybody, moving=moving)
    assert (entry["status"], found) == ("complete", expected)
    linked = sum(times for (_, after, *_), times in expected.items() if after)
    assert (entry["measures"]["linked"], entry["measures"]["at_limit"]) == (linked, expected.total())
    assert code == 1 if expected else code in (0, 1)
    for value, other in ("ab", "ba"):
        harmful = any(each == other for _, _, each, _ in expected)
        assert max_risk_with(value, folder) == ("violated" if harmful else "holds")


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("seed", range(some(12)))
def test_classes_with_strangers_beside_a_key(tmp_path, seed, changing, moving):
    """Whoever knows some people's rows learns the values of classes in which others are, too.

    Where values change, the attacks on people follow no record, so all records are judged.
    """
    rng = random.Random(100 + seed)  # noqa: S311
    _, releases = drawn(rng, changing=changing, moving=moving)
    everybody = {record for rows in releases for record in rows}
    listed = {record for record in everybody if rng.random() < 0.6}
    folder = written(tmp_path, releases, changing=changing, moving=moving, listed=listed)
    linked = everybody if changing else everybody - listed
    expected = by_hand(releases, changing=changing, judged=everybody - listed, linked=linked, moving=moving)
    _, entry, found, _ = homogeneity(folder, "linked")
    if linked:
        # A listed record that went missing may be told of too, as it was last in classes with a stranger's.
        assert (entry["status"], expected - found) == ("complete", Counter())
    else:
        assert entry["status"] == "skipped"


VALUES = dict(zip(range(1, 9), "aabbbbaa", strict=True))
CROSSED = [
    dict(zip(range(1, 9), ["20-29"] * 4 + ["30-39"] * 4, strict=True)),
    dict(zip(range(1, 9), ["20-39", "20-39", "25-34", "25-34"] * 2, strict=True)),
]
BESIDE = {9: ("40-49", "a"), 10: ("40-49", "b")}


def crossed(values):
    """Eight records in two classes of four, crossed by two others, and two records beside them."""
    return [{record: (cell, values[record]) for record, cell in cells.items()} | BESIDE for cells in CROSSED]


@pytest.mark.parametrize("known", ["pseudonym", "register", "linked"])
def test_nothing_else_that_is_known_hides_a_class(tmp_path, known):
    """No release discloses a value, both together those of eight people, whoever else is known."""
    more = {"register": {"registered": {9: 41, 10: 43}}, "linked": {"listed": {9, 10}}}.get(known, {})
    code, _, found, result = homogeneity(written(tmp_path / "bad", crossed(VALUES), **more), known)
    assert (code, found) == (1, {("2", "2", "a", 2): 2, ("2", "2", "b", 2): 2})
    assert {(each["attack"], each["measure"]) for each in result["policy"]["violations"]} == {
        ("homogeneity", "max_risk")
    }
    # Nearest: of two that look alike over both releases one has a and one has b.
    code, entry, found, result = homogeneity(
        written(tmp_path / "good", crossed(dict(zip(range(1, 9), "abababab", strict=True))), **more), known
    )
    assert (entry["status"], found, result["policy"]["violations"]) == ("complete", Counter(), [])
    states = {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
    assert states["k"] == "holds"
    if known == "pseudonym":
        assert (code, states["max_risk"]) == (0, "holds")


def test_a_revealed_class_of_records_is_placed_at_the_rows_of_the_record_that_it_names(tmp_path):
    releases = [{1: ("20-29", "a"), 2: ("20-29", "b")}, {2: ("30-39", "b"), 1: ("20-29", "a")}]
    folder = written(tmp_path, releases, changing=True, moving=True)
    _, result = read_audit(folder, "--reveal", "--attack", "homogeneity", "--findings", "all")
    places = [each["located"] for each in result["attacks"][0]["findings"] if each.get("after")]
    lines = {(at["cells"][0]["id"], at["release"], *at["lines"]) for located in places for at in located}
    assert lines == {("1", "1", 2), ("1", "2", 3), ("2", "1", 3), ("2", "2", 2)}
    assert all(len({at["cells"][0]["id"] for at in located}) == 1 for located in places)


def test_records_whose_values_change_although_they_must_not_are_not_judged_for_this_reason(tmp_path):
    releases = crossed(VALUES)
    releases[1][1] = (releases[1][1][0], "b")
    _, entry, _, _ = homogeneity(written(tmp_path, releases), "pseudonym")
    assert entry["status"] == "incomplete"
    assert 'values of records change and the manifest does not say so: write transitions = "any"' in entry["reason"]
    assert "apart from their rows" not in entry["reason"]


def test_a_key_hides_no_class_of_records_whose_values_change(tmp_path):
    """The verdict counts the only person whose value is certain by the groups, and the classes of records."""
    releases = [{**rows, 11: ("50-59", "a")} for rows in crossed(VALUES)]
    folder = written(tmp_path, releases, changing=True, listed=set(range(1, 12)))
    _, entry, found, _ = homogeneity(folder, "linked")
    assert found == {(release, "2", value, 2): 2 for release in "12" for value in "ab"}
    assert (entry["measures"]["linked"], entry["measures"]["classes"]) == (8, 8)
    assert "mean_risk" not in entry["measures"]
    _, text, _ = run_main(str(folder))
    assert "certain for 1 of 11 people, and 8 findings of homogeneity" in " ".join(text.split())


@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize(("harmless", "state"), [("a", "holds"), ("b", "violated")])
def test_only_harmless_values_of_records_that_look_alike_are_certain(tmp_path, harmless, state, changing):
    """Two records that look alike over both releases have a; of any others one has a and one has b."""
    releases = crossed(dict(zip(range(1, 9), "aaabbaba", strict=True)))
    folder = written(tmp_path, releases, changing=changing)
    assert max_risk_with(harmless, folder) == state


@pytest.mark.parametrize(("cell", "code"), [("20-29", 1), ("20-39", 1), ("20-39", 0)])
def test_a_coarser_cell_hides_no_record_whose_exact_cells_are_known(tmp_path, cell, code):
    """Who knows that a person of 20 to 29 is in the last release knows the only record that fits, by other cells.

    And who knows of one who is only in the first knows the other.
    """
    rows = {record: ("20-29" if record <= 2 else "30-39", "abcab"[record - 1]) for record in range(1, 6)}
    last = {record: (cell if record == 1 else "20-39", value) for record, (_, value) in rows.items() if record != 2}
    if not code:
        last[2] = "20-39", "b"
    ended, _, found, _ = homogeneity(written(tmp_path, [rows, last]), "pseudonym")
    told = {("1", "2", "b", 1): 1, ("2", None if cell == "20-29" else "2", "a", 1): 1} if code else {}
    assert (ended, found) == (code, Counter(told))


RANGES = {"20-29": range(20, 30), "30-39": range(30, 40), "20-39": range(20, 40)}


def drawn_rows(rng):
    """Releases of rows: whose it is ("" for a counterfeit), the exact age, the published cell, and the value."""
    releases, value = [], [rng.choice("aab") for _ in range(7)]
    for _ in range(rng.randint(1, 2)):
        rows = []
        for number in range(rng.randint(4, 7)):
            age = 20 + 3 * number
            who = "" if rng.random() < 0.15 else f"p{number}"
            cell = rng.choice([cell for cell, ages in RANGES.items() if age in ages])
            rows.append((who, age, cell, value[number]))
        releases.append(rows)
    return releases


def written_rows(folder, releases, *, listed=None, registered=None):
    """The series with keys that list some people, or with a register of some; None for neither."""
    tables = [[["age", "d"], *([cell, value] for _, _, cell, value in rows)] for rows in releases]
    for place, rows in enumerate(releases, 1):
        if listed is not None:
            key = [[str(row), who] for row, (who, *_) in enumerate(rows) if who in listed]
            write(folder / f"private/{place}.key.csv", as_csv([["row", "individual"], *key]))
    columns = 'sensitive = "d"\nquasi_identifiers = ["age"]'
    if registered is None:
        return series_of(folder, tables, columns)
    lines = [[who, age, place] for place, rows in enumerate(releases, 1) for who, age, *_ in rows if who in registered]
    register = [["individual", "age", "release"], *lines]
    return series_of(folder, tables, columns, '[adversary]\nregister = "register.csv"', register=register)


def found(folder, adversary, limit=1.0):
    """The classes that are found, by release, value and rows; and who is found, by release."""
    [evidence] = build_evidence(open_series(folder), adversary)
    outcome = HomogeneityAttack(limit).run(handed(evidence), Budget(None))
    claims = [] if outcome.claims is None else outcome.claims.certify(np.arange(len(outcome.claims)))
    classes = Counter((each.release, each.group, evidence.values[each.value], each.rows) for each in claims)
    people = set()
    if evidence.adversary.knows_people:
        outcome = IntersectionAttack().run(handed(evidence), Budget(None))
        people = {evidence.series.people.name(code) for code in outcome.claims.person.tolist()}
    return classes, people


def assert_nothing_lost(less, more, releases):
    """Each class that is found with less knowledge is found with more, or its people are, or it is counterfeits'."""
    classes, people = more
    for key, times in (less[0] - classes).items():
        release, group, _, rows = key
        cells = list(dict.fromkeys(cell for _, _, cell, _ in releases[release]))
        mine = [who for who, _, cell, _ in releases[release] if cell == cells[int(group) - 1]]
        assert times == 1
        assert len(mine) == rows
        assert {who for who in mine if who} <= people, key
    assert less[1] <= people


@pytest.mark.parametrize("seed", range(some(25)))
def test_classes_stay_found(tmp_path, seed):
    rng = random.Random(seed)  # noqa: S311
    releases = drawn_rows(rng)
    everybody = sorted({who for rows in releases for who, *_ in rows if who})
    some = set(rng.sample(everybody, rng.randint(0, len(everybody))))
    files = found(written_rows(tmp_path / "files", releases), "published")
    if some:
        partial = found(written_rows(tmp_path / "partial", releases, registered=some), "register")
        assert_nothing_lost(files, partial, releases)
        if all(who for rows in releases for who, *_ in rows):
            full = found(written_rows(tmp_path / "full", releases, registered=set(everybody)), "register")
            assert_nothing_lost(partial, full, releases)
    holes = found(written_rows(tmp_path / "holes", releases, listed=some | {""}), "linked")
    whole = found(written_rows(tmp_path / "whole", releases, listed={*everybody, ""}), "linked")
    assert_nothing_lost(files, holes, releases)
    assert_nothing_lost(holes, whole, releases)


@pytest.mark.parametrize(("attacks", "state"), [(("joint", "homogeneity"), "holds"), (("homogeneity",), "undecided")])
def test_shares_of_strangers_rows_say_nothing_of_people(tmp_path, attacks, state):
    """Below certainty, the worlds of the register's people decide, whatever the classes of strangers show."""
    rows = [("A", 31, "30-39", "a"), ("B", 34, "30-39", "b"), ("C", 37, "30-39", "c")]
    rows += [("D", 20, "20-29", "a"), ("E", 23, "20-29", "b"), ("F", 26, "20-29", "c")]
    words = [word for name in attacks for word in ("--attack", name)]
    folder = written_rows(tmp_path, [rows], registered={"A", "B"})
    _, result, _ = run_audit(folder, "--policy", "max_risk=0.5", "--attack", "intersection", *words)
    assert {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_risk"] == state
