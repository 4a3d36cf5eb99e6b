"""People in findings: each once, with every attack that finds something of the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audit.adversary.view import View
from audit.judgement.ladder import certain_people
from audit.judgement.selection import claims_of
from audit.model.report import FoundPerson
from audit.model.scored import Result


def found_people(results: Sequence[Result[View]], limits: Mapping[str, float]) -> tuple[FoundPerson, ...]:
    """Return the people in findings that are shown, each once for each attribute, in the order of the findings.

    The reasons are all attacks by which a value of the person is certain, or reaches a limit, whether or not that
    finding is shown.
    """
    ids: dict[tuple[str | None, int], list[str]] = {}
    names: dict[int, str] = {}
    for entry in results:
        for finding, shown in zip(entry.found, entry.shown, strict=True):
            if (person := finding.person) is not None:
                ids.setdefault((entry.sensitive, person), []).append(shown.id)
                names.setdefault(person, str(getattr(shown, "individual", "")))
    reasons: dict[tuple[str | None, int], list[str]] = {key: [] for key in ids}
    for entry in results:
        people = [certain_people(entry), *(each.person for each in claims_of(entry, limits))]
        wanted = np.array([person for sensitive, person in ids if sensitive == entry.sensitive], dtype=np.int64)
        for some in people:
            for person in [] if some is None else wanted[np.isin(wanted, some)].tolist():
                mine = reasons[entry.sensitive, person]
                if entry.attack.name not in mine:
                    mine.append(entry.attack.name)
    return tuple(
        FoundPerson(names[person], sensitive, tuple(reasons[sensitive, person]), tuple(found))
        for (sensitive, person), found in ids.items()
    )
