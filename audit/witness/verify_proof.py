"""Check a pseudo-Boolean proof of findings, which VeriPB reads, too: `findings.opb` and `findings.pbp`.

`verify.py` runs this file, which must be in the same folder. The formula must be that of the series, so that its
consequences hold for the series. Each line of the proof is a sum of constraints (`pol`), a clause whose negation
contradicts a single constraint (`rup`), or a world (`v`). A constraint is a whole number for each variable, and the
least value of their sum. A line that does not follow raises `ValueError`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Filed: TypeAlias = Any  # as read by `verify.py`, which is not imported
Constraint: TypeAlias = tuple[dict[int, int], int]
HEAD = "pseudo-Boolean proof version 1.1"


class Formula:
    """The formula of a series: a variable for each person and each value of a group of the person.

    `variable` numbers the variables from 1, `person` holds the variables of each person, `of` the person of each
    variable. Constraint 1 + 2 * person says that the person has a value; `cap` holds the number of the constraint on
    how many people of a group have a value.
    """

    def __init__(self, series: Filed) -> None:
        if series.may is not None:
            raise NotImplementedError("pseudo-Boolean proofs if values change")
        self.variable, self.person, self.of = dict[tuple[int, int], int](), list[list[int]](), dict[int, int]()
        self.constraints, self.cap = list[tuple[list[int], int]](), dict[tuple[int, int], int]()
        members: list[list[int]] = [[] for _ in series.held]
        for person, home in enumerate(series.home.T.tolist()):
            groups = [group for group in home if group >= 0]
            for group in groups:
                members[group].append(person)
            mine = np.flatnonzero(series.held[groups].any(axis=0)).tolist()
            start = len(self.variable) + 1
            self.variable |= {(person, value): start + at for at, value in enumerate(mine)}
            self.person.append([*range(start, start + len(mine))])
            self.of |= dict.fromkeys(self.person[-1], person)
            self.add(self.person[-1], 1)
            self.add([-each for each in self.person[-1]], len(mine) - 1)
        for person, known in enumerate(series.known.max(axis=0, initial=-1).tolist()):
            if known >= 0:
                self.add([self.variable[person, known]], 1)
                others = [each for each in self.person[person] if each != self.variable[person, known]]
                self.add([-each for each in others], len(others))
        for group, people in enumerate(members):
            held, never = series.held[group], list[int]()
            for value in range(len(held)):
                some = [-self.variable[each, value] for each in people if (each, value) in self.variable]
                if held[value]:
                    self.cap[group, value] = len(self.constraints) + 1
                    self.add(some, max(0, len(some) - int(held[value])))
                else:
                    never += some
            if never:
                self.add(never, len(never))

    def add(self, literals: list[int], least: int) -> None:
        """Add the constraint that at least `least` literals are true; a negated variable is its negative number."""
        self.constraints.append((literals, least))

    def alike(self, series: Filed, person: int, attribute: int) -> dict[str, frozenset[int]]:
        """Return the variables of a person, grouped by the value of an attribute."""
        found: dict[str, frozenset[int]] = {}
        for value, says in enumerate(series.values):
            if number := self.variable.get((person, value)):
                found[says[attribute]] = found.get(says[attribute], frozenset()) | {number}
        return found

    def text(self) -> str:
        """Return the formula in the OPB format."""
        lines = [f"* #variable= {len(self.variable)} #constraint= {len(self.constraints)}"]
        for literals, least in self.constraints:
            lines.append(f"{' '.join(f'+1 {named(each)}' for each in literals)} >= {least} ;".lstrip())
        return "\n".join([*lines, ""])


def named(literal: int) -> str:
    """Return a literal as written in files."""
    return f"x{literal}" if literal > 0 else f"~x{-literal}"


def literal(text: str) -> int:
    """Return the literal of a text in a file."""
    return -literal(text[1:]) if text[0] == "~" else int(text.removeprefix("x"))


class Derivation:
    """Checks a proof line by line; keeps what it derives: `clauses`, and variables of people with one value left."""

    def __init__(self, formula: Formula) -> None:
        self.formula, self.clauses, self.fixed = formula, set[frozenset[int]](), dict[int, int]()
        self.first, self.derived = len(formula.constraints), dict[int, Constraint]()
        self.numbers, self.spare = self.first, 0
        self.last: Constraint = ({}, 0)
        self.worlds = list[set[int]]()
        for literals, least in formula.constraints:
            if least == len(literals):  # all literals are true
                self.fixed |= {abs(each): int(each > 0) for each in literals}

    def constraint(self, number: int) -> Constraint:
        """Return a constraint by its number."""
        if not 0 < number <= self.first:
            some, least = self.derived[number]
            return dict(some), least
        literals, least = self.formula.constraints[number - 1]
        return {abs(each): 1 if each > 0 else -1 for each in literals}, least - sum(each < 0 for each in literals)

    def spare_of(self, constraint: Constraint) -> int:
        """Return the greatest slack of a constraint, given the fixed variables."""
        some, least = constraint
        most = (max(a, 0) if (value := self.fixed.get(x)) is None else a * value for x, a in some.items())
        return sum(most) - least

    def line(self, line: str) -> None:
        """Check one line, and add what it derives."""
        rule, *words = line.split()
        if rule == "pol":
            self.last = self.derived[self.numbers + 1] = self.sum_of(words)
            self.spare = self.spare_of(self.last)
        elif rule == "rup":
            self.clause(words)
        elif rule == "v":
            self.world({literal(word) for word in words})
        else:
            raise ValueError(f"findings.pbp has the unknown rule {rule}")
        self.numbers += 1

    def sum_of(self, words: list[str]) -> Constraint:
        """Return the sum of a line in reverse Polish notation: constraints, `number *`, and `+`."""
        stack = list[Constraint]()
        for word, after in zip(words, [*words[1:], ""], strict=True):
            if word == "+":
                (other, more), (some, least) = stack.pop(), stack.pop()
                for x, a in other.items():
                    some[x] = some.get(x, 0) + a
                stack.append((some, least + more))
            elif after != "*" and word != "*":
                stack.append(self.constraint(int(word)))
            elif after == "*":
                (some, least), times = stack.pop(), int(word)
                if times < 0:
                    raise ValueError("findings.pbp takes a constraint a negative number of times")
                stack.append(({x: a * times for x, a in some.items()}, least * times))
        [found] = stack
        return found

    def clause(self, words: list[str]) -> None:
        """Derive that one of some literals is true: otherwise the last sum fails, or a person has no value."""
        literals = [literal(word) for word in words[1:-3:2]]
        text = " ".join(f"1 {named(each)}" for each in literals)
        if len({*map(abs, literals)}) != len(literals) or not literals or " ".join(words) != f"{text} >= 1 ;":
            raise ValueError("a clause of findings.pbp has another form")
        some, _ = self.last
        lost = sum(abs(a) for each in literals if (a := some.get(abs(each), 0)) * each > 0)
        fails = lost > self.spare and not any(abs(each) in self.fixed for each in literals)
        if not fails and not self.leaves_none(literals):
            raise ValueError("a clause of findings.pbp does not follow")
        self.clauses.add(frozenset(literals))
        if len(literals) == 1:
            self.fixed[abs(literals[0])] = int(literals[0] > 0)

    def leaves_none(self, literals: list[int]) -> bool:
        """Return whether a person has no possible value if some literals are false."""
        number = self.formula.of.get(literals[0])
        left = () if number is None else self.formula.person[number]
        return number is not None and all(x in literals or self.fixed.get(x) == 0 for x in left)

    def world(self, literals: set[int]) -> None:
        """Add a world, given the one true variable of each person; it must satisfy the formula, and be new."""
        if literals in self.worlds:
            raise ValueError("findings.pbp has a world twice")
        self.worlds.append(literals)
        for some, least in self.formula.constraints:
            if sum(each in literals or (each < 0 and -each not in literals) for each in some) < least:
                raise ValueError("a world of findings.pbp does not fit the formula")


def findings(series: Filed, formula: Formula, lines: list[str], sensitive: str) -> dict[str, int]:
    """Return how many judged people have a derived attribute: all their variables give one value."""
    head, count, *rest = lines
    if (head, count) != (HEAD, f"f {len(formula.constraints)}"):
        raise ValueError("findings.pbp has another form")
    proof, at, found = Derivation(formula), series.sensitive.index(sensitive), 0
    for line in rest:
        proof.line(line)
    for person in np.flatnonzero(series.judged.any(axis=0)).tolist():
        found += not proof.clauses.isdisjoint(formula.alike(series, person, at).values())
    return {"people": found}


def claimed(series: Filed, witness: Path, sensitive: str) -> dict[str, int]:
    """Return that number from the files of a witness."""
    formula = Formula(series)
    if (witness / "findings.opb").read_text("utf-8") != formula.text():
        raise ValueError("findings.opb is not the formula of the series")
    return findings(series, formula, (witness / "findings.pbp").read_text("utf-8").splitlines(), sensitive)
