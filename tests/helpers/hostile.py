"""Make hostile reports from real ones by spoiling every name."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from audit.model.report import AttackReport, ClauseReport, Undecided

HOSTILE = (
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    '"><img src=x onerror=alert(2)>',
    "\n# A heading\n\n* item",
    "\x1b[31mred\x1b[0m\x07\x7f\x9b",
    "\u202eevil\u202c\u2066\u2069",
    "[a link](javascript:alert(3))",
    "![i](http://a.example/x.png) www.a.example https://a.example me@a.example",
    "`a` ``b`` | c \\| d \\",
    "| --- | ~~e~~ **f** _g_ <http://a.example> &lt;h&gt; &#60;",
    "- a",
    "1. b",
    "---",
    "    indented",
    "{0} {{1}} $x$ :smile: @somebody #1",
    "\u2028\u2029\u0085\r\n",
)
_THEIRS = {"name", "releases", "individual", "record", "release", "value", "group", "groups", "candidates", "feasible"}
_THEIRS |= {"rows", "holders", "values", "left", "right", "description", "cells", "sensitive", "nobody", "reason"}


class Spoiler:
    """Puts hostile words before each name, consistently; `path` keeps the file of its release."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}

    def word(self, text: str) -> str:
        return self.seen.setdefault(text, f"{HOSTILE[len(self.seen) % len(HOSTILE)]}{text}")

    def everything(self, value: Any, *, theirs: bool = False) -> Any:
        """Spoil all texts from a user's files in a report or a part of it."""
        if is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value) if field.init]
            said = {"reason"} if isinstance(value, AttackReport | ClauseReport | Undecided) else set()  # our own words
            changed = {name: self.everything(getattr(value, name), theirs=name in _THEIRS - said) for name in names}
            return replace(value, **changed)
        if isinstance(value, str):
            return self.word(value) if theirs else value
        if isinstance(value, Mapping) and theirs:
            return {self.word(key): self.everything(inner, theirs=True) for key, inner in value.items()}
        if isinstance(value, tuple):
            return tuple(self.everything(inner, theirs=theirs) for inner in value)
        return value
