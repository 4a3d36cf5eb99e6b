"""Figures 3 to 9 of the m-Distinct paper."""

from __future__ import annotations

from collections.abc import Callable

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
)
from series_bench.papers.m_distinct.experiments import (
    NARROW,
    THETA,
    USUAL,
    MDistinctRun,
    MDistinctSetting,
    Measure,
)

_BLOCKS = "here update sets are blocks, not neighbours that overlap, and Mondrian's groups are mostly larger than l"
_COMMAND = (
    "here the algorithm is another: new people join the old ones' buckets, so that hardly a counterfeit is needed"
)


class MDistinctFigures(NumberedFigures[MDistinctSetting, MDistinctRun]):
    """What was found, by what was wanted."""

    @staticmethod
    def wanted(run: Entry) -> MDistinctRun:
        """Return what a run of `series_bench.papers.m_distinct.experiments` was wanted for."""
        return MDistinctRun(run["measure"], run["parameter"], run["diameter"])

    def figure_3(self) -> PaperFigure:
        """Vulnerable values over time, and by d."""
        over_time, by_d = self._over_time("vulnerable", "l"), self._by_d("vulnerable", "l", _last)
        charts = [
            *curves(
                f"a: vulnerable values after each release, d = {USUAL}",
                self._releases(),
                over_time,
                axes=("release", "values"),
            ),
            *curves("b: in the end, by d", self.setting.diameters, by_d, axes=("d", "values")),
        ]
        at_two = self.runs.get(MDistinctRun("vulnerable", self.setting.parameters[0], USUAL), {})
        share = at_two["disclosed"] / at_two["versions"] if "versions" in at_two else None
        columns = [list(column) for column in zip(*by_d.values(), strict=True)]
        claims = [
            Claim("what is disclosed grows with every release", all_of([rises(each) for each in over_time.values()])),
            Claim(
                "two thirds of all values are disclosed by 20 releases at l = 2",
                None if share is None else share >= 0.6,
                _BLOCKS,
            ),
            Claim("a larger l discloses less", all_of([falls(column) for column in columns])),
            Claim("a smaller d discloses more", all_of([falls(each, slack=0.02) for each in by_d.values()])),
        ]
        return PaperFigure("Figure 3", "vulnerable values of l-diverse series", charts, claims)

    def figure_4(self) -> PaperFigure:
        """Invalidated records over time, and by d."""
        over_time, by_d = self._over_time("invalidated", "m"), self._by_d("invalidated", "m", _last)
        charts = [
            *curves(
                f"a: invalidated records after each release, d = {USUAL}",
                self._releases(),
                over_time,
                axes=("release", "records"),
            ),
            *curves("b: in the end, by d", self.setting.diameters, by_d, axes=("d", "records")),
        ]
        constant = [each[0] for each in by_d.values() if self.setting.diameters[0] == 1]
        claims = [
            Claim("they grow with every release", all_of([rises(each) for each in over_time.values()])),
            Claim("none at d = 1", at_most(constant, 0)),
            Claim(
                "they grow dramatically with d",
                all_of([rises(each, slack=0.05) for each in by_d.values()]),
                "here everybody whose value changes gets another one, whatever d is",
            ),
        ]
        return PaperFigure("Figure 4", "records that m-invariance cannot publish again", charts, claims)

    def figure_5(self) -> PaperFigure:
        """Query errors over time, and by theta."""
        over_time = {
            f"m = {m}": percent(
                self.runs.get(MDistinctRun("queries", m, USUAL), {}).get("query_error", {}).get(str(THETA), [])
            )
            for m in self.setting.parameters
        }
        errors = self.runs.get(MDistinctRun("queries", 4, USUAL), {}).get("query_error", {})
        by_theta = percent([mean(errors.get(str(theta))) for theta in self.setting.thetas])
        charts = [
            *curves(
                f"a: query error by release, θ = {THETA:g}", self._releases(), over_time, axes=("release", "percent")
            ),
            *curves("b: by θ, m = 4", self.setting.thetas, {"mean": by_theta}, axes=("θ", "percent")),
        ]
        claims = [
            Claim(
                "it grows smoothly with time",
                all_of([rises(each, slack=0.1) for each in over_time.values()]),
                "here groups are cut anew in every release, and grow with the table",
            ),
            Claim("it is smaller with a larger θ", falls(by_theta)),
        ]
        return PaperFigure("Figure 5", "query error of m-Distinct series", charts, claims)

    def figure_6(self) -> PaperFigure:
        """Query errors by d."""
        by_d = percent(
            [
                mean(self.runs.get(MDistinctRun("queries", 4, d), {}).get("query_error", {}).get(str(THETA)))
                for d in self.setting.diameters
            ]
        )
        chart = curves(
            f"Query error by d, m = 4, θ = {THETA:g}", self.setting.diameters, {"mean": by_d}, axes=("d", "percent")
        )
        claims = [
            Claim(
                "a larger d is more accurate",
                falls(by_d, slack=0.05),
                "here d decides how many buckets there are, and whole ones are cut finely at any d",
            )
        ]
        return PaperFigure("Figure 6", "query error against d", chart, claims)

    def figure_7(self) -> PaperFigure:
        """Counterfeits for a group over time."""
        line = self._for_a_group(MDistinctRun("counterfeits", 6, NARROW))
        chart = curves(
            "Counterfeits for a group",
            range(1, len(line) + 1),
            {f"m = 6, d = {NARROW}": line},
            axes=("release", "for a group"),
        )
        top = line.index(max(line)) + 1 if line and max(line) > 0 else None
        claims = [
            Claim("it grows at first and falls after the seventh release", None if not line else top == 7, _COMMAND)
        ]
        return PaperFigure("Figure 7", f"counterfeits for a group against time (m = 6, d = {NARROW})", chart, claims)

    def figure_8(self) -> PaperFigure:
        """Mean counterfeits for a group by d, and by m."""
        by_d = [mean(self._for_a_group(MDistinctRun("counterfeits", 6, d))) for d in self.setting.diameters]
        by_m = [mean(self._for_a_group(MDistinctRun("counterfeits", m, NARROW))) for m in self.setting.parameters]
        charts = [
            *curves("a: by d, m = 6", self.setting.diameters, {"mean": by_d}, axes=("d", "for a group")),
            *curves(f"b: by m, d = {NARROW}", self.setting.parameters, {"mean": by_m}, axes=("m", "for a group")),
        ]
        claims = [
            Claim("a larger d needs fewer", falls(by_d)),
            Claim("fewer than 2 for any m", at_most(by_m, 2)),
            Claim("8-Distinct needs most", rises(by_m), _COMMAND),
        ]
        return PaperFigure("Figure 8", "average counterfeits for a group", charts, claims)

    def figure_9(self) -> PaperFigure:
        """Seconds by d, and by m."""
        by_d = [self.runs.get(MDistinctRun("seconds", 4, d), {}).get("seconds") for d in self.setting.diameters]
        by_m = [self.runs.get(MDistinctRun("seconds", m, NARROW), {}).get("seconds") for m in self.setting.parameters]
        charts = [
            *curves(
                "a: seconds of the second release by d, m = 4",
                self.setting.diameters,
                {"median": by_d},
                axes=("d", "s"),
            ),
            *curves(f"b: by m, d = {NARROW}", self.setting.parameters, {"median": by_m}, axes=("m", "s")),
        ]
        why = "a release takes less than a tenth of a second here, where noise is larger than the effect"
        claims = [Claim("a larger d costs more", rises(by_d), why)]
        return PaperFigure("Figure 9", "computation cost", charts, claims, "Seconds of other machines say nothing.")

    def _releases(self) -> range:
        return range(1, self.setting.snapshots + 1)

    def _over_time(self, measure: Measure, letter: str) -> dict[str, list[float | None]]:
        return {
            f"{letter} = {each}": list(self.runs.get(MDistinctRun(measure, each, USUAL), {}).get("timeline", []))
            for each in self.setting.parameters
        }

    def _by_d(
        self, measure: Measure, letter: str, value: Callable[[Entry], float | None]
    ) -> dict[str, list[float | None]]:
        return {
            f"{letter} = {each}": [
                value(self.runs.get(MDistinctRun(measure, each, d), {})) for d in self.setting.diameters
            ]
            for each in self.setting.parameters
        }

    def _for_a_group(self, wanted: MDistinctRun) -> list[float]:
        entry = self.runs.get(wanted, {})
        return [
            fake / groups for fake, groups in zip(entry.get("counterfeits", []), entry.get("groups", []), strict=True)
        ]


def _last(entry: Entry) -> float | None:
    timeline = entry.get("timeline")
    return float(timeline[-1]) if timeline else None
