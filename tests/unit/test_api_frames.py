"""Results of the Python API: frames of stated columns, and what a notebook shows, which names nobody."""

import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from audit.api import AuditResult, load
from audit.pipeline.settings import Settings
from tests.cli.forms import EXAMPLES, edit, private_texts
from tests.helpers.results import EXPECTED, made, timeless

TEXT, COUNT, NUMBER, OBJECT = pd.StringDtype(), pd.Int64Dtype(), pd.Float64Dtype(), object
COLUMNS = {
    "findings": {
        **dict.fromkeys(["id", "attack", "sensitive", "kind", "individual", "record", "release", "value"], TEXT),
        "risk": NUMBER,
        "evidence": TEXT,
        "e": COUNT,
        **dict.fromkeys(["left", "right"], OBJECT),
        "class_size": COUNT,
        "cause": TEXT,
        "description": OBJECT,
        **dict.fromkeys(["lower", "upper", "category"], TEXT),
    },
    "ladder": {
        **dict.fromkeys(["attack", "sensitive"], TEXT),
        **dict.fromkeys(["people", "beyond", "so_far"], COUNT),
        "seconds": NUMBER,
    },
    "inputs": {"path": TEXT, "sha256": TEXT, "rows": COUNT},
}
ATTACK = {
    **dict.fromkeys(["attack", "sensitive", "status", "reason"], TEXT),
    "seconds": NUMBER,
    "findings_total": COUNT,
}
FRAMES = ["measures", "findings", "timeline", "ladder", "inputs"]


def texts(result):
    """All that a result shows but what the clock says."""
    frames = [getattr(result, name).drop(columns="seconds", errors="ignore").to_csv() for name in FRAMES]
    return "\n".join([*frames, result.verdict, repr(result), result._repr_html_(), timeless(result.to_json())])


# -- frames ---------------------------------------------------------------------------------------------


def assert_frames(result):
    for name, columns in COLUMNS.items():
        assert getattr(result, name).dtypes.to_dict() == columns, name
    assert result.timeline.index.name == "release"
    assert set(result.timeline.dtypes) <= {COUNT}
    if isinstance(result, AuditResult):
        assert dict(list(result.measures.dtypes.items())[: len(ATTACK)]) == ATTACK


@pytest.mark.many
@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.parametrize("findings", [0, None])
def test_columns_and_dtypes(name, findings):
    result = load(EXAMPLES / name).audit(findings=findings)
    assert_frames(result)
    shown = [finding for attack in json.loads(result.to_json())["attacks"] for finding in attack["findings"]]
    assert result.findings["id"].tolist() == [finding["id"] for finding in shown]
    assert result.findings["kind"].tolist() == [finding["kind"] for finding in shown]
    if findings == 0:
        assert result.findings.empty


# -- secrets, and other people's words ------------------------------------------------------------------


@pytest.mark.many
@pytest.mark.parametrize("form", ["hospital-l-diverse", "everything", "two_values", "changing", "cases-independent"])
def test_nobody_is_named_unless_revealed(form, tmp_path):
    folder = made(form, tmp_path / "s")
    series = load(folder)
    secrets = private_texts(folder)
    if form == "cases-independent":
        secrets = {"20433", "2043*", "female"}
    assert secrets
    told = texts(series.audit(findings=None))
    # Digits of drawn ids are no secrets.
    assert not [secret for secret in secrets if re.search(rf"(?<![0-9a-f]){re.escape(secret)}(?![0-9a-f])", told)]
    assert [secret for secret in secrets if secret in texts(series.audit(findings=None, reveal=True))]
    assert not [secret for secret in secrets if secret in repr(series)]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.attributes, self.words = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def test_html_escapes_what_it_quotes(tmp_path):
    folder = made("hospital-l-diverse", tmp_path / "s")
    edit(folder / "series.toml", 'name = "Hospital', 'name = "<script>alert(1)</script>')
    for release in folder.glob("releases/*.csv"):
        release.write_text(
            release.read_text()
            .replace("Bob", "<script>Bob</script>")
            .replace("dyspepsia", "<img src=x onerror=alert(1)>&amp;")
        )
    result = load(folder).audit(reveal=True, findings=None)
    page = Tags()
    page.feed(result._repr_html_())
    page.close()
    assert page.seen == {"pre"}
    assert page.attributes == []
    assert page.words[0].startswith("<script>alert(1)</script>")


MANUAL = (EXAMPLES.parents[1] / "docs/api.md").read_text(encoding="utf-8")


def test_the_manual_has_every_argument_attribute_and_column():
    words = set(re.findall(r"`(\w+)", MANUAL))
    arguments = set(Settings.__annotations__)
    attributes = {name for name in dir(AuditResult) if not name.startswith("_")}
    columns = {column for frame in COLUMNS.values() for column in frame}
    assert arguments | attributes | columns <= words
