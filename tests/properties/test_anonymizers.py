"""What every method must keep, tested from outside: publish random histories, then check and attack them."""

import csv
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from anonymizers.registry import METHODS
from audit.io.cells import contains, intersect
from audit.io.microdata import open_microdata
from audit.io.release_reading import read_release
from audit.io.series import open_series
from audit.model.anonymizer import PublicationHistory, RefusalError
from audit.model.errors import AuditError
from audit.model.options import options_of
from audit.principles.principle import checked
from audit.principles.registry import find as principle
from audit.publishing.publish import PublishOptions, publish
from tests.helpers.amount import some
from tests.helpers.messy import series_of
from tests.helpers.microdata import write_microdata
from tests.helpers.running import run_audit, run_main
from tests.helpers.tiny import covers
from tests.helpers.updates import History, check_distinct, check_told, groups_of, past, random_history, sets_of
from tests.mutants.mutant import kills

VALUES, TOWNS = ("flu", "cold", "gout", "mumps", "ulcer"), ("Ely", "Rye", "York")
PARAMETERS = {"m-invariance": {"m": 2, "withhold": True}, "monotonic-mondrian": {"k": 2, "withhold": True}}
PARAMETERS |= {"mondrian": {"k": 2}, "l-diversity": {"l": 2}, "e-equivalence": {"m": 2, "e": 2, "withhold": True}}
PARAMETERS |= {"m-distinct": {"m": 2}, "m-distinct-star": {"m": 2}}
DISTINCT = ("m-distinct", "m-distinct-star")
FEW = settings(max_examples=some(25))
UPDATES = some(200)


@st.composite
def histories(draw, *, growing: bool = False, people: int = 14):
    """Snapshots of a pool of people who come, go and return, or only come."""
    pool = [
        (f"p{n}", draw(st.integers(18, 30)), draw(st.sampled_from(TOWNS)), draw(st.sampled_from(VALUES)))
        for n in range(people)
    ]
    snapshots, present = {}, set()
    for tag in range(1, draw(st.integers(2, 4)) + 1):
        chosen = draw(st.sets(st.sampled_from(range(people)), min_size=4))
        present = present | chosen if growing else chosen
        snapshots[str(tag)] = [pool[n] for n in draw(st.permutations(sorted(present)))]
    return snapshots


def published(folder: Path, snapshots, method: str, **options):
    """A series by a method, or None when it refuses."""
    chosen = METHODS.load(method)(**PARAMETERS[method])
    promise = principle(chosen.promise.principle, chosen.promise.parameters)
    micro = open_microdata(write_microdata(folder / "micro", snapshots))
    try:
        publish(micro, folder / "series", chosen, promise, PublishOptions(**options))
    except AuditError:
        return None
    return folder / "series"


def test_parameters_are_told_for_every_method():
    assert set(PARAMETERS) == set(METHODS.names)
    for method in METHODS:
        assert set(PARAMETERS[method.name]) <= {option.name for option in options_of(method)}


@pytest.mark.parametrize("method", list(PARAMETERS))
@FEW
@given(data=st.data())
def test_a_published_series_keeps_its_promise(method, data):
    snapshots = data.draw(histories(growing=method == "monotonic-mondrian"))
    form = data.draw(st.sampled_from(METHODS.load(method)(**PARAMETERS[method]).forms))
    with tempfile.TemporaryDirectory() as name:
        series = published(Path(name), snapshots, method, form=form, seed=data.draw(st.integers(0, 5)))
        assume(series is not None)
        promise = METHODS.load(method)(**PARAMETERS[method]).promise
        words = [word for key, value in promise.parameters.items() for word in (f"--{key}", str(value))]
        assert checked(principle(promise.principle, promise.parameters), open_series(series)).holds
        assert run_main("check", str(series), "--principle", promise.principle, *words)[0] == 0


@pytest.mark.parametrize("method", ["m-invariance", "m-distinct", "m-distinct-star", "e-equivalence"])
@FEW
@given(data=st.data())
def test_invariant_values_disclose_nobody_and_keep_the_risk(method, data):
    snapshots = data.draw(histories())
    form = data.draw(st.sampled_from(["generalization", "anatomy"]))
    with tempfile.TemporaryDirectory() as name:
        series = published(Path(name), snapshots, method, form=form)
        assume(series is not None)
        _, result, _ = run_audit(
            series, "--adversary", "linked", "--attack", "intersection", "--attack", "update-graph"
        )
        for attack in result["attacks"]:
            assert attack["findings_total"] == 0
            assert attack["measures"]["max_risk"] <= 1 / 2 + 1e-12
        assert min(int(size) for size in result["attacks"][0]["measures"]["candidate_sizes"]) >= 2


def write_register(series: Path, snapshots) -> None:
    """Who is in which release with exact quasi-identifiers, as the keys tell (somebody may have been withheld)."""
    opened = open_series(series)
    lines = ["individual,Age,Town,release"]
    for position, (tag, rows) in enumerate(snapshots.items()):
        out = {opened.people.name(code) for code in read_release(opened, position).person.tolist() if code >= 0}
        lines += [f"{who},{age},{town},{tag}" for who, age, town, _ in rows if who in out]
    (series / "register.csv").write_text("\n".join(lines) + "\n")
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text() + '\n[adversary]\nregister = "register.csv"\n')


@FEW
@given(data=st.data())
def test_a_monotonic_series_tells_no_more_than_its_last_release(data):
    snapshots = data.draw(histories(growing=True))
    with tempfile.TemporaryDirectory() as name:
        series = published(Path(name), snapshots, "monotonic-mondrian")
        assume(series is not None)
        _, result, _ = run_audit(series, "--attack", "inference-table")
        [attack] = result["attacks"]
        assert attack["measures"]["timeline"] == [0] * len(open_series(series).tags)
        assert attack["measures"]["smallest_class"] >= 2
        assert inferred(series) == last(series)


def inferred(series: Path):
    """Everybody's cells, intersected over all releases."""
    opened, told = open_series(series), {}
    for position in range(len(opened.tags)):
        for who, cells in described(opened, position).items():
            before = told.get(who, cells)
            told[who] = [intersect(one, other) for one, other in zip(before, cells, strict=True)]
    return told


def last(series: Path):
    opened = open_series(series)
    for position in range(len(opened.tags) - 1):
        read_release(opened, position)
    return described(opened, len(opened.tags) - 1)


def described(opened, position):
    release = read_release(opened, position, ("Age", "Town"))
    cells = [
        [opened.attributes[name].cells[number] for number in release.cells[name].tolist()] for name in ("Age", "Town")
    ]
    people = [opened.people.name(code) for code in release.person.tolist()]
    return {who: list(row) for who, *row in zip(people, *cells, strict=True)}


def in_braces(texts):
    return f"{{{', '.join(texts)}}}"


@st.composite
def begun_elsewhere(draw):
    """Groups of people with cells that somebody else published: they overlap, leave gaps, or are sets; newcomers."""
    point = st.tuples(st.integers(18, 22), st.sampled_from(TOWNS[:2]))
    groups = []
    for _ in range(draw(st.integers(1, 4))):
        members = draw(st.lists(point, min_size=2, max_size=7))
        ages, towns = ({member[at] for member in members} for at in (0, 1))
        span = f"[{min(ages) - draw(st.integers(0, 2))}, {max(ages) + draw(st.integers(0, 2))}]"
        listed = in_braces(map(str, sorted(ages | draw(st.sets(st.integers(18, 22), max_size=3)))))
        age = draw(st.sampled_from([span, listed, "*"]))
        groups.append((members, (age, draw(st.sampled_from([in_braces(sorted(towns)), "*"])))))
    return groups, draw(st.lists(point, max_size=6))


def begin(folder: Path, groups, newcomers):
    """The first release of a series as somebody else published it, and microdata that go on with it."""
    points = [point for members, _ in groups for point in members]
    people = [(f"p{n}", *point, VALUES[n % 3]) for n, point in enumerate([*points, *newcomers])]
    cells = [(number, *cell) for number, (members, cell) in enumerate(groups) for _ in members]
    rows = [(row[0], f"c{row[0]}", *cell, row[-1]) for row, cell in zip(people, cells, strict=False)]
    columns = 'individual = "Owner"\nrecord = "Case"\ngroup = "G"\nsensitive = "Disease"\n'
    columns += 'quasi_identifiers = ["Age", "Town"]\ntypes = { Age = "numeric" }'
    series_of(folder / "series", [[("Owner", "Case", "G", "Age", "Town", "Disease"), *rows]], columns)
    return people, write_microdata(folder / "micro", {"1": people[: len(rows)], "2": people})


@kills("anonymizers.monotonic_mondrian.OldCells.divisible", "kept[parts.root[same]] = False", "return kept")
@settings(max_examples=some(60))
@given(begun_elsewhere(), st.booleans())
@example(([([(18, "Ely")] * 2, ("[18, 18]", "*"))], [(22, "Ely")]), False)
@example(
    (  # a part of the first group would get the cells of the third
        [
            ([(age, "Ely") for age in (18, 18, 20, 20)], ("{18, 20, 22}", "*")),
            ([(19, "Ely")] * 2, ("[19, 19]", "*")),
            ([(20, "Ely")] * 2, ("{20, 22}", "*")),
        ],
        [],
    ),
    False,
)
@example(  # wherever the first group is divided, its part would get the cells of another one
    (
        [
            ([(age, "Ely") for age in (18, 18, 22, 22)], ("[18, 22]", "*")),
            *(([(18, "Ely")] * 2, (f"[18, {upto}]", "*")) for upto in range(18, 22)),
        ],
        [],
    ),
    False,
)
def test_a_series_begun_elsewhere_goes_on_monotonic(drawn, withhold):
    """New people join a group whose cells cover them; those outside all cells are a class, wait, or are refused."""
    groups, _ = drawn
    with tempfile.TemporaryDirectory() as name:
        people, micro = begin(Path(name), *drawn)
        old = [cells for members, cells in groups for _ in members]
        fits = {
            who: [cells for _, cells in groups if covers(cells[0], str(age)) and covers(cells[1], town)]
            for who, age, town, _ in people[len(old) :]
        }
        strange = [who for who, found in fits.items() if not found]
        method = METHODS.load("monotonic-mondrian")(k=2, withhold=withhold)
        promise, series = principle("monotonic", {"k": 2}), Path(name) / "series"
        try:
            publish(open_microdata(micro), series, method, promise, PublishOptions(seed=0))
        except AuditError as error:
            line = f"2.csv:{2 + int(strange[0][1:])}: release 2 is not published: 1 new person" if strange else ""
            told = line and line in str(error)
            assert (told, len(strange), withhold) == (True, 1, False), str(error)  # noqa: PT017
            return
        assert withhold or len(strange) != 1
        assert checked(promise, open_series(series)).holds
        assert inferred(series) == last(series)
        now = last(series)
        assert {who for who, *_ in people} - now.keys() == (set(strange) if len(strange) == 1 else set())
        told = describe_texts(series, [*dict.fromkeys(cell for found in fits.values() for cell in found)])
        for who, found in fits.items():
            assert not found or any(all(map(contains, told[cells], now[who])) for cells in found)


def describe_texts(series: Path, cells):
    """Cells of two attributes, as the series reads their texts."""
    attributes = open_series(series).attributes
    return {
        each: [attributes[name].parse(text) for name, text in zip(("Age", "Town"), each, strict=True)] for each in cells
    }


@FEW
@given(data=st.data())
def test_people_are_found_where_their_exact_values_are(data):
    """Every method: a register of the truth never contradicts the series, and every published person is covered."""
    method = data.draw(st.sampled_from(list(PARAMETERS)))
    snapshots = data.draw(histories(growing=method == "monotonic-mondrian"))
    with tempfile.TemporaryDirectory() as name:
        series = published(Path(name), snapshots, method)
        assume(series is not None)
        write_register(series, snapshots)
        code, result, err = run_audit(series, "--adversary", "register", "--attack", "update-graph")
        assert code in (0, 1, 3), err
        assert result["attacks"][0]["measures"]["infeasible"] == 0


# -- values that change -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", DISTINCT)
def test_nothing_can_be_excluded_though_values_change(method):
    """m-Distinct paper, Definitions 14 and 15, and Lemma 3: by the groups themselves, without a file."""
    refused, gone = [], 0
    for seed in range(UPDATES):
        history, m, so_far, releases = random_history(seed), 2 + seed % 2, PublicationHistory(), []
        rng = np.random.default_rng(seed)
        for snapshot in history.snapshots():
            try:
                draft = METHODS.load(method)(m=m).publish(snapshot, so_far, rng)
            except RefusalError as error:
                refused.append(str(error))
                break
            check_told(snapshot, draft)
            releases.append(groups_of(snapshot, draft))
            so_far.add(past(releases[-1]))
            gone += (draft.row < 0).any()
        check_distinct(releases, history.updates, m, apart=method == "m-distinct-star")
    assert len(refused) < UPDATES / 2 if method == "m-distinct-star" else not refused
    assert all("m-Distinct* cannot be met" in error for error in refused)
    assert gone > UPDATES / 2  # releases with counterfeits: people are missed


@pytest.mark.many
@pytest.mark.parametrize("seed", [1006, 1025])
@pytest.mark.parametrize("form", ["generalization", "anatomy"])
@pytest.mark.parametrize("method", DISTINCT)
def test_changing_values_disclose_nobody_through_files(method, form, seed, tmp_path):
    history = random_history(seed)
    words = ("--method", method, "--m", "2", "--publish", form, "--seed", "3")
    micro = history.write(tmp_path / "micro")
    code, _, err = run_main("anonymize", "--no-audit", str(micro), "--output", str(tmp_path / "series"), *words)
    assert code == 0, err
    whole = everything(tmp_path / "series")
    assert run_main("check", str(tmp_path / "series"), "--principle", method, "--m", "2")[0] == 0
    _, result, err = run_audit(tmp_path / "series", "--attack", "update-graph")
    [attack] = result["attacks"]
    assert attack["measures"]["disclosed"] == 0, err
    assert attack["measures"]["infeasible"] == 0
    assert_counterfeits_are_told(tmp_path / "series", history)
    for upto in range(1, len(history.rows) + 1):
        some = history.write(tmp_path / f"micro{upto}", upto)
        code, _, err = run_main("anonymize", "--no-audit", str(some), "--output", str(tmp_path / "often"), *words)
        assert code == 0, err
    assert everything(tmp_path / "often") == whole


def assert_counterfeits_are_told(series: Path, history):
    """By group, in a file beside each release that has some: the rows of its key that are nobody's."""
    opened = open_series(series)
    for position, rows in enumerate(history.rows):
        release = read_release(opened, position)
        fake = release.person < 0
        assert (~fake).sum() == len(rows)
        groups = [release.group.name(code) for code in release.group.codes[fake].tolist()]
        file = series / f"counterfeits/{opened.tags[position]}.csv"
        told = []
        if file.exists():
            with file.open(newline="") as lines:
                for line in csv.DictReader(lines):
                    told += [line["Group"]] * int(line["Count"])
        assert sorted(told) == sorted(groups)


def everything(folder: Path):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("method", DISTINCT)
def test_impossible_changes_are_refused_by_line(method, tmp_path):
    people = tuple((number, number % 4, (0,)) for number in range(8))
    changed = tuple((number, 0 if number in (1, 5) else value, point) for number, value, point in people)
    micro = History(sets_of("01", 4), 1, (people, changed)).write(tmp_path / "micro")
    words = ("--method", method, "--m", "2", "--output", str(tmp_path / "series"))
    code, out, err = run_main("anonymize", "--no-audit", str(micro), *words)
    assert (code, out) == (2, "")
    assert not (tmp_path / "series").exists()
    assert err.count("\n") == 1
    assert '2.csv:3, column "Value": release 2 is not published: impossible change: 2 people' in err
    assert "(lines 3, 7)" in err


def test_values_that_cannot_be_apart_are_named_with_their_lines(tmp_path):
    people = tuple((number, number % 4, (0,)) for number in (1, 2, 3, 0, 5, 4, 7))
    micro = History(sets_of("01 02 03", 4), 1, (people,)).write(tmp_path / "micro")
    words = ("--method", "m-distinct-star", "--m", "2", "--output", str(tmp_path / "series"), "--seed", "1")
    code, _, err = run_main("anonymize", "--no-audit", str(micro), *words)
    assert code == 2
    assert err.count("\n") == 1
    assert '1.csv:5, column "Value": release 1 is not published: m-Distinct* cannot be met' in err
    assert "v0 (at most 1) (lines 5, 7); choose a smaller m, publish by m-distinct" in err
    assert not (tmp_path / "series" / "series.toml").exists()
