"""The guide's way from NOT SAFE to a release that goes out, for several kinds of NOT SAFE."""

import shutil
from pathlib import Path

import pytest

from tests.helpers.running import run_main
from tests.helpers.tiny import Row, TinySeries

VALUES = ["flu", "gastritis", "flu", "gastritis"]
WIDE, NARROW = ("[20, 60]",), ("[20, 30]",)


def series(groups: str, *, keyed: bool = True, anatomy: bool = False) -> TinySeries:
    cells = [("25",), ("25",), ("35",), ("35",)] if anatomy else [WIDE] * 4
    first = [Row(f"p{n}", "1", value, cell) for n, (value, cell) in enumerate(zip(VALUES, cells, strict=True))]
    second = [Row(f"p{n}", group, VALUES[n], cells[n] if anatomy else NARROW) for n, group in enumerate(groups)]
    return TinySeries([first, second], quasi_identifiers=("Age",), keyed=keyed, anatomy=anatomy)


KINDS = {
    "a value is certain": (series("1223"), []),
    "a risk": (series("1112"), ["--policy", "max_risk=0.6"]),
    "a group of one value": (series("1212", keyed=False), []),
    "an Anatomy pair": (series("1213", anatomy=True), []),
}


@pytest.mark.parametrize("kind", KINDS)
def test_four_commands_lead_to_a_release_that_goes_out(tmp_path: Path, kind: str):
    tiny, options = KINDS[kind]
    whole, past = tiny.write(tmp_path / "all", key="files"), tiny.until(1).write(tmp_path / "clinic", key="files")
    manifest = past / "series.toml"
    if tiny.keyed:
        manifest.write_text(manifest.read_text(encoding="utf-8") + "\n[policy]\nmin_e = 1\n", encoding="utf-8")
    names = ["2.rows.csv", "2.values.csv"] if tiny.anatomy else ["2.csv"]
    candidate = [str(shutil.copy(whole / "releases" / name, tmp_path / name)) for name in names]
    if tiny.keyed:
        shutil.copy(whole / "private" / "2.key.csv", tmp_path / "2.key.csv")
    repaired = tmp_path / "repaired"
    assert run_main("next", str(past), *candidate, *options)[0] == 1
    code, out, err = run_main("repair", str(past), *candidate, "--output", str(repaired), *options)
    assert (code, err) == (0, ""), out
    assert run_main("next", str(past), *(str(repaired / name) for name in names), *options)[0] == 0
