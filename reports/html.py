"""HTML: one file to read, print, sign and keep; it needs no network and no script.

Pictures are inside the page, the content-security policy names styles by their hash, and nothing may be loaded.
Names are escaped by the template, control characters by `printable`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from audit.runtime.phrases import LANGUAGE, say
from reports.page import Facts, Page, parts_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_CODE = r"`([^`]+)`|(?<![^\s(])(--[a-z][a-z-]*)"


def drawn(page: Page) -> str:
    """Return a page of blocks as HTML, with its styles; every printed sheet states whether it may be shared."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8") + _sheets(page)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    template = _environment().get_template("report.html.j2")
    language, marked = LANGUAGE.get().code, _Marked(page)
    rendered: str = template.render(style=style, policy=policy, page=page, language=language, marked=marked)
    return rendered


def _sheets(page: Page) -> str:
    """Return the style of printed sheets: a red bar for internal ones, a grey frame for others."""
    mark = page.band or (say("INTERNAL: names people") if page.inside else say("Shareable: names nobody"))
    frame = (
        "background: #7a0016; color: #fff; font: bold 10pt sans-serif; padding: 0 3mm"
        if page.inside
        else "border: 0.5pt solid #555; color: #333; font: 9pt sans-serif; padding: 0 3mm"
    )
    corner = "font: 9pt sans-serif; color: #555"
    return (
        "@page { size: A4; margin: 20mm 16mm 18mm;\n"
        f'@top-right {{ content: "{mark}"; height: 7mm; margin: 6mm 0; {frame} }}\n'
        f'@bottom-left {{ content: "{page.sheet}"; {corner} }}\n'
        f'@bottom-right {{ content: counter(page) " / " counter(pages); {corner} }} }}\n'
    )


class _Marked:
    """Texts of a page as HTML: code between backticks, options in one piece, a link where a term is first used."""

    def __init__(self, page: Page) -> None:
        blocks = [block for section in page.parts for block in section.blocks]
        rows = [name for block in blocks if isinstance(block, Facts) and block.terms for name, _ in block.rows]
        terms = [(term, name) for name in rows for term in name.split(", ") if len(term) > 1]
        terms.sort(key=lambda each: -len(each[0]))
        self._names = [name for _, name in terms]
        forms = "|".join(f"({_forms(escape(term))})" for term, _ in terms)
        self._marks = re.compile("|".join([_CODE, rf"(?<![\w-])(?:{forms or '(?!)'})(?![\w-])"]))

    def __call__(self, text: str) -> Markup:
        """Return a text, escaped, with its marks, and each line of a manifest in it on a line of its own."""
        from markupsafe import Markup

        parts = (self._marks.sub(self._mark, escape(part)) for part in parts_of(text))
        return Markup("<br>".join(parts))  # noqa: S704 - the text is escaped

    def _mark(self, found: re.Match[str]) -> str:
        code, option, *terms = found.groups()
        if code is not None:
            return f"<code>{code}</code>"
        if option is not None:
            return f'<span class="option">{option}</span>'
        place = next(place for place, term in enumerate(terms) if term is not None)
        name, self._names[place] = self._names[place], ""
        return f'<a class="term" href="#{_anchor(name)}">{found[0]}</a>' if name else found[0]


def _forms(term: str) -> str:
    """Return a pattern of a term with the endings of plurals and cases: `Gruppe`, `Gruppen`; `sensible Werte`."""
    *first, last = term.split(" ")
    stems = [rf"{re.escape(re.sub('(e|er|o|a)$', '', word))}(?:e[mnrs]?|[ao]s?|s)?" for word in first]
    if last.endswith("ón"):
        return " ".join([*stems, rf"{re.escape(last[:-2])}(?:ón|ones)"])
    stem = re.escape(re.sub("[aeo]$", "", last)) if len(last) > 3 else re.escape(last)
    endings = "(?:e[mnrs]?|[ao]s?|s|n)" + ("?" if stem == re.escape(last) else "")
    return " ".join([*stems, stem + endings])


def _anchor(name: str) -> str:
    return f"term-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"style": Markup, "anchor": _anchor}  # the program's own file: escaping would break it
    environment.globals["say"] = say
    return environment
