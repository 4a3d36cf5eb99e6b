"""Every published column has a role: one without keeps every clause from holding, and takes no finding away."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.forms import edit, read_rows, write_rows
from tests.helpers.amount import some
from tests.helpers.running import run_audit, written
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import TinySeries

FEW = settings(max_examples=some(25))
COLUMNS = "[columns]"
REASON = "nobody outside sees it"


def with_remarks(folder: Path, remarks: list[str]) -> None:
    """Write one more column into all releases, whose cells are some texts again and again."""
    place = 0
    for path in sorted((folder / "releases").glob("*.csv")):
        head, *rows = read_rows(path)
        write_rows(path, [[*head, "Remark"], *([*row, remarks[(place := place + 1) % len(remarks)]] for row in rows)])


def ended(folder: Path) -> tuple[int, dict[str, str], dict[str, str]]:
    """Exit code, and how each clause ended, and why."""
    code, result, err = run_audit(folder)
    assert result is not None, err
    clauses = result["policy"]["clauses"]
    return (
        code,
        {each["clause"]: each["state"] for each in clauses},
        {each["clause"]: each["reason"] for each in clauses},
    )


@FEW
@given(st.one_of(linked_series(), register_series()), st.lists(st.sampled_from("xyz"), min_size=1, max_size=4))
def test_a_column_without_a_role_never_lets_a_clause_hold(series: TinySeries, remarks: list[str]):
    with written(series) as folder:
        code, before, _ = ended(folder)
        with_remarks(folder, remarks)
        after_code, after, why = ended(folder)
        assert after == {name: "undecided" if state == "holds" else state for name, state in before.items()}
        assert after_code == (3 if code == 0 else code)
        undecided = {name for name, state in after.items() if state == "undecided"}
        assert all('the published column "Remark" has no role' in str(why[name]) for name in undecided)


@FEW
@given(linked_series())
def test_a_column_that_says_the_same_of_everybody_changes_nothing(series: TinySeries):
    """The twin: with a role, and no text that ties two rows, all is as it was."""
    with written(series) as folder:
        before = ended(folder)
        with_remarks(folder, ["*"])
        edit(folder / "series.toml", COLUMNS, f'{COLUMNS}\nunlinkable = {{ Remark = "{REASON}" }}')
        assert ended(folder) == before
