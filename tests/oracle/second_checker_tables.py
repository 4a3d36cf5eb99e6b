"""A second checker of witnesses about count tables, written from docs/reference/witness.md alone, for tiny series."""

import csv
import hashlib
import json
import math
import re
import tomllib
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pyarrow.parquet as pq

from tests.oracle.second_checker import NotShownError, require, same_json

INF = math.inf


def objection(folder, where, *, restate=False):
    """Return why a witness does not show all that it states, or ""; `restate`: state what is found instead."""
    try:
        statement, asked = (json.loads((where / f"{name}.json").read_text()) for name in ("statement", "questions"))
        require(statement["format"] == "series-audit witness of counts 1", "the format")
        series = Tables(Path(folder))
        for name, (content, rows) in series.read.items():
            require(statement["files"].get(name) == {"sha256": hashlib.sha256(content).hexdigest(), "rows": rows}, name)
        worlds = series.worlds(pq.read_table(where / "tables.parquet"))
        require(isinstance(statement["rests"], list), "rests")
        require([claim["claim"] for claim in statement["claims"]] == ["min_width", "min_count"], "the claims")
        for claim in statement["claims"]:
            found = series.judged(claim["claim"], asked, worlds)
            require(restate or same_json(found, claim), f"stated: {claim}, found: {found}")
            claim.update(found)
        if restate:
            (where / "statement.json").write_text(json.dumps(statement))
    except (NotShownError, KeyError, TypeError, ValueError, IndexError, OSError, AttributeError) as error:
        return repr(error)
    return ""


class Tables:
    """The published numbers of a series: the box of each, and the counts that it can stand for."""

    def __init__(self, folder):  # noqa: C901, PLR0912, PLR0915 - it reads line by line what the page lists
        self.folder, self.read = folder, {}
        content = (folder / "series.toml").read_bytes()
        self.read["series.toml"] = content, None
        manifest = tomllib.loads(content.decode())
        require(manifest["series"]["kind"] == "tables", "the kind")
        self.rules = rules = manifest["table"]
        ends = [high for _, high in rules.get("markers", {}).values() if high != INF]
        least = rules.get("threshold") or max(ends, default=0) + 1
        self.policy = {"min_width": 2, "min_count": least, **manifest.get("policy", {})}
        self.over = self.rules.get("over_time", "independent")
        nested, wide = self.rules.get("nested", {}), self.rules.get("wide")
        counts = rules.get("values") or [rules.get("value")]
        within = {part: around for part, around in rules.get("part_of", {}).items() if around}
        require(bool(within) == ("values" in rules))
        if within:
            [count] = [each for each in counts if each not in within]
            rules["totals"] = {**rules.get("totals", {}), "statistic": count}
            rules["open"] = [*rules.get("open", []), "statistic"]
        rows, self.ties, self.releases = [], [], 0  # release, labels, text
        labels = dict.fromkeys(rules["dimensions"])  # if there are no releases
        for release, name in enumerate(manifest["series"]["releases"]):
            self.releases += 1
            lines = self.table(name)
            for column, label in [(c, lab) for lab, c in wide["columns"].items()] if wide else [(c, c) for c in counts]:
                for read in lines:
                    line = {**read, column: self.hidden(read[column], read)}
                    labels = {d: line.get(d, "") for d in self.rules["dimensions"]}
                    labels |= {d: " > ".join(line[c] for c in columns if line[c]) for d, columns in nested.items()}
                    labels |= {wide["dimension"]: label} if wide else {}
                    labels |= {"statistic": label} if within else {}
                    totals = self.rules.get("totals", {})
                    labels = {d: "" if text == totals.get(d) else text for d, text in labels.items()}
                    rows.append((release, tuple(labels.values()), line[column], line))
        self.dimensions = [*labels]
        files = {d: self.table(name) for d, name in self.rules.get("categories", {}).items()}
        self.atoms, self.covers = [], []
        for at, d in enumerate(self.dimensions):
            shown = list(dict.fromkeys(row[1][at] for row in rows if row[1][at]))
            parts = {label: {label} for label in shown}
            if d in files:
                parts = defaultdict(set)
                for line in files[d]:
                    parts[line["label"]].add(line["atom"])
            elif within and d == "statistic":
                inside = [*overlaps([each for each in counts if each in within], within)]
                name = {some: " & ".join(some) if len(some) > 1 or sum(some[0] in each for each in inside) == 1 else
                        f"only {some[0]}" for some in inside}  # fmt: skip
                parts = {part: {name[some] for some in inside if part in some} for part in within}
            elif d in rules.get("codes", []):
                leaves = [label for label in shown if not any(x != label and x.startswith(label) for x in shown)]
                parts = {label: {leaf for leaf in leaves if leaf.startswith(label)} for label in shown}
            elif d in nested:
                leaves = [label for label in shown if not any(other.startswith(f"{label} > ") for other in shown)]
                parts = {a: {b for b in leaves if b == a or b.startswith(f"{a} > ")} for a in shown}
            atoms = {atom for each in parts.values() for atom in each}
            if d in self.rules.get("open", []) or not atoms:
                atoms.add("(rest)")
            self.atoms.append(frozenset(atoms))
            self.covers.append({"": frozenset(atoms), **{label: frozenset(each) for label, each in parts.items()}})
        self.rows = [(release, labels) for release, labels, *_ in rows]
        self.number, self.ends, self.hides = [], [], []  # release, labels of what shows something
        place = {}
        for release, labels, published, line in rows:
            text = published
            share = re.fullmatch(r"(.*?) *\(([0-9.]+) *%?\)", text)
            in_cell = isinstance(self.rules.get("rates"), dict) and self.rules["rates"]["column"] == self.rules.get(
                "value"
            )
            text, share = (share[1], share[2]) if share and in_cell else (text, None)
            if text in ("", *self.rules.get("not_published", [])):
                continue
            for flag in self.rules.get("flags", []):
                text = re.sub(rf"(?<=\d) *{re.escape(flag)}$", "", text)
            place.setdefault((release, labels), []).append(len(self.number))
            self.number.append((release, labels))
            low, high, many = self.interval(text)
            self.ends.append([low, high])
            self.hides.append(many)
            self.ties.append((line, share))
        self.narrow(place)
        self.shown = len(self.number)
        for release, labels in self.left_out() if rules.get("absent") == "zero" else ():
            self.number.append((release, labels))
            self.ends.append([*self.interval("0")[:2]])

    def table(self, name):
        content = (self.folder / name).read_bytes()
        lines = [[c.strip() for c in line] for line in csv.reader(content.decode("utf-8-sig").splitlines()) if line]
        self.read[name] = content, len(lines) - 1
        return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]

    def hidden(self, text, line):
        """The marker in the column of statuses, where it stands for a value; otherwise the value."""
        marker = line[self.rules["status"]] if "status" in self.rules else None
        if marker not in self.rules.get("markers", {}):
            return text
        low, high = self.rules["markers"][marker]
        return marker if not re.search(r"\d", text) or (low < high and self.rules.get("status_hides")) else text

    def left_out(self):
        """The release and labels of each row that is left out of a crossing."""
        tables = defaultdict(set)
        for release, labels in self.rows:
            tables[release, tuple(map(bool, labels))].add(labels)
        for (release, crossing), rows in tables.items():
            some = []
            for at, (d, inside) in enumerate(zip(self.dimensions, crossing, strict=True)):
                single = {label for _, every in self.rows if (label := every[at]) and len(self.covers[at][label]) == 1}
                files = d in {*self.rules.get("categories", {}), *self.rules.get("codes", [])}
                some.append({row[at] for row in rows} if files else single if inside else {""})
            ordered = [
                sorted(each, key=lambda label: label if isinstance(label, str) else " > ".join(label)) for each in some
            ]
            yield from ((release, labels) for labels in product(*ordered) if labels not in rows)

    def interval(self, text):
        """The counts that a text stands for, and whether it is a marker of several."""
        markers = self.rules.get("markers", {})
        if text in markers:
            low, high = markers[text]
            return low, high, low != high
        number = int(text)
        rounding, by = self.rules.get("rounding", {}), self.rules.get("perturbation", 0)
        b, how = rounding.get("to", 1), rounding.get("how")
        require(number % b == 0 or how == "midpoint")
        low, high = {
            None: (0, 0), "nearest": (-(b // 2), -(-b // 2) - 1), "even": (-(b // 2), b // 2), "down": (0, b - 1),
            "up": (1 - b, 0), "random": (1 - b, b - 1), "midpoint": (1 - b // 2, b // 2) if number else (0, 0),
        }[how]  # fmt: skip
        return *self.least(max(0, number + low - by), number + high + by, number=True), False

    def least(self, low, high, *, number):
        least = self.rules.get("threshold")
        if number and least and low >= 1:
            low = max(low, least)
        elif number and least and low == 0 and high < least:
            high = 0
        return low, high

    # -- rates and changes --

    def narrow(self, place):
        pairs = []
        rate, change = self.rules.get("rates"), self.rules.get("change")
        for at, (line, share) in enumerate(self.ties):
            release, labels = self.number[at]
            if rate:
                text = share if rate["column"] == self.rules.get("value") else line[rate["column"]]
                if not text or not re.fullmatch(r"[0-9]+(\.[0-9]+)? *%?", text):
                    continue
                text = text.strip("% ")
                if rate.get("of") == "published":
                    require(not self.hides[at], "a rate of what is not shown")
                    continue
                half = Fraction(1, 2 * 10 ** rate["decimals"])
                low, high = ((Fraction(text) + sign * half) / rate["per"] for sign in (-1, 1))
                if isinstance(rate["denominator"], str):
                    base = line[rate["denominator"]]
                    others = [[int(base), int(base)]] if base else []
                else:
                    totals = self.rules.get("totals", {})
                    said = {d: "" if lab == totals.get(d) else lab for d, lab in rate["denominator"].items()}
                    key = tuple(said.get(d, lab) for d, lab in zip(self.dimensions, labels, strict=True))
                    others = [n for n in place.get((release, key), []) if n != at]
                pairs += [(at, other, low, high, None) for other in others]
            if change and line[change["column"]]:
                others = place.get((release - change["since"], labels), [])
                pairs += [(at, other, None, None, int(line[change["column"]])) for other in others]
        before = None
        while before != self.ends:
            before = [[*each] for each in self.ends]
            for at, other, low, high, by in pairs:
                mine = self.ends[at]
                base = other if isinstance(other, list) else self.ends[other]
                back = (lambda n, x=by: (n - x, n - x)) if low is None else (
                    lambda n, x=low, y=high: (math.ceil(n / y), math.floor(n / x) if x > 0 else INF))  # fmt: skip
                forth = (lambda n, x=by: (n + x, n + x)) if low is None else (
                    lambda n, x=low, y=high: (math.ceil(n * x), math.floor(n * y)))  # fmt: skip
                for ends, others, fits, index in ((mine, base, back, at), (base, mine, forth, other)):
                    good = [n for n in values(ends) if max(fits(n)[0], others[0]) <= min(fits(n)[1], others[1])]
                    require(good, "no pair fits")
                    found = min(good), (INF if ends[1] == INF and max(good) == max(values(ends)) else max(good))
                    number = isinstance(index, int) and not self.hides[index]
                    ends[:] = self.least(*found, number=number)

    # -- tables, questions, proofs --

    def periods(self, period, since=-1):
        return {"same": [0], "independent": [period]}.get(self.over) or [*range(since + 1, period + 1)]

    def period(self, release):
        return 0 if self.over == "same" else release

    def box(self, labels):
        return tuple(cover[label] for cover, label in zip(self.covers, labels, strict=True))

    def worlds(self, table):
        names = [name for name in table.column_names if name not in (*self.dimensions, "(period)")]
        require(len(table.column_names) == len(names) + len(self.dimensions) + 1, "columns")
        require(names and names == [f"table_{at}" for at in range(len(names))], "columns of tables")
        worlds = [defaultdict(int) for _ in names]
        for line in table.to_pylist():
            cell = (*(line[d] for d in self.dimensions), line["(period)"])
            require(all(atom in atoms for atom, atoms in zip(cell, self.atoms, strict=False)), "an atom")
            require(0 <= cell[-1] < (1 if self.over == "same" else self.releases), "a period")
            for name, world in zip(names, worlds, strict=True):
                require(type(line[name]) is int and line[name] >= 0 and cell not in world, "a count")
                world[cell] = line[name]
        for world in worlds:
            for (release, labels), (low, high) in zip(self.number, self.ends, strict=True):
                require(
                    low <= self.count(world, self.box(labels), self.periods(self.period(release))) <= high, "a number"
                )
        return worlds

    def count(self, world, box, periods):
        return sum(world[cell] for cell in world if cell[-1] in periods and all(map(contains, box, cell)))

    def asked(self, rule):
        """The questions that a rule needs: period, earlier period, box."""
        texts, released = defaultdict(list), defaultdict(list)
        for (release, labels), hides in zip(self.number[: self.shown], self.hides, strict=True):
            texts[self.period(release), labels].append(hides)
        for release, labels in [*self.rows, *self.number[self.shown :]]:
            released[self.period(release)].append(labels)
        if rule == "min_width":
            return {(period, -1, self.box(labels)) for (period, labels), hides in texts.items() if all(hides)}
        found = {(period, -1, self.box(labels)) for (period, labels), hides in texts.items() if not all(hides)}
        every = [labels for each in released.values() for labels in each]
        for period, shown in released.items():
            published = {self.box(labels) for at, labels in texts if at == period}
            derived = set()
            for crossing in {tuple(bool(label) for label in labels) for labels in shown}:
                kinds = [
                    self.sets(at, shown, shown if self.over == "independent" else every) if inside else {self.atoms[at]}
                    for at, inside in enumerate(crossing)
                ]
                derived |= {*product(*kinds)} - published
            found |= {(period, -1, box) for box in derived}
            if self.over == "cumulative" and period:
                found |= {(period, period - 1, box) for box in derived | published}
        return found

    def sets(self, at, shown, every):
        labels = {self.covers[at][labels[at]] for labels in shown if labels[at]}
        told = {self.covers[at][labels[at]] for labels in every}
        looks = defaultdict(set)
        for atom in self.atoms[at]:
            looks[frozenset(each for each in told if atom in each)].add(atom)
        whole = self.atoms[at]
        d = self.dimensions[at]
        total = {whole} if self.rules.get("totals", {}).get(d) or d in self.rules.get("nested", {}) else set()
        some = labels | total
        found = {frozenset(each) for each in looks.values()} | labels
        found |= {a & b for a in some for b in some} | {a - b for a in some for b in some}
        keep = whole in labels or not total
        return {each for each in found if each and (each != whole or keep)}

    def judged(self, rule, asked, worlds):
        limit, findings, settled = self.policy[rule], 0, 0
        boxes = []
        for period, since, *places in asked[rule]:
            require(0 <= period < (1 if self.over == "same" else self.releases) and -1 <= since < period, "a period")
            require(since == -1 or self.over == "cumulative", "an increase")
            boxes.append((period, since, self.sets_of(asked, places)))
        require(len({*boxes}) == len(boxes), "a box twice")
        needed = self.asked(rule)
        require(needed == {*boxes} if rule == "min_width" else needed <= {*boxes}, f"questions {needed - {*boxes}}")
        bounds = [[0, INF] for _ in boxes]
        for number, upper, value, proof in asked["proofs"][rule]:
            require(type(number) is type(value) is int and type(upper) is bool, "the parts of a bound")
            require(0 <= number < len(boxes) and abs(value) < 2**40, "a question")
            self.prove(boxes[number], upper, value, proof, asked, [])
            bounds[number][upper] = (min if upper else max)(bounds[number][upper], value)
        for (period, since, box), (low, high) in zip(boxes, bounds, strict=True):
            counts = [self.count(world, box, self.periods(period, since)) for world in worlds]
            least, most = min(counts), max(counts)
            width, known = most - least + 1, high - low + 1
            if rule == "min_width":
                good, bad = width >= limit, known < limit
            else:
                good = least == 0 or most >= limit or width >= max(2, limit - 1)
                bad = low >= 1 and high < limit and (known == 1 or known < limit - 1)
            settled, findings = settled + good, findings + bad
        return {"claim": rule, "limit": limit, "questions": len(boxes), "settled": settled, "findings": findings}

    def sets_of(self, asked, places):
        every = zip(self.dimensions, self.atoms, strict=True)
        require(all({*some} <= atoms for d, atoms in every for some in asked["sets"][d]), "an atom of a set")
        require(len(places) == len(self.dimensions) and min(places) >= 0, "places")
        found = tuple(frozenset(asked["sets"][d][at]) for d, at in zip(self.dimensions, places, strict=True))
        require(all(each and each <= atoms for each, atoms in zip(found, self.atoms, strict=True)), "a set")
        return found

    def prove(self, question, upper, value, proof, asked, cases):
        """Check a bound of a question; `cases` are boxes with their ends, the outermost first."""
        if "box" in proof:
            period, since, *places = proof["box"]
            box = (period, since, self.sets_of(asked, places))
            self.prove(question, upper, value, proof["below"], asked, [*cases, (box, 0, proof["at"])])
            self.prove(question, upper, value, proof["above"], asked, [*cases, (box, proof["at"] + 1, INF)])
            return
        impossible = proof.get("impossible", False)
        around, total = defaultdict(Fraction), Fraction(0)
        sign = 1 if upper or impossible else -1
        for number, top, bottom in proof["sum"]:
            require(all(type(each) is int for each in (number, top, bottom)) and bottom > 0, "a weight")
            weight = Fraction(top, bottom)
            if number >= 0:
                (release, labels), (low, high) = self.number[number], self.ends[number]
                box, periods = self.box(labels), self.periods(self.period(release))
            else:
                ((period, since, box), low, high) = cases[-number - 1]
                periods = self.periods(period, since)
            end = high if sign * weight > 0 else low
            require(end != INF or not weight, "no end")
            total += weight * (end if weight else 0)
            for cell in product(*box, periods):
                around[cell] += weight
        period, since, box = question
        wanted = set() if impossible else {*product(*box, self.periods(period, since))}
        require(all(sign * around[cell] >= (cell in wanted) for cell in {*around} | wanted) if sign > 0 else
                all(around[cell] <= (cell in wanted) for cell in {*around} | wanted), "weights")  # fmt: skip
        require(
            total < 0 if impossible else math.floor(total) <= value if upper else math.ceil(total) >= value, "a bound"
        )


def overlaps(parts, within):
    """The ways in which parts can overlap: each part stands beside all that it is part of, but the whole."""
    for size in range(1, len(parts) + 1):
        for some in combinations(parts, size):
            if all(within[part] in some or within[part] not in within for part in some):
                yield some


def contains(some, atom):
    return atom in some


def values(ends):
    """The whole numbers of an interval; of one without an upper end the first thousand."""
    return range(ends[0], (ends[0] + 1000 if ends[1] == INF else ends[1]) + 1)
