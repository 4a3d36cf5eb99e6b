"""SARIF log: the common part of SARIF 2.1.0 logs: the tool with its rules, locations in the repository, messages.

Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, sections 3.11 (messages), 3.14
(runs), 3.17 (automation details), 3.29 (physical locations), 3.30 (regions), 3.49 (rules).
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import join
from urllib.parse import quote

from audit.model.finding import FindingRule
from audit.runtime.phrases import printable
from audit.runtime.version import documentation
from reports.escaping import as_json, markdown
from reports.glossary import ATTACKS as DESCRIBED

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
_PAGES = {
    **{name: f"attacks/{name}.md" for name in DESCRIBED},
    "policy": "policy.md",
    "differencing": "tables.md",
}
_LINES_OF_TEXT = (".csv", ".tsv", ".txt", ".toml")


def log(run: Mapping[str, object]) -> str:
    """Return a log with one run, as indented JSON with a final line break."""
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def tool(version: str, rules: Mapping[str, FindingRule]) -> dict[str, object]:
    """Return the tool with its rules; rules of attacks described here have a link."""
    described = [
        {
            "id": name,
            "shortDescription": {"text": what},
            "fullDescription": {"text": what},
            "help": {"text": remedy, "markdown": _in_markdown(what, remedy, help_link(name).get("helpUri"))},
            **help_link(name),
        }
        for name, (what, remedy) in rules.items()
    ]
    home = documentation()
    about = {} if home is None else {"informationUri": home}
    return {"driver": {"name": "series-audit", "version": version, **about, "rules": described}}


def _in_markdown(what: str, remedy: str, page: str | None) -> str:
    """Return the subject of a rule and what to do, for viewers of Markdown."""
    described = f"**{markdown(what)}**\n\n{markdown(remedy)}"
    return described if page is None else f"{described}\n\n[{page.rsplit('/', 1)[-1]}](<{page}>)"


def help_link(rule: str) -> dict[str, str]:
    """Return the page about a rule; none for attacks of other packages, or if the package names no pages.

    >>> help_link("another-package/disclosure")
    {}
    """
    home, page = documentation(), _PAGES.get(rule.partition("/")[0])
    return {} if home is None or page is None else {"helpUri": f"{home}/{page}"}


def automation(series: str, folder: str = "") -> dict[str, str]:
    """Return the identity of runs on one series among those in the same repository.

    >>> automation("Ward", "data/published")
    {'id': 'series-audit/data/published/'}
    """
    return {"id": f"series-audit/{uri(folder or printable(series, 200))}/"}


def uri(path: str, folder: str = "") -> str:
    """Return a path of the series as a URI relative to the root; `folder` is the folder of the series."""
    return quote(join(folder, path), errors="surrogateescape")


def artifact(path: str, folder: str, index: int | None = None) -> dict[str, object]:
    """Return a file of the series; `index` is its index in the list of artifacts."""
    place: dict[str, object] = {"uri": uri(path, folder), "uriBaseId": ROOT}
    return place if index is None else {**place, "index": index}


def location(where: Mapping[str, object], first: int | None = None, last: int | None = None) -> dict[str, object]:
    """Return a location: a file, and its lines if it has any."""
    place: dict[str, object] = {"artifactLocation": where}
    if first is not None and str(where["uri"]).endswith(_LINES_OF_TEXT):
        place["region"] = {"startLine": first, **({} if last in (None, first) else {"endLine": last})}
    return {"physicalLocation": place}


def message(*lines: str) -> dict[str, str]:
    """Return a plain text message; braces would be placeholders, and brackets might be links."""
    text = "\n".join(line.replace("{", "{{").replace("}", "}}") for line in lines)
    return {"text": text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")}
