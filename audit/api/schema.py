"""The JSON Schema of all results: `python -m audit.api.schema` writes the file that ships with it."""

from __future__ import annotations

import json
from typing import Any, cast

from reports.schema import WRITTEN


def schema() -> dict[str, Any]:
    """Return the JSON Schema of all results; `#/$defs` has one for each kind.

    >>> schema()["$id"]
    'urn:series-audit:results:2'
    """
    found: dict[str, Any] = json.loads(WRITTEN.read_text(encoding="utf-8"))
    return found


def as_text() -> str:
    """Return the text of the schema file, a line for each definition, generated from the types of results."""
    from attacks.differencing.attack import Differencing
    from attacks.registry import ATTACKS
    from reports.schema.types import results_schema

    own = {name: cast("Any", ATTACKS.load(name)) for name in ATTACKS.own}
    attacks = {name: (attack.measures, [*attack.rules]) for name, attack in own.items()}
    found = results_schema(attacks, Differencing.name)
    lines = [f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found["$defs"].items()]
    head = json.dumps({**found, "$defs": {}}, ensure_ascii=False).removesuffix("{}}")
    return f"{head}{{\n" + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    WRITTEN.write_text(as_text(), encoding="utf-8", newline="\n")
