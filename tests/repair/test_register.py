"""Rows withheld under a register: their people leave the release in the register, too; the rest is unchanged."""

import csv
import itertools
import json
import random
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.forms import append, edit
from tests.helpers.amount import some
from tests.helpers.running import refused, run_main
from tests.helpers.tiny import Registered, Row, TinySeries, covers, with_spans
from tests.mutants.mutant import kills
from tests.oracle.worlds import worlds

WIDE = ("[20, 60]",)
VALUES = ["flu", "gastritis", "flu", "gastritis", "HIV"]
OPTIONS = ["--adversary", "register", "--k", "1"]
ALONE = [*[Row(f"p{n}", "1", VALUES[n], ("[20, 29]",)) for n in range(3)], Row("p4", "2", "HIV", ("[30, 60]",))]
AGES = {"p0": "22", "p1": "24", "p2": "25", "p3": "34", "p4": "35"}


def series(candidate: list[Row], *, keyed: bool = True) -> TinySeries:
    """Five people in one group, then a candidate of some of them, with a register of both."""
    first = [Row(f"p{n}", "1", value, WIDE) for n, value in enumerate(VALUES)]
    people = [[row.individual for row in release] for release in (first, candidate)]
    register = [Registered(name, place, (AGES[name],)) for place, some in enumerate(people) for name in some]
    return TinySeries([first, candidate], register=register, quasi_identifiers=("Age",), keyed=keyed)


def write(small: TinySeries, folder: Path, *, spans: bool = False) -> tuple[Path, Path]:
    """Write the past, with a register that tells of the candidate too, and the candidate with its key."""
    whole, past = small.write(folder / "all", key="files"), small.until(1).write(folder / "clinic", key="files")
    if spans:
        with_spans(whole, small)
    shutil.copy(whole / "register.csv", past / "register.csv")
    keys = [[str(place), row.individual] for place, row in enumerate(small.releases[1])]
    with (folder / "2.key.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["row", "individual"], *keys])
    return past, Path(shutil.copy(whole / "releases" / "2.csv", folder / "2.csv"))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.many
@pytest.mark.parametrize("spans", [False, True])
@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("called", [{}, {"individual": "Insured", "Age": "Alter", "last": "until", "release": "in"}])
def test_who_is_withheld_leaves_the_release_by_the_register(tmp_path, spans, keyed, called):
    past, candidate = write(series(ALONE, keyed=keyed), tmp_path, spans=spans)
    head, _, lines = (past / "register.csv").read_text(encoding="utf-8").partition("\n")
    names = [called.get(name, name) for name in head.split(",")]
    (past / "register.csv").write_text(",".join(names) + "\n" + lines, encoding="utf-8")
    there = [f'{name} = "{called[name]}"\n' for name in head.split(",") if name in called]
    append(past / "series.toml", "[register]\n" + "".join(there))
    own = (past / "register.csv").read_text(encoding="utf-8")
    out, words = tmp_path / "out", ["--only", "withhold", *OPTIONS]
    code, told, err = run_main("repair", str(past), str(candidate), "--output", str(out), *words)
    assert (code, err) == (0, ""), told
    assert f"In {out}/private/2.register.csv, people whose rows are withheld are not in this release" in " ".join(
        told.split()
    )
    assert [row["Group-ID"] for row in read(out / "2.csv")] == ["1"] * 3
    wanted = own.replace("p4,35,1,2", "p4,35,1,1") if spans else own.replace("p4,35,2\n", "").removesuffix("p4,35,2")
    register = out / "private" / "2.register.csv"
    assert register.read_text(encoding="utf-8").split() == wanted.split() != own.split()
    assert stat.S_IMODE(register.stat().st_mode) == 0o600
    assert run_main("next", str(past), str(out / "2.csv"), *OPTIONS)[0] == 0
    assert (past / "register.csv").read_text(encoding="utf-8") == own
    again = ["repair", str(past), str(out / "2.csv"), "--output", str(tmp_path / "again"), *OPTIONS]
    code, told, _ = run_main(*again)
    assert code == 0, "the candidate comes with its register"
    assert ("When the release is published," in told, "rows are withheld" in told) == (True, False), told
    assert (tmp_path / "again" / "private" / "2.register.csv").read_bytes() == register.read_bytes()
    register.unlink()
    err = refused("next", str(past), str(out / "2.csv"), *OPTIONS)
    assert "no group of release 2 covers this person" in err, "by the series' register p4 is there"


def test_without_a_key_nobody_can_tell_whom_to_withhold(tmp_path):
    past, candidate = write(series(ALONE, keyed=False), tmp_path)
    (tmp_path / "2.key.csv").unlink()
    words = ["repair", str(past), str(candidate), "--output", str(tmp_path / "out")]
    code, out, _ = run_main(*words)
    assert code == 1, "whatever is merged, p3 alone is not in the candidate, and has what is left of the first release"
    assert "no set keeps the policy as one group; no rows could be withheld: " in " ".join(out.split())
    assert "there is no key for the rows; put 2.key.csv beside the candidate, and use --adversary register" in " ".join(
        out.split()
    )
    assert "only withholding every row would" not in out, "what was not tried is not claimed to fail"


@pytest.mark.parametrize("presence", ["register", "possible"])
def test_where_the_candidate_alone_has_a_key_the_adversary_that_needs_none_is_named(tmp_path, presence):
    past, candidate = write(series(ALONE, keyed=False), tmp_path)
    if presence == "possible":
        edit(past / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
    assert f"or the individual column, or use --adversary {presence}" in refused("next", str(past), str(candidate))
    assert run_main("next", str(past), str(candidate), "--adversary", presence)[0] in (0, 1, 3)


@kills("audit.repair.candidate_files.CandidateFiles.register_in", "register.names_releases and ", "")
@pytest.mark.parametrize(("keyed", "words"), [(True, []), (True, ["--adversary", "possible"]), (False, [])])
def test_a_roll_that_names_no_releases_stays_as_it_is_whoever_is_withheld(tmp_path, keyed, words):
    """The withheld may be in the release as anybody of the roll may, and keys may name people in another way."""
    past, candidate = write(series(ALONE, keyed=keyed), tmp_path)
    if not keyed:
        (tmp_path / "2.key.csv").unlink()
    roll = "".join(f"{name},Doe,{age}\n" for name, age in AGES.items())
    (past / "register.csv").write_text("Forename,Surname,Age\n" + roll, encoding="utf-8")
    text = (past / "series.toml").read_text(encoding="utf-8")
    text = text.replace("[adversary]", '[adversary]\npresence = "possible"')
    (past / "series.toml").write_text(text + '\n[register]\nindividual = ["Surname", "Forename"]\n', encoding="utf-8")
    out, words = tmp_path / "out", ["--only", "withhold", "--k", "1", *words]
    code, told, err = run_main("repair", str(past), str(candidate), "--output", str(out), *words)
    assert (code, err) == (0, ""), told
    assert "withhold line" in told
    assert "register" not in told
    assert not (out / "private" / "2.register.csv").exists()
    assert len(read(out / "2.csv")) < len(ALONE)
    assert run_main("next", str(past), str(out / "2.csv"), *words[2:])[0] == 0


@pytest.mark.parametrize("header", ["line,person", "row,name", "Row,Individual", "0,p0"])
@pytest.mark.parametrize("keyed", [True, False])
def test_a_key_with_another_header_is_told_the_header_that_is_wanted(tmp_path, header, keyed):
    past, candidate = write(series(ALONE, keyed=keyed), tmp_path)
    (tmp_path / "2.key.csv").write_text(f"{header}\n1,p1\n", encoding="utf-8")
    said = refused("next", str(past), str(candidate), *([] if keyed else OPTIONS))
    assert "2.key.csv:1" in said
    assert 'write a header line with these names, with "," between them: row, individual' in said
    assert "manifest" not in said


def test_the_position_of_the_coming_release_is_named_to_who_writes_its_tag(tmp_path):
    past, _ = write(series(ALONE), tmp_path, spans=True)
    register = past / "register.csv"
    edit(register, ",1,2\n", ",1,2024-05\n")
    assert "write a position from 1 to 2, the next release's, or the tag of an earlier one" in refused(
        str(past), *OPTIONS
    )


def draw(seed: int) -> TinySeries:
    """Some people in one group, then a candidate of some of them in groups whose cells may overlap."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    names = [f"p{n}" for n in range(rng.randrange(3, 6))]
    values = {name: rng.choice(VALUES) for name in names}
    ages = {name: rng.randrange(20, 60) for name in names}
    there = [name for name in names if rng.random() < 0.9] or names[:1]
    parts = {name: rng.randrange(3) for name in there}
    releases = [[Row(name, "1", values[name], WIDE) for name in names], []]
    for part in range(3):
        some = [name for name in there if parts[name] == part]
        if some:
            low, high = min(ages[n] for n in some) - rng.randrange(9), max(ages[n] for n in some) + rng.randrange(9)
            releases[1] += [Row(name, str(part), values[name], (f"[{low}, {high}]",)) for name in some]
    listed = [name for name in names if rng.random() < 0.9] or names
    register = [
        Registered(row.individual, place, (str(ages[row.individual]),))
        for place, release in enumerate(releases)
        for row in release
        if row.individual in listed
    ]
    return TinySeries(releases, register=register, quasi_identifiers=("Age",))


def without(small: TinySeries, gone: tuple[str, ...]) -> TinySeries:
    rows = [row for row in small.releases[1] if row.individual not in gone]
    register = [line for line in small.register or () if not (line.release and line.individual in gone)]
    return replace(small, releases=[small.releases[0], rows], register=register)


def is_safe(small: TinySeries) -> bool:
    """Whether nobody of the register has a value that all worlds agree on, and no class of rows has one value.

    A class whose people fit no other class is no finding of its own: they are found themselves.
    """
    for release, rows in enumerate(small.releases):
        classes: dict[object, list[Row]] = {}
        for row in rows:
            classes.setdefault(row.row_class, []).append(row)
        here = [line for line in small.register or () if line.release == release]
        fits = [
            [kind for kind, mine in classes.items() if all(map(covers, mine[0].cells, line.exact))] for line in here
        ]
        for kind, mine in classes.items():
            if len({row.value for row in mine}) == 1 and fits.count([kind]) < len(mine):
                return False
    found = worlds(small, "register")
    return all(len(found.possible(line.individual, line.release)) > 1 for line in small.register or ())


@pytest.mark.parametrize("seed", range(some(16)))
def test_the_fewest_rows_are_withheld_by_enumeration(tmp_path, seed):
    small = draw(seed)
    if not is_safe(small.until(1)):
        small = draw(seed + 1000)
    names = [str(row.individual) for row in small.releases[1]]
    safe = [
        size
        for size in range(len(names))
        if any(is_safe(without(small, gone)) for gone in itertools.combinations(names, size))
    ]
    past, candidate = write(small, tmp_path)
    out, words = tmp_path / "out", ["--only", "withhold", "--format", "json", *OPTIONS]
    code, told, err = run_main("repair", str(past), str(candidate), "--output", str(out), *words)
    assert err == ""
    assert code == (0 if safe and is_safe(small.until(1)) else 1), told
    if code:
        return
    kept = {line["individual"] for line in read(out / "private" / "2.key.csv")}
    gone = tuple(name for name in names if name not in kept)
    assert len(gone) == safe[0]
    assert is_safe(without(small, gone))
    moves = json.loads(told)["moves"]
    assert [each["kind"] for each in moves] == ["withhold"] * bool(gone)
    assert run_main("next", str(past), str(out / "2.csv"), *OPTIONS)[0] == 0
