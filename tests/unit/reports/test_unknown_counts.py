"""What an attack that did not finish did not count is unknown, and not drawn or told as nobody."""

from dataclasses import replace

import pytest

import audit
from reports.formats import Text
from reports.page_charts import over_time
from tests.cli.forms import EXAMPLES
from tests.helpers.paper import picture


@pytest.fixture(scope="module")
def report():
    """Of the first release alone nothing is certain, after the second one something is."""
    found = audit.load(EXAMPLES / "hospital-l-diverse").attack("intersection", findings=0).report
    assert found.attacks[0].measures.timeline[0] == 0 < found.attacks[0].measures.timeline[1]
    return found


def unfinished(report):
    [attack] = report.attacks
    return replace(report, attacks=(replace(attack, status="incomplete", reason="the time was up"),))


def test_the_picture_has_no_point_where_nothing_is_known(report):
    [whole], [part] = over_time(report), over_time(unfinished(report))
    last = whole.rows[1][1]
    assert [row[1] for row in whole.rows] == ["0", last]
    assert [row[1] for row in part.rows] == ["", last]
    assert picture(whole).count('class="point') == picture(part).count('class="point') + 1
    assert part.head[1] == "intersection, at least"


def test_the_table_on_the_terminal_says_so(report):
    def first(shown):
        lines = [line.split() for line in Text().render(shown).splitlines()]
        [line] = [line for line in lines if len(line) == 2 and line[0] == "1"]
        return line[1]

    assert (first(report), first(unfinished(report))) == ("0", "?")
