"""The page for users of R: its lines run unchanged, and produce what the page shows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.helpers.amount import slow
from tests.helpers.debian import R, program

PAGE = Path(__file__).parents[2] / "docs/how-to/r.md"


@slow
def test_the_lines_of_the_page_run(tmp_path):
    blocks = re.findall(r"^```r\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "page.R").write_text("\n".join(blocks), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        [program(*R), "page.R"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    report = json.loads((tmp_path / "audit.json").read_text())
    assert {each["clause"]: each["state"] for each in report["policy"]["clauses"]}["max_risk"] == "holds"
    found = json.loads((tmp_path / "next.json").read_text())["policy"]["violations"]
    assert {each["measure"] for each in found} == {"max_risk", "k"}
    assert "\n[1] 1\n" in run.stdout
    assert 'kind = "tables"' in (tmp_path / "tables/series.toml").read_text()
