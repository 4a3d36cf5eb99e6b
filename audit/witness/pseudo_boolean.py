"""Write the formula of a series and a proof of findings, in the formats of VeriPB and of the checker of proofs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audit.model.arrays import Integers
from audit.witness.points import Step
from audit.witness.verify import Published
from audit.witness.verify_points import Left
from audit.witness.verify_proof import HEAD, Formula, named


def proof_lines(series: Published, formula: Formula, worlds: Integers, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a proof: sums of constraints, the values that each rules out, certain values, and worlds.

    Args:
        series: the series as the checkers read it.
        formula: the formula of the series.
        worlds: the stated worlds; shape (worlds, 1, people).
        steps: the points that prove what no world contains.
    """
    yield from (HEAD, f"f {len(formula.constraints)}")
    left, numbers = Left(series), np.arange(len(series.values))
    for step in steps:
        before = left.values[0].copy()
        left.step(step, numbers)
        yield _sum(series, formula, step, before)
        for person, value in np.argwhere(before & ~left.values[0]).tolist():
            yield f"rup 1 {named(-formula.variable[person, value])} >= 1 ;"
    for at in range(len(series.sensitive)):
        for person in np.flatnonzero(series.judged.any(axis=0)).tolist():
            mine = {formula.variable[person, value] for value in np.flatnonzero(left.values[0, person]).tolist()}
            for some in formula.alike(series, person, at).values():
                if mine <= some:
                    yield f"rup {' '.join(f'1 {named(each)}' for each in sorted(some))} >= 1 ;"
    for world in worlds[:, 0]:
        yield f"v {' '.join(named(formula.variable[each]) for each in enumerate(world.tolist()))}"


def _sum(series: Published, formula: Formula, step: Step, left: Integers) -> str:
    """Return the sum of constraints of a step: the points of rows, minus the least that each person spends."""
    price = {(int(series.first[at] + series.group[at][row]), value): points for at, row, value, points in step}
    price = {each: points for each, points in price.items() if each in formula.cap}  # the person has no other row
    parts = [f"{formula.cap[each]} {points} *" for each, points in price.items()]
    groups = sorted({group for group, _ in price})
    for person in np.flatnonzero(np.isin(series.home, groups).any(axis=0)).tolist():
        home, values = series.home[:, person].tolist(), np.flatnonzero(left[person]).tolist()
        if least := min(sum(price.get((group, value), 0) for group in home) for value in values):
            parts.append(f"{1 + 2 * person} {least} *")
    return " ".join(["pol", parts[0], *(f"{each} +" for each in parts[1:])])
