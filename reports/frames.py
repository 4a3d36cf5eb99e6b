"""Frames: a page of blocks and its data, in every format that a command offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from reports import html, markdown
from reports.escaping import as_json
from reports.json_values import json_object
from reports.page import Page
from reports.text import PAPER

T = TypeVar("T")
FORMS = ("text", "json", "markdown", "html")
"""The names of these formats."""


def frames(
    page: Callable[[T], Page], document: Callable[[T], object] = lambda answer: answer
) -> Mapping[str, Callable[[T], str]]:
    """Return the formats of an answer by name: its page as text, Markdown or HTML, its document as JSON."""
    return {
        "text": lambda answer: PAPER.get().drawn(page(answer)),
        "json": lambda answer: as_json(json_object(document(answer))),
        "markdown": lambda answer: markdown.drawn(page(answer)),
        "html": lambda answer: html.drawn(page(answer)),
    }
