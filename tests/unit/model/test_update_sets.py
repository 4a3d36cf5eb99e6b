"""Update sets: what is missing in them, how they are completed, and how they come from microdata into a series."""

import csv
import gzip
import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.background_knowledge import read_transitions, update_sets
from audit.io.encoding import IdentifierEncoder, Vocabulary
from audit.io.microdata import Microdata, open_microdata
from audit.io.series import Series, open_series
from audit.io.transitions import TransitionLines
from audit.model.errors import AuditError, InputError, UsageError
from audit.model.update_sets import UpdateSets
from audit.principles.principle import PrincipleNeeds
from audit.publishing.publish import PublishOptions, publish
from audit.publishing.transaction import SeriesTransaction
from audit.publishing.verification import BrokenPromiseError
from tests.helpers.microdata import Pairs, write_microdata
from tests.helpers.running import run_main

FIRST = [("Bo", 21, "Rye", "flu"), ("Al", 22, "Ely", "cold"), ("Cy", 40, "Rye", "flu"), ("Di", 41, "Rye", "gout")]
SECOND = [("Bo", 21, "Rye", "cold"), *FIRST[1:3], ("Ed", 23, "Ely", "cold"), ("Flo", 24, "York", "gout")]
BOTH = {"1": FIRST, "2": SECOND}
CLOSED = ["flu,flu", "flu,cold", "gout,gout", "cold,cold"]
CHAIN = ["flu,cold", "cold,gout", "gout,mumps", "mumps,mumps"]


def micro_of(folder: Path, lines: list[str] | None, snapshots=None, *, name: str = "moves.csv", more: str = "") -> Path:
    """Microdata with a file of transitions, or without one."""
    snapshots = BOTH if snapshots is None else snapshots
    if lines is None:
        return write_microdata(folder, snapshots)
    write_microdata(folder, snapshots, more=f'\n[updates]\ntransitions = "{name}"\n')
    (folder / name).write_text("\n".join([f"from,to{more}", *lines]) + "\n", encoding="utf-8")
    return folder


def told(call) -> str:
    with pytest.raises(AuditError) as caught:
        call()
    return str(caught.value)


# -- the sets --------------------------------------------------------------------------------------------------------


def reached(may) -> set[tuple[int, int]]:
    """Every pair with a way from the one to the other, that of no step included; by walking."""
    found = set()
    for start in range(len(may)):
        ahead, seen = [start], set()
        while ahead:
            value = ahead.pop()
            if value not in seen:
                seen.add(value)
                ahead += [other for other in range(len(may)) if may[value][other]]
        found |= {(start, value) for value in seen}
    return found


def test_closure_is_what_ways_reach():
    rng = np.random.default_rng(2)
    for _ in range(300):
        size = int(rng.integers(1, 8))
        may = rng.random((size, size)) < rng.uniform(0, 0.6)
        sets = UpdateSets(may)
        every = reached(may.tolist())
        assert set(map(tuple, np.argwhere(sets.closed().may).tolist())) == every
        there = set(map(tuple, np.argwhere(may).tolist()))
        assert [tuple(pair) for pair in sets.missing().tolist()] == sorted(every - there)
        for first, last in every - there:
            way = sets.closed().between(first, last)
            assert first == last or (way not in (first, last, None) and {(first, way), (way, last)} <= every)


# -- the lines -------------------------------------------------------------------------------------------------------


def exact(lines: TransitionLines) -> dict[tuple[str, str], Fraction]:
    vocabulary = Vocabulary()
    return {
        (vocabulary.names[a], vocabulary.names[b]): probability
        for (a, b), probability in lines.numbered(vocabulary).exact.items()
    }


def test_completing_keeps_the_probabilities_of_values_that_gain_nothing():
    probability = {("a", "a"): "0.25", ("a", "b"): "3/4", ("a", "c"): "0", ("b", "b"): "1", ("c", "d"): "1"}
    closed, added = TransitionLines("t.csv", probability).closed()
    assert added == 2  # c stays, and d stays
    assert closed.probability == {
        ("a", "a"): "0.25",
        ("a", "b"): "3/4",
        ("a", "c"): "0",
        ("b", "b"): "1",
        ("c", "d"): "",
        ("c", "c"): "",
        ("d", "d"): "",
    }
    assert exact(closed)["c", "d"] == Fraction(1, 2)
    assert closed.closed() == (closed, 0)


def test_what_was_impossible_stays_so_unless_it_follows_from_the_rest():
    probability = {
        ("a", "a"): "1/2",
        ("a", "b"): "1/2",
        ("a", "c"): "0",
        ("a", "d"): "0",
        ("b", "c"): "",
        ("b", "b"): "",
    }
    closed, added = TransitionLines("t.csv", probability | {("c", "c"): "", ("d", "d"): ""}).closed()
    assert added == 1
    found = {pair: share for pair, share in exact(closed).items() if pair[0] == "a"}
    assert found == dict.fromkeys([("a", "a"), ("a", "b"), ("a", "c")], Fraction(1, 3))


def test_the_file_of_a_series_is_in_an_order_that_says_nothing():
    one = TransitionLines("t.csv", {("b", "a"): "", ("a", "b"): "1"})
    other = TransitionLines("t.csv", dict(reversed(one.probability.items())))
    assert one.table().equals(other.table())
    assert one.table().to_pydict() == {"from": ["a", "b"], "to": ["b", "a"], "probability": ["1", ""]}
    assert TransitionLines("t.csv", {("a", "a"): ""}).table().column_names == ["from", "to"]


# -- the microdata ---------------------------------------------------------------------------------------------------

FAULTS = [
    (["flu,flu", "flu,flu"], "", "moves.csv:3: the pair stands twice; keep one of the lines"),
    (["flu,", "cold,flu"], "", 'moves.csv:2, column "to": the cell is empty; write a value, or drop the line'),
    (["flu,flu,2"], ",probability", 'moves.csv:2, column "probability": the cell is no probability'),
    (["flu,flu,1", "flu,cold,"], ",probability", 'moves.csv:3, column "probability": other lines with this `from`'),
    (["flu,flu,x"], ",odds", None),
]


@pytest.mark.parametrize(("lines", "more", "line"), FAULTS)
def test_the_file_is_read_as_that_of_a_series_is(tmp_path, lines, more, line):
    folder = micro_of(tmp_path / "m", lines, more=more)
    if line is None:
        assert open_microdata(folder).updates.probability == {("flu", "flu"): ""}
        return
    assert told(lambda: open_microdata(folder)).startswith(line)
    (tmp_path / "series.toml").write_text(
        '[series]\nreleases = ["m/1.csv"]\n[columns]\nsensitive = "Disease"\n[adversary]\ntransitions = "moves.csv"\n'
    )
    (tmp_path / "moves.csv").write_bytes((folder / "moves.csv").read_bytes())
    assert told(lambda: read_transitions(open_series(tmp_path), "Disease", Vocabulary())).startswith(line)


def test_a_file_without_the_columns_and_none_at_all(tmp_path):
    folder = micro_of(tmp_path / "m", CLOSED)
    (folder / "moves.csv").write_text("old,new\nflu,flu\n")
    assert 'moves.csv:1, column "from": the column is not in the file' in told(lambda: open_microdata(folder))
    (folder / "moves.csv").unlink()
    assert told(lambda: open_microdata(folder)).startswith("moves.csv: there is no such file")


def read(micro: Microdata, vocabulary: Vocabulary, position: int = 0):
    transitions = micro.updates.numbered(vocabulary)
    return micro.read(position, IdentifierEncoder(), vocabulary, transitions=transitions).snapshot


def test_a_snapshot_says_what_may_become_of_its_values(tmp_path):
    micro = open_microdata(micro_of(tmp_path / "m", [*CLOSED, "mumps,cold"]))
    vocabulary = Vocabulary()
    snapshot = read(micro, vocabulary)
    assert sorted(snapshot.values) == ["cold", "flu", "gout", "mumps"]
    pairs = {(snapshot.values[a], snapshot.values[b]) for a, b in np.argwhere(snapshot.updates.may).tolist()}
    assert pairs == {("flu", "flu"), ("flu", "cold"), ("gout", "gout"), ("cold", "cold"), ("mumps", "cold")}
    assert [snapshot.values[code] for code in snapshot.value.tolist()] == ["flu", "cold", "flu", "gout"]
    assert micro.read(0, IdentifierEncoder(), Vocabulary()).snapshot.updates is None


@pytest.mark.parametrize("lines", [["flu,flu", "gout,gout", "flu,cold"], ["flu,flu", "gout,gout"]])
def test_every_value_of_a_snapshot_needs_a_line(tmp_path, lines):
    micro = open_microdata(micro_of(tmp_path / "m", lines))
    said = "no line of moves.csv begins with the value of this row"
    assert told(lambda: read(micro, Vocabulary())).startswith(f'1.csv:3, column "Disease": {said}; say there')
    assert told(lambda: read(micro, Vocabulary(), 1)).startswith(f'2.csv:2, column "Disease": {said} (and 2 more')


def test_too_many_values_for_transitions(tmp_path):
    micro = open_microdata(micro_of(tmp_path / "m", [f"v{n},v{n}" for n in range(4097)]))
    assert told(lambda: read(micro, Vocabulary())).startswith("moves.csv: there are 4097 values, and at most 4096")


# -- publishing ------------------------------------------------------------------------------------------------------


@dataclass
class Noting:
    """A principle that everything keeps; it notes which update sets a check is given, as pairs of values."""

    name: str = "anything"
    needs: PrincipleNeeds = field(default_factory=PrincipleNeeds)
    seen: list[Any] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    series: Any = None

    def start(self, series: Series, /):
        self.series = series
        self.seen.append(pairs_of(series))
        return self

    def add(self, release, /):
        self.tags.append(release.tag)
        self.seen.append(pairs_of(self.series))
        return []


def pairs_of(series: Series):
    sets, names = update_sets(series, "Disease"), series.vocabularies["Disease"].names
    return None if sets is None else sorted((names[a], names[b]) for a, b in np.argwhere(sets.may).tolist())


def publish_to(folder: Path, micro: Path | Microdata, *, follows: bool = False, seed: int = 3) -> Noting:
    principle = Noting()
    micro = open_microdata(micro) if isinstance(micro, Path) else micro
    publish(micro, folder, Pairs(follows=follows), principle, PublishOptions(seed=seed))
    return principle


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def pairs(lines: list[str]) -> list[tuple[str, ...]]:
    return sorted(tuple(line.split(",")[:2]) for line in lines)


@pytest.mark.parametrize("follows", [False, True])
def test_a_new_series_gets_the_transitions(tmp_path, follows):
    found = publish_to(tmp_path / "out", micro_of(tmp_path / "m", CLOSED), follows=follows)
    assert (tmp_path / "out/transitions.csv").read_text() == "from,to\ncold,cold\nflu,cold\nflu,flu\ngout,gout\n"
    assert '\n[adversary]\ntransitions = "transitions.csv"\n' in (tmp_path / "out/series.toml").read_text()
    assert found.tags == ["1", "2"]
    assert found.seen == [pairs(CLOSED)] * 3
    opened = open_series(tmp_path / "out")
    assert opened.tags == ("1", "2")
    assert pairs_of(opened) == pairs(CLOSED)


def test_without_transitions_there_are_none_in_the_series(tmp_path):
    found = publish_to(tmp_path / "out", micro_of(tmp_path / "m", None), follows=True)
    assert found.seen == [None] * 3
    assert not (tmp_path / "out/transitions.csv").exists()
    assert "transitions" not in (tmp_path / "out/series.toml").read_text()


def test_probabilities_are_kept_as_they_were_written_and_other_columns_are_not(tmp_path):
    long = "0." + "3" * 38
    lines = [f"flu,flu,me,{long}", "flu,cold,you,2/3", "flu,gout,,0", "cold,cold,x,", "gout,gout,x,1"]
    micro = micro_of(tmp_path / "m", lines, more=",noted by,probability")
    publish_to(tmp_path / "out", micro)
    text = f"from,to,probability\ncold,cold,\nflu,cold,2/3\nflu,flu,{long}\nflu,gout,0\ngout,gout,1\n"
    assert (tmp_path / "out/transitions.csv").read_text() == text
    vocabulary = Vocabulary()
    found = read_transitions(open_series(tmp_path / "out"), "Disease", vocabulary)
    assert found.exact[vocabulary.find("flu"), vocabulary.find("cold")] == Fraction(2, 3)
    assert (vocabulary.find("flu"), vocabulary.find("gout")) not in found.exact


@pytest.mark.parametrize("name", ["moves.parquet", "moves.csv.gz"])
def test_transitions_from_other_file_types(tmp_path, name):
    folder = micro_of(tmp_path / "m", CLOSED, name=name)
    ends = [line.split(",") for line in CLOSED]
    if name.endswith(".gz"):
        (folder / name).write_bytes(gzip.compress("\n".join(["from,to", *CLOSED]).encode()))
    else:
        pq.write_table(pa.table({"from": [a for a, _ in ends], "to": [b for _, b in ends]}), folder / name)
    publish_to(tmp_path / "out", folder)
    assert (tmp_path / "out/transitions.csv").read_text() == "from,to\ncold,cold\nflu,cold\nflu,flu\ngout,gout\n"


def test_hostile_values_come_through(tmp_path):
    values = ["a,b", 'say "x"', "x\ny", "=cmd()", "é\u202e", "[1, 2]", "from", "~", "x" * 5000, "\x1b[31m"]
    rows = [(f"P{n}", 20 + n, "Rye", value) for n, value in enumerate(values)]
    folder = micro_of(tmp_path / "m", [], {"1": rows, "2": rows})
    with (folder / "moves.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("from", "to"), *((a, b) for a in values for b in values)])
    found = publish_to(tmp_path / "out", folder, follows=True)
    assert found.seen[-1] == sorted((a, b) for a in values for b in values)
    assert pairs_of(open_series(tmp_path / "out")) == found.seen[-1]


@pytest.mark.parametrize("follows", [False, True])
def test_same_bytes_in_one_go_or_one_by_one(tmp_path, follows):
    lines = [*CLOSED, "zoster,cold", "zoster,zoster", "zoster,flu"]
    publish_to(tmp_path / "once", micro_of(tmp_path / "m", lines), follows=follows)
    for count in (1, 2):
        some = micro_of(tmp_path / f"m{count}", lines, dict(list(BOTH.items())[:count]))
        found = publish_to(tmp_path / "twice", some, follows=follows)
        assert found.seen == [pairs(lines)] * (count + 1)
    assert files(tmp_path / "once") == files(tmp_path / "twice")


def test_values_have_the_same_codes_however_many_releases_are_out(tmp_path):
    """Those of the transitions come first, although no snapshot may have them."""
    lines = ["zoster,zoster", "gout,gout", "cold,cold", "flu,flu", "flu,cold"]
    order = []
    for count in (1, 2):
        micro = micro_of(tmp_path / f"m{count}", lines, dict(list(BOTH.items())[:count]))
        found = publish_to(tmp_path / "out", micro)
        order.append(found.series.vocabularies["Disease"].names)
    assert order == [["zoster", "gout", "cold", "flu"]] * 2


def test_a_file_that_is_there_already_is_not_overwritten(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/transitions.csv").write_text("precious")
    what = told(lambda: publish_to(tmp_path / "out", micro_of(tmp_path / "m", CLOSED)))
    assert "transitions.csv: this file exists already" in what
    assert (tmp_path / "out/transitions.csv").read_text() == "precious"


def test_transitions_that_are_written_wrong_are_not_put_in_place(tmp_path):
    stage = SeriesTransaction.stage

    def changed(self, tables):
        stage(self, {**tables, "transitions.csv": tables["transitions.csv"].slice(1)})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SeriesTransaction, "stage", changed)
        with pytest.raises(BrokenPromiseError, match="transitions"):
            publish_to(tmp_path / "out", micro_of(tmp_path / "m", CLOSED))
    assert not (tmp_path / "out").exists()


# -- sets that a method can follow -----------------------------------------------------------------------------------


def test_what_is_missing_is_named(tmp_path):
    micro = micro_of(tmp_path / "m", CHAIN)
    line = told(lambda: publish_to(tmp_path / "out", micro, follows=True))
    assert line == (
        "moves.csv: pairs needs a line for each value itself and for every later value that it may become, also "
        'through others; missing: "flu" to "flu", '
        '"flu" to "gout" by way of "cold", "flu" to "mumps" by way of "cold" and 3 more; add them, or --close'
    )
    assert not (tmp_path / "out").exists()
    publish_to(tmp_path / "out", micro)  # others do not ask


def test_a_value_that_must_change_is_told_as_itself(tmp_path):
    lines = ["flu,cold", "cold,flu", "cold,cold", "gout,gout"]
    line = told(lambda: publish_to(tmp_path / "out", micro_of(tmp_path / "m", lines), follows=True))
    assert 'missing: "flu" to "flu"; add' in line


@dataclass(frozen=True)
class Watching(Pairs):
    """Pairs that note which updates the snapshots allow."""

    seen: list[Any] = field(default_factory=list)

    def publish(self, snapshot, so_far, rng, /):
        sets, names = snapshot.updates, snapshot.values
        self.seen.append(sorted((names[a], names[b]) for a, b in np.argwhere(sets.may).tolist()))
        return super().publish(snapshot, so_far, rng)


@pytest.mark.parametrize("follows", [False, True])
def test_the_method_is_told_what_may_become_of_values(tmp_path, follows):
    seen = []
    for count in (1, 2):
        micro = open_microdata(micro_of(tmp_path / f"m{count}", CLOSED, dict(list(BOTH.items())[:count])))
        publish(micro, tmp_path / "out", Watching(follows=follows, seen=seen), Noting(), PublishOptions(seed=1))
    assert seen == [pairs(CLOSED)] * 2


def test_a_value_without_a_line_stops_the_release(tmp_path):
    micro = micro_of(
        tmp_path / "m", ["flu,flu", "gout,gout", "cold,cold"], {"1": FIRST, "2": [*FIRST, ("Ed", 5, "Ely", "ague")]}
    )
    line = told(lambda: publish_to(tmp_path / "out", micro))
    assert line.startswith(
        '2.csv:6, column "Disease": no line of moves.csv begins with the value of this row; say there'
    )
    assert open_series(tmp_path / "out").tags == ("1",)


def test_long_values_are_cut_in_what_is_said(tmp_path):
    names = [chr(97 + n) * 5000 for n in range(4)]
    lines = [f"{a},{b}" for a, b in itertools.pairwise(names)]
    line = told(lambda: publish_to(tmp_path / "out", micro_of(tmp_path / "m", lines), follows=True))
    assert line.endswith("and 4 more; add them, or --close")
    assert "\n" not in line


def closed(folder: Path) -> Microdata:
    micro, _ = open_microdata(folder).closed()
    return micro


def test_completed_sets_are_published_and_gone_on_with(tmp_path):
    whole = sorted((a, b) for a, b in [("flu", "cold"), ("flu", "gout"), ("flu", "mumps"), ("cold", "gout"),
             ("cold", "mumps"), ("gout", "mumps"), *((v, v) for v in ("flu", "cold", "gout", "mumps"))])  # fmt: skip
    for count in (1, 2):
        micro = micro_of(tmp_path / f"m{count}", CHAIN, dict(list(BOTH.items())[:count]))
        found = publish_to(tmp_path / "out", closed(micro), follows=True)
        assert found.seen[-1] == whole
    publish_to(tmp_path / "once", closed(micro), follows=True)
    assert files(tmp_path / "once") == files(tmp_path / "out")


def test_completing_nothing_is_refused(tmp_path):
    micro = open_microdata(micro_of(tmp_path / "m", None))
    with pytest.raises(UsageError, match="the microdata have none; name them under"):
        micro.closed()


# -- series that go on -----------------------------------------------------------------------------------------------


def going_on(folder: Path, lines: list[str] | None, then, *, more: str = "", follows: bool = False) -> str:
    """What is said when a series that was begun with some transitions goes on with others; nothing changes."""
    first = micro_of(folder / "first", lines, {"1": FIRST}, more=more)
    publish_to(folder / "out", first)
    before = files(folder / "out")
    line = told(lambda: publish_to(folder / "out", then, follows=follows))
    assert files(folder / "out") == before
    assert "\n" not in line
    return line


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([*CLOSED, "cold,flu"], '"cold" to "flu" is possible only in the microdata'),
        (CLOSED[0:1] + CLOSED[2:], '"flu" to "cold" is possible only in the series'),
        (
            ["flu,flu,1/3", "flu,cold,2/3", "gout,gout,1", "cold,cold,1"],
            '"flu" to "flu" has another probability in each',
        ),
        (
            ["flu,flu,1/2", "flu,cold,1/2", "gout,gout,1", "cold,cold,1", "mumps,flu,0"],
            "some values have a line in only one of them",
        ),
    ],
)
def test_other_transitions_are_refused(tmp_path, lines, said, follows):
    more = ",probability" if lines[0].count(",") > 1 else ""
    then = micro_of(tmp_path / "then", lines, more=more)
    line = going_on(tmp_path, CLOSED, then, follows=follows)
    assert line == (
        f"{tmp_path}/out/transitions.csv: the series has other transitions than {tmp_path}/then/moves.csv: "
        f"{said}; make both files equal, or begin a new series"
    )


def test_the_same_transitions_otherwise_written_go_on(tmp_path):
    publish_to(tmp_path / "out", micro_of(tmp_path / "first", CLOSED, {"1": FIRST}))
    lines = ["cold,cold,1", "gout,gout,1.0", "flu,cold,0.5", "flu,flu,1/2", "flu,gout,0"]
    found = publish_to(tmp_path / "out", micro_of(tmp_path / "m", lines, more=",probability"), follows=True)
    assert found.seen == [pairs(CLOSED)] * 3


def test_a_series_that_was_completed_says_so(tmp_path):
    publish_to(tmp_path / "out", closed(micro_of(tmp_path / "first", CHAIN, {"1": FIRST})), follows=True)
    line = told(lambda: publish_to(tmp_path / "out", micro_of(tmp_path / "m", CHAIN)))
    assert line.endswith("/m/moves.csv: those that --close makes of them; add --close if the series was begun with it")
    publish_to(tmp_path / "out", closed(tmp_path / "m"), follows=True)


def test_a_series_whose_sets_lack_something_is_not_followed(tmp_path):
    line = going_on(tmp_path, CHAIN, micro_of(tmp_path / "then", CHAIN), follows=True)
    assert line.endswith("and 3 more; add them to the series' file too, or begin a new series with --close")


def test_a_method_that_follows_updates_needs_them_on_both_sides(tmp_path):
    line = going_on(tmp_path, None, micro_of(tmp_path / "then", CLOSED), follows=True)
    assert line == (
        f"{tmp_path}/out/series.toml: the series has no transitions, and pairs needs them; copy "
        f"{tmp_path}/then/moves.csv into its folder and name it under [adversary], or begin a new series"
    )
    line = going_on(tmp_path / "other", CLOSED, micro_of(tmp_path / "none", None), follows=True)
    assert line == (
        f"{tmp_path}/none/microdata.toml: the microdata have no transitions, and pairs needs them; "
        f"copy {tmp_path}/other/out/transitions.csv into their folder and name it under [updates], "
        "or begin a new series"
    )


@pytest.mark.parametrize(("begun", "then"), [(None, CLOSED), (CLOSED, None)])
def test_other_methods_go_on_as_the_series_was_begun(tmp_path, begun, then):
    publish_to(tmp_path / "out", micro_of(tmp_path / "first", begun, {"1": FIRST}))
    found = publish_to(tmp_path / "out", micro_of(tmp_path / "then", then))
    assert found.seen == [None if begun is None else pairs(begun)] * 3
    assert (tmp_path / "out/transitions.csv").exists() == (begun is not None)
    assert open_series(tmp_path / "out").tags == ("1", "2")


def test_a_series_whose_file_is_damaged(tmp_path):
    micro = micro_of(tmp_path / "then", CLOSED)
    publish_to(tmp_path / "out", micro_of(tmp_path / "first", CLOSED, {"1": FIRST}))
    (tmp_path / "out/transitions.csv").write_text("from,to\nflu,\n")
    with pytest.raises(InputError) as caught:
        publish_to(tmp_path / "out", micro)
    assert str(caught.value).startswith('transitions.csv:2, column "to": the cell is empty')


# -- the command -----------------------------------------------------------------------------------------------------


def test_completing_from_the_command_line(tmp_path):
    micro = micro_of(tmp_path / "m", CHAIN, {"1": FIRST, "2": FIRST})
    words = ("anonymize", str(micro), "--method", "l-diversity", "--l", "2", "--output", str(tmp_path / "out"))
    code, out, err = run_main(*words, "--close")
    assert (code, err) == (0, "")
    assert "Transitions: 6 pairs were added to complete them.\n" in out
    assert (tmp_path / "out/transitions.csv").read_text().count("\n") == 11
    assert run_main(*words, "--close")[1].startswith("Nothing to publish")
    assert run_main(*words)[0] == 2
    code, out, _ = run_main(*words[:-1], str(tmp_path / "plain"))
    assert code == 0
    assert "Transitions" not in out


def test_completing_microdata_without_transitions_is_refused(tmp_path):
    micro = micro_of(tmp_path / "m", None)
    words = ("--method", "l-diversity", "--l", "2", "--output", str(tmp_path / "out"))
    code, out, err = run_main("anonymize", str(micro), *words, "--close")
    assert (code, out) == (2, "")
    assert err == (
        "audit: microdata.toml: --close completes transitions, and the microdata have none; name them under [updates], "
        "or leave --close out\n"
    )


def test_equivalences_cannot_be_promised_of_values_that_change(tmp_path):
    same = {"1": FIRST, "2": FIRST}
    words = ("--method", "e-equivalence", "--m", "2", "--e", "2", "--output", str(tmp_path / "out"))
    code, _, err = run_main("anonymize", str(micro_of(tmp_path / "m", CLOSED, same)), *words)
    assert code == 2
    assert "release 1 is not published: equivalences are between values that never change" in err
    assert not (tmp_path / "out").exists()
    assert run_main("anonymize", str(micro_of(tmp_path / "plain", None, same)), *words)[0] == 0
