"""HTML reports: nothing but what they are meant to hold, whatever people, values and files are called."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from attacks.registry import all_attacks
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.pipeline.audit_run import run_audit
from reports.charts import lines
from reports.formats import Html
from tests.cli.forms import EXAMPLES
from tests.helpers.paper import picture
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml"))
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "</style><style>*{display:none}",
    "javascript:alert(1)",
    "$\\frac{1}{2}$",
]
TAGS = {
    "html", "head", "meta", "title", "style", "body", "div", "main", "h1", "h2", "h3", "p", "span", "ul", "li", "table",
    "thead", "tbody", "tr", "th", "td", "caption", "figure", "figcaption", "details", "summary", "code", "header",
    "section", "h4", "h5", "svg", "g", "path", "text", "defs", "pattern",
}  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.text, self.open = [], "", []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def rendered(folder, **options):
    return Html().render(run_audit(open_series(folder), all_attacks(), AuditOptions(**options)))


def hostile():
    """Two people who are found in the second release, everything in it being called something nasty."""
    a, b, c, d, e, f = HOSTILE
    first = [Row(a, d, a), Row(b, d, b), Row(c, e, c), Row(d, e, d)]
    second = [Row(a, f, a), Row(c, f, c), Row(b, a, b), Row(d, a, d)]
    return TinySeries([first, second])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reveal", [False, True])
def test_a_page_holds_text_tables_and_pictures_alone(name, reveal):
    page = Tags(rendered(EXAMPLES / name, reveal=reveal))
    assert {tag for tag, _ in page.tags} <= TAGS
    for _, attributes in page.tags:
        assert not {name for name in attributes if name.startswith("on") or name in {"style", "href", "src"}}
    assert ("INTERNAL" in page.text) == reveal
    assert ("Shareable" in page.text) != reveal


def test_the_policy_allows_the_styles_and_nothing_else():
    text = rendered(EXAMPLES / "hospital-l-diverse")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = [a["content"] for _, a in Tags(text).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_names_are_shown_and_do_nothing():
    with written(hostile()) as folder:
        page = Tags(rendered(folder, reveal=True))
        assert {tag for tag, _ in page.tags} <= TAGS
        for name in HOSTILE:
            assert name in page.text
        hidden = Tags(rendered(folder))
        assert HOSTILE[1] + " has" not in hidden.text


def test_names_in_pictures_do_nothing():
    series = [(name, [1]) for name in HOSTILE]
    drawn = picture(lines(HOSTILE[0], HOSTILE[:1], series, axes=(HOSTILE[0], HOSTILE[1])))
    assert "alert" in drawn
    assert {tag for tag, _ in Tags(drawn).tags} <= TAGS
