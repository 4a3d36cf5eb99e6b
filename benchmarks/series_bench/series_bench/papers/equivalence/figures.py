"""Figures 6 to 10 of the equivalence paper."""

from __future__ import annotations

from series_bench.papers.equivalence.experiments import EquivalenceRun, EquivalenceSetting, plan
from series_bench.papers.figure import (
    Claim,
    Entry,
    NumberedFigures,
    PaperFigure,
    all_of,
    at_most,
    curves,
    falls,
    mean,
    percent,
    rises,
    steady,
)


class EquivalenceFigures(NumberedFigures[EquivalenceSetting, EquivalenceRun]):
    """What was found, by what was wanted."""

    @staticmethod
    def wanted(run: Entry) -> EquivalenceRun:
        """Return what a run of `series_bench.papers.equivalence.experiments` was wanted for."""
        return EquivalenceRun(run["measure"], run["method"], run["m"], run["e"], run["slope"])

    def figure_6(self) -> PaperFigure:
        """People compromised over time."""
        lines = {(each.method, each.m): self._list(each, "timeline") for each in plan([6], self.setting)}
        named = {f"{method}, m = {m}": line for (method, m), line in lines.items()}
        chart = curves("People compromised after each release", self._releases(), named, axes=("release", "people"))
        fine = [line for (method, _), line in lines.items() if method == "m-invariance"]
        safe = [line for (method, _), line in lines.items() if method == "e-equivalence"]
        merged = [line for (method, _), line in lines.items() if method == "merged"]
        claims = [
            Claim(
                "m-invariant series compromise more people with every release", all_of([rises(each) for each in fine])
            ),
            Claim(
                "merging partitions compromises fewer",
                all_of([_below(some, more) for some, more in zip(merged, fine, strict=False)]),
            ),
            Claim("e-equivalent series compromise nobody", at_most([value for each in safe for value in each], 0)),
        ]
        note = (
            "The paper's search stops at the fifth release; here all are searched: complete for e = 1, and from below "
            "for fine groups beyond."
        )
        return PaperFigure(
            "Figure 6", f"tuples compromised (e < {self.setting.side}) against time", chart, claims, note
        )

    def figure_7(self) -> PaperFigure:
        """Counterfeits over time."""
        some = {_named(each): self._list(each, "counterfeits") for each in plan([7], self.setting)}
        chart = curves("Counterfeits of each release", self._releases(), some, axes=("release", "rows"))
        every = [value for values in some.values() for value in values]
        plain, *safe = some.values()
        claims = [
            Claim(
                "e-equivalence uses more than m-invariance",
                all_of([_below(plain, each) for each in safe]),
                "its buckets are not split, and with few counterfeits chance decides",
            ),
            Claim("well under 100 in a release", at_most(every, 100), "people here are others than the paper's"),
        ]
        return PaperFigure("Figure 7", f"counterfeits with random updates (m = {self.setting.m})", chart, claims)

    def figure_8(self) -> PaperFigure:
        """Counterfeits by skewness."""
        wanted = plan([8], self.setting)
        by_method = {
            method: [mean(self._list(each, "counterfeits")) for each in wanted if each.method == method]
            for method in ("m-invariance", "e-equivalence")
        }
        chart = curves("Mean counterfeits of a release", self.setting.slopes, by_method, axes=("slope", "rows"))
        low = [
            values[place]
            for values in by_method.values()
            for place, slope in enumerate(self.setting.slopes)
            if slope < 9
        ]
        claims = [
            Claim(
                "none by either below a slope of 9", at_most(low, 0), "small batches have too few rows for each value"
            )
        ]
        return PaperFigure("Figure 8", f"counterfeits with skewed updates (m = {self.setting.m})", chart, claims)

    def figure_9(self) -> PaperFigure:
        """Query errors by selectivity."""
        by_method = {
            _named(each): percent([mean(self._errors(each, theta)) for theta in self.setting.thetas])
            for each in plan([9], self.setting)
        }
        chart = curves("Query error", self.setting.thetas, by_method, axes=("θ", "percent"))
        columns = [list(column) for column in zip(*by_method.values(), strict=True)]
        claims = [
            Claim(
                "the error is larger for more selective queries", all_of([falls(each) for each in by_method.values()])
            ),
            Claim("the methods do not differ significantly", steady(columns)),
        ]
        return PaperFigure("Figure 9", f"selectivity against error (m = {self.setting.m})", chart, claims)

    def figure_10(self) -> PaperFigure:
        """Seconds by e."""
        some = {_named(each): self.runs.get(each, {}).get("seconds") for each in plan([10], self.setting)}
        chart = curves("Seconds of a release", list(some), {"seconds": list(some.values())}, axes=("method", "s"))
        plain, *safe = some.values()
        slower = None if plain is None else all_of([None if each is None else each >= plain for each in safe])
        why = "here its buckets need not be split into groups, and fewer cells are written"
        return PaperFigure(
            "Figure 10", "elapsed time against e", chart, [Claim("e-equivalence is slightly slower", slower, why)]
        )

    def _releases(self) -> range:
        return range(1, self.setting.snapshots + 1)

    def _list(self, wanted: EquivalenceRun, name: str) -> list[float | None]:
        return list(self.runs.get(wanted, {}).get(name) or [])

    def _errors(self, wanted: EquivalenceRun, theta: float) -> list[float | None]:
        return list(self.runs.get(wanted, {}).get("query_error", {}).get(str(theta), []))


def _named(wanted: EquivalenceRun) -> str:
    return f"e-equivalence, e = {wanted.e}" if wanted.method == "e-equivalence" else wanted.method


def _below(some: list[float | None], more: list[float | None]) -> bool | None:
    """Return whether some numbers add up to no more than others; None without any, or where all are 0."""
    less, most = (sum(value or 0 for value in values) for values in (some, more))
    return None if not some or not more or not (less or most) else less <= most
