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
from reports.page import Page, parts_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile(r"`([^`]+)`|(?<![^\s(])(--[a-z][a-z-]*)")


def drawn(page: Page) -> str:
    """Return a page of blocks as HTML, with its styles; every printed sheet states whether it may be shared."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8") + _sheets(page)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    template = _environment().get_template("report.html.j2")
    rendered: str = template.render(style=style, policy=policy, page=page, language=LANGUAGE.get().code)
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


def _marked(text: str) -> Markup:
    """Return a text, escaped, with code between backticks, options in one piece, and a line for each of a manifest."""
    from markupsafe import Markup

    parts = (_CODE.sub(_mark, escape(part)) for part in parts_of(text))
    return Markup("<br>".join(parts))  # noqa: S704 - the text is escaped


def _mark(found: re.Match[str]) -> str:
    code, option = found.groups()
    return f'<span class="option">{option}</span>' if code is None else f"<code>{code}</code>"


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
    environment.filters["style"] = Markup  # the program's own file: escaping would break it
    environment.globals |= {"say": say, "marked": _marked}
    return environment
