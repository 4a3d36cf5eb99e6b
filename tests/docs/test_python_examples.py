"""The Python sessions of the manual give what they show."""

import doctest
import re
import shutil
from pathlib import Path

from tests.cli.forms import EXAMPLES, edit

MANUAL = Path(__file__).parents[2] / "docs/api.md"


def test_a_session_gives_what_the_manual_shows(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "hospital")
    title = (
        "Hospital, each release 2-diverse (Xiao and Tao, m-invariance, Tables 1b and 2b)"  # as `audit demo` calls it
    )
    edit(
        tmp_path / "hospital/series.toml", "Hospital, 2-diverse releases (m-invariance paper, Tables 1b and 2b)", title
    )
    shutil.copytree(EXAMPLES.parent / "count_table_examples/tables-one-left-out", tmp_path / "tables-one-left-out")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```pycon\n(.*?)```", MANUAL.read_text(encoding="utf-8"), re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, MANUAL.name, str(MANUAL), 0)
    said: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session, out=said.append)
    assert results.attempted > 20
    assert not results.failed, "".join(said)
