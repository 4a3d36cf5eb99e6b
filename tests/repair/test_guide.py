"""The guide's way from NOT SAFE to a release that goes out, for several kinds of NOT SAFE."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers.running import done, run_main
from tests.helpers.tiny import Registered, Row, TinySeries

VALUES = ["flu", "gastritis", "flu", "gastritis"]
WIDE, NARROW = ("[20, 60]",), ("[20, 30]",)


def series(groups: str, *, keyed: bool = True, anatomy: bool = False) -> TinySeries:
    cells = [("25",), ("25",), ("35",), ("35",)] if anatomy else [WIDE] * 4
    first = [Row(f"p{n}", "1", value, cell) for n, (value, cell) in enumerate(zip(VALUES, cells, strict=True))]
    second = [Row(f"p{n}", group, VALUES[n], cells[n] if anatomy else NARROW) for n, group in enumerate(groups)]
    return TinySeries([first, second], quasi_identifiers=("Age",), keyed=keyed, anatomy=anatomy)


def regrouped(first: str, second: str, cells: dict[str, str] | None = None) -> TinySeries:
    """Two releases of four people; the groups of each, and the candidate's cells by group."""
    releases = [
        [
            Row(f"p{n}", g, VALUES[n], ((cells or {}).get(g, "[20, 30]") if release else "[20, 60]",))
            for n, g in enumerate(groups)
        ]
        for release, groups in enumerate((first, second))
    ]
    return TinySeries(releases, quasi_identifiers=("Age",))


def registered() -> TinySeries:
    """A register knows two people in each of the candidate's groups, and each has one value."""
    first = [Row(None, "1", value, WIDE) for value in VALUES]
    second = [Row(None, "1", "flu", ("[20, 29]",))] * 2 + [Row(None, "2", "gastritis", ("[30, 39]",))] * 2
    ages = ["22", "24", "32", "34"]
    register = [Registered(f"p{n}", release, (age,)) for release in range(2) for n, age in enumerate(ages)]
    return TinySeries([first, second], register=register, quasi_identifiers=("Age",), keyed=False)


KINDS = {
    "a value is certain": (series("1223"), []),
    "a risk": (series("1112"), ["--policy", "max_risk=0.6"]),
    "a group of one value": (series("1212", keyed=False), []),
    "an Anatomy pair": (series("1213", anatomy=True), []),
    "an equivalence": (regrouped("1122", "1221"), ["--policy", "min_e=2"]),
    "a small class": (regrouped("1111", "1122", {"2": "[30, 60]"}), ["--k", "3"]),
    "a register": (registered(), []),
}


@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
def test_five_commands_lead_to_a_release_that_goes_out(tmp_path: Path, kind: str):
    """`audit next`, `repair`, `next` and `cp`, and `audit` of the series with what went out."""
    tiny, options = KINDS[kind]
    whole, past = tiny.write(tmp_path / "all", key="files"), tiny.until(1).write(tmp_path / "clinic", key="files")
    if tiny.register is not None:
        shutil.copy(whole / "register.csv", past / "register.csv")  # it speaks of the candidate already
    if tiny.keyed:
        _set_policy(past)
    names = ["2.rows.csv", "2.values.csv"] if tiny.anatomy else ["2.csv"]
    candidate = [str(shutil.copy(whole / "releases" / name, tmp_path / name)) for name in names]
    if tiny.keyed:
        shutil.copy(whole / "private" / "2.key.csv", tmp_path / "2.key.csv")
    repaired = tmp_path / "repaired"
    assert run_main("next", str(past), *candidate, *options)[0] == 1
    done("repair", str(past), *candidate, "--output", str(repaired), *options)
    assert run_main("next", str(past), *(str(repaired / name) for name in names), *options)[0] == 0
    _put_out(repaired, past, whole)
    if tiny.keyed:
        _set_policy(past)
    assert run_main(str(past), *options)[0] == 0


@pytest.mark.parametrize("walked", [False, True])
def test_records_that_are_narrowed_down(tmp_path: Path, walked: bool):
    """Where record ids are published, cells of several releases together say more than each.

    A crosswalk may be about a release that the candidate does not repeat.
    """
    past, candidate = tmp_path / "clinic", tmp_path / "2.csv"
    (past / "releases").mkdir(parents=True)
    columns = 'record = "Id"\ngroup = "Group"\nquasi_identifiers = ["Age"]\nsensitive = "Disease"'
    manifest = f'[series]\nname = "clinic"\nreleases = ["releases/*.csv"]\n[columns]\n{columns}\n'
    manifest += 'crosswalk = { Disease = "walk.csv" }\n' if walked else ""
    (past / "series.toml").write_text(manifest, encoding="utf-8")
    (past / "walk.csv").write_text(f"release,from,to\n1,first,{VALUES[0]}\n", encoding="utf-8")

    def table(path: Path, groups: str, cells: dict[str, str], values: Sequence[str] = VALUES) -> None:
        rows = [f'{n},{group},"{cells[group]}",{values[n]}' for n, group in enumerate(groups)]
        path.write_text("\n".join(["Id,Group,Age,Disease", *rows]) + "\n", encoding="utf-8")

    values = ["first" if walked else VALUES[0], *VALUES[1:]]
    table(past / "releases" / "1.csv", "1122", {"1": "[20, 39]", "2": "[40, 59]"}, values)
    table(candidate, "1221", {"1": "[20, 49]", "2": "[30, 59]"})
    options, repaired = ["--attack", "inference-table"], tmp_path / "repaired"
    assert run_main(str(past), *options)[0] == 0
    assert run_main("next", str(past), str(candidate), *options)[0] == 1
    done("repair", str(past), str(candidate), "--output", str(repaired), *options)
    assert run_main("next", str(past), str(repaired / "2.csv"), *options)[0] == 0
    shutil.copy(repaired / "2.csv", past / "releases" / "2.csv")
    assert run_main(str(past), *options)[0] == 0


def test_earlier_disclosures_cannot_be_undone(tmp_path: Path):
    """The candidate adds nothing: audited against an earlier report, the series passes.

    The two people whose values are certain have left.
    """
    first = [Row(f"p{n}", group, VALUES[n], WIDE) for n, group in enumerate("1233")]
    second = [Row(f"p{n}", group, VALUES[n % 4], NARROW) for n, group in enumerate("111223", 2)]
    tiny = TinySeries([first, second], quasi_identifiers=("Age",))
    whole, past = tiny.write(tmp_path / "all", key="files"), tiny.until(1).write(tmp_path / "clinic", key="files")
    _set_policy(past)
    (past / "private" / "finding.key").write_text("0" * 64 + "\n", encoding="utf-8")
    candidate, repaired, before = tmp_path / "2.csv", tmp_path / "repaired", tmp_path / "before.json"
    shutil.copy(whole / "releases" / "2.csv", candidate)
    shutil.copy(whole / "private" / "2.key.csv", tmp_path / "2.key.csv")
    stable = ["--stable-ids", "--findings", "all", "--format", "json"]
    assert run_main(str(past), *stable, "--output", str(before))[0] == 1
    told = " ".join(run_main("next", str(past), str(candidate))[1].split())
    assert f"`audit repair {past} {candidate} --output repaired` looks for a change" in told
    done("repair", str(past), str(candidate), "--output", str(repaired))
    told = run_main("next", str(past), str(repaired / candidate.name))[1]
    assert "  - To what they disclose, the candidate adds nothing that the policy forbids.\n" in told
    assert "do not publish" not in told.lower()
    _put_out(repaired, past, whole)
    _set_policy(past)
    assert run_main(str(past), "--baseline", str(before))[0] == 0


def _set_policy(folder: Path) -> None:
    manifest = folder / "series.toml"
    manifest.write_text(f"{manifest.read_text(encoding='utf-8')}\n[policy]\nmin_e = 1\n", encoding="utf-8")


def _put_out(repaired: Path, series: Path, whole: Path) -> None:
    """Copy a repaired candidate and its key into the series, and name it in the manifest."""
    for path in repaired.glob("2*.csv"):
        shutil.copy(path, series / "releases" / path.name)
    for path in (repaired / "private").glob("*.csv"):
        shutil.copy(path, series / "private" / path.name)
    shutil.copy(whole / "series.toml", series / "series.toml")
