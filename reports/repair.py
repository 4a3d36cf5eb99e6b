"""What a repair came to, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.model.errors import printable
from audit.model.repair import Move, Repair
from audit.model.words import plural
from reports import json as report_json
from reports.escaping import as_json as dumped
from reports.finding_text import sentence as finding_sentence
from reports.sentences import headline, reasons

_SHOWN = 12


def text(repair: Repair) -> str:
    """Return the repair for reading, with a final line break."""
    return "".join(f"{line}\n" for line in _lines(repair))


def _lines(repair: Repair) -> Iterator[str]:
    tag = printable(repair.candidate)
    if repair.refused is not None:
        yield f"NO REPAIR of release {tag}: {repair.refused}."
        yield f"The series with the candidate as it is: {headline(repair.after)[0]}"
        yield from (f"  {line}" for line in reasons(repair.after))
        yield f"The series before it: {headline(repair.before)[0]}"
        yield from (f"  {line}" for line in reasons(repair.before))
        found = [(each, finding) for each in repair.before.attacks for finding in each.findings]
        for each, finding in found[:_SHOWN]:
            yield f"  {each.attack}: {finding_sentence(finding, by_version=each.attack != 'intersection')}"
        if len(found) > _SHOWN:
            yield f"  {len(found) - _SHOWN:,} more findings: audit the series"
        if repair.before.policy.violations:
            yield "What is published cannot be undone. With --baseline the candidate only has to add nothing to that."
        return
    if not repair.moves:
        yield f"Release {tag} keeps the policy as it is; nothing was changed."
    else:
        changes = plural(len(repair.moves), "change")
        yield f"Release {tag} keeps the policy after {changes}; {repair.lost:.1%} of its information is lost:"
        yield from (f"  {sentence(move)}" for move in repair.moves)
    yield f"{headline(repair.after)[0]}"
    yield f"Written, and audited as written: {', '.join(printable(path, 200) for path in repair.files)}"
    yield "A key beside it, in private/, is not for publication."


def short(repair: Repair) -> str:
    """Return the changes of a repair in one sentence, with what they lose together."""
    told = [change(move) for move in repair.moves[:_SHOWN]]
    if len(repair.moves) > _SHOWN:
        told.append(f"and {len(repair.moves) - _SHOWN:,} changes more")
    return f"{', '.join(told)}: {repair.lost:.1%} of the information"


def sentence(move: Move) -> str:
    """Return what one change is, and what it loses.

    >>> sentence(Move("merge", ("12", "48"), (), 2.5))
    "merge groups 12 and 48: 2.5 rows' worth of information"
    """
    return f"{change(move)}: {move.cost:.3g} rows' worth of information"


def change(move: Move) -> str:
    """Return what one change is.

    >>> change(Move("withhold", (), (1320,), 1.0))
    'withhold line 1,320'
    """
    lines = f"{'line' if len(move.lines) == 1 else 'lines'} {_listed([f'{n:,}' for n in move.lines])}"
    names = _listed(move.groups)
    if move.kind == "merge":
        return f"merge groups {names}"
    if move.kind == "move":
        return f"move {lines} from group {printable(move.groups[0])} to group {printable(move.groups[1])}"
    if move.kind == "coarsen":
        return f"coarsen {printable(move.column or '')} of group {names}"
    if move.kind == "counterfeit":
        return f"add a counterfeit to group {names}"
    return f"withhold {lines}"


def _listed(texts: Sequence[str]) -> str:
    shown = [printable(each) for each in texts[:_SHOWN]]
    if len(texts) > _SHOWN:
        return f"{', '.join(shown)} and {len(texts) - _SHOWN:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def as_json(repair: Repair) -> str:
    """Return the repair as indented JSON with a final line break."""
    return dumped(
        {
            "candidate": repair.candidate,
            "refused": repair.refused,
            **changes(repair),
            "files": list(repair.files),
            "before": report_json.document(repair.before),
            "after": report_json.document(repair.after),
        }
    )


def changes(repair: Repair) -> dict[str, object]:
    """Return the changes of a repair, and what they lose, as entries of a JSON object."""
    return {
        "moves": [
            {
                "kind": move.kind,
                "groups": list(move.groups),
                "lines": list(move.lines),
                "column": move.column,
                "cost": move.cost,
            }
            for move in repair.moves
        ],
        "information_lost": repair.lost,
        "audits": repair.audits,
    }
