"""People of whom something is found: each once, with every attack that finds it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.adversary.view import View
from audit.judgement.findings import AnySelection
from audit.judgement.ladder import certain_people
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.risk_findings import RiskSelection
from audit.model.outcome import AttributeDisclosure, EquivalenceFinding
from audit.model.report import FoundPerson
from audit.model.scored import Judged

Selected = tuple[AnySelection | None, RiskSelection | None]


def found_people(
    judged: Sequence[tuple[View, Judged]], selected: Sequence[Selected], namer: Pseudonymizer
) -> tuple[FoundPerson, ...]:
    """Return those of whom some finding was selected, each once for each attribute, in the order of the findings.

    The reasons are all attacks by which a value of the person is found, whether or not that finding was selected.
    """
    ids: dict[tuple[str | None, int], list[str]] = {}
    names: dict[int, str] = {}
    for (seen, entry), (selection, risks) in zip(judged, selected, strict=True):
        found = [] if selection is None else [(ident, person_of(finding)) for ident, finding in selection.selected]
        found += [] if risks is None else risks.selected
        for ident, person in found:
            if person is not None:
                ids.setdefault((entry.sensitive, person), []).append(ident)
                names[person] = names.get(person) or namer.display_name("person", seen.name(person))
    reasons: dict[tuple[str | None, int], list[str]] = {key: [] for key in ids}
    for (_, entry), (_, risks) in zip(judged, selected, strict=True):
        certain = certain_people(entry)
        people = [] if certain is None else [certain]
        people += [] if risks is None else [risks.risks.person[risks.places]]
        wanted = np.array([person for sensitive, person in ids if sensitive == entry.sensitive], dtype=np.int64)
        for some in people:
            for person in wanted[np.isin(wanted, some)].tolist():
                mine = reasons[entry.sensitive, person]
                if entry.attack.name not in mine:
                    mine.append(entry.attack.name)
    return tuple(
        FoundPerson(names[person], sensitive, tuple(reasons[sensitive, person]), tuple(found))
        for (sensitive, person), found in ids.items()
    )


def person_of(finding: object) -> int | None:
    """Return whose value a finding tells; None where it tells no single person's."""
    if isinstance(finding, AttributeDisclosure):
        return finding.person
    if isinstance(finding, EquivalenceFinding) and finding.value is not None:
        who = finding.left[0][0]
        return who if isinstance(who, int) else None
    return None
