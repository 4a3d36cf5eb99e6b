"""Figures 4 to 9 of the m-invariance paper (Xiao and Tao, SIGMOD 2007)."""

from __future__ import annotations

from series_bench.papers.figure import (
    Claim,
    Entry,
    NumberedFigures,
    Numbers,
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
from series_bench.papers.m_invariance.experiments import MInvarianceSetting

_POPULATION = "the papers' people (OCC, SAL) are not public, and the most frequent value of those here has 8.4 %"
_SHORT = "every r has as few releases here, where the paper publishes people fewer times with a larger r"


class MInvarianceFigures(NumberedFigures[MInvarianceSetting, tuple[str, int, int]]):
    """What was found, by method, update volume and parameter."""

    @staticmethod
    def wanted(run: Entry) -> tuple[str, int, int]:
        """Return the method, update volume and parameter of a run of the experiments."""
        return run["method"], run["volume"], run["parameter"]

    def figure_4(self) -> PaperFigure:
        """Vulnerable people by r, a curve for each l."""
        by_l = {
            f"l = {l}": [self._value("l-diversity", r, l, "vulnerable") for r in self.setting.volumes]
            for l in self.setting.parameters  # noqa: E741 - the paper's name
        }
        chart = curves("Vulnerable people by r", self.setting.volumes, by_l, axes=("r", "people"))
        every = list(by_l.values())
        columns = [[curve[place] for curve in every] for place in range(len(self.setting.volumes))]
        claims = [
            Claim("l-diversity fails to support re-publication", _any(every[0])),
            Claim("fewer are vulnerable with a larger l", all_of([falls(column) for column in columns])),
            Claim("some are left even with the largest l", _any(every[-1]), "a few releases are not enough"),
            Claim(
                "fewer are vulnerable with a larger r", all_of([falls(curve, slack=0.02) for curve in every]), _SHORT
            ),
        ]
        note = "Counted with everybody's group known, which is an upper bound of the paper's count."
        return PaperFigure("Figure 4", "vulnerable tuples against the update volume", chart, claims, note)

    def figure_5(self) -> PaperFigure:
        """Counterfeits over time."""
        r, m = min(self.setting.volumes), self.setting.strictest
        fakes = self._list("m-invariance", r, m, "counterfeits")
        chart = curves(
            "Counterfeits by release", range(1, len(fakes) + 1), {f"r = {r}": fakes}, axes=("release", "rows")
        )
        claims = [
            Claim("10 counterfeits at most in a release (OCC; 12 in SAL)", at_most(fakes, 12), _POPULATION),
            Claim("none at 51 of 81 releases (33 in SAL)", _share(fakes, 33 / 81), _POPULATION),
        ]
        return PaperFigure("Figure 5", f"counterfeits against time (r = {r:,}, m = {m})", chart, claims)

    def figure_6(self) -> PaperFigure:
        """Mean counterfeits by r, and by m."""
        r, m = min(self.setting.volumes), self.setting.strictest
        by_r = [mean(self._list("m-invariance", each, m, "counterfeits")) for each in self.setting.volumes]
        by_m = [mean(self._list("m-invariance", r, each, "counterfeits")) for each in self.setting.parameters]
        charts = [
            *curves(f"a: mean counterfeits by r, m = {m}", self.setting.volumes, {"mean": by_r}, axes=("r", "rows")),
            *curves(f"b: by m, r = {r}", self.setting.parameters, {"mean": by_m}, axes=("m", "rows")),
        ]
        claims = [
            Claim("the average falls quickly as r grows", falls(by_r), _POPULATION),
            Claim("none for r of a tenth of the rows and more", at_most(by_r[-1:], 0.5), _POPULATION),
            Claim("never above 2.5 on average, for any m", at_most(by_m, 2.5), _POPULATION),
        ]
        return PaperFigure("Figure 6", "average counterfeits of a release", charts, claims)

    def figure_7(self) -> PaperFigure:
        """Query errors over time."""
        theta, m = str(self.setting.thetas[-1]), self.setting.strictest
        ends = sorted({min(self.setting.volumes), max(self.setting.volumes)})
        errors = {f"r = {r}": percent(self._errors(r, m, theta)) for r in ends}
        length = max((len(each) for each in errors.values()), default=0)
        chart = curves("Query error by release", range(1, length + 1), errors, axes=("release", "percent"))
        every = [value for each in errors.values() for value in each if value is not None]
        claims = [
            Claim("at most 10 % at all times", at_most(every, 10), _POPULATION),
            Claim("it does not vary significantly with time", steady(list(errors.values()))),
            Claim("it is not sensitive to r", steady([[mean(each) for each in errors.values()]])),
        ]
        return PaperFigure("Figure 7", f"query error against time (m = {m})", chart, claims)

    def figure_8(self) -> PaperFigure:
        """Mean query errors by theta, and by m."""
        r, m, thetas = min(self.setting.volumes), self.setting.strictest, self.setting.thetas
        by_theta = percent([mean(self._errors(r, m, str(theta))) for theta in thetas])
        by_m = percent([mean(self._errors(r, each, str(thetas[-1]))) for each in self.setting.parameters])
        charts = [
            *curves(f"a: query error by θ, m = {m}", thetas, {"mean": by_theta}, axes=("θ", "percent")),
            *curves(f"b: by m, θ = {thetas[-1]:g}", self.setting.parameters, {"mean": by_m}, axes=("m", "percent")),
        ]
        claims = [
            Claim("it is smaller with a larger θ", falls(by_theta)),
            Claim("a smaller m permits more accurate analysis", rises(by_m, slack=0.05)),
        ]
        return PaperFigure("Figure 8", f"average query error of a release (r = {r:,})", charts, claims)

    def figure_9(self) -> PaperFigure:
        """Seconds by r, and by m."""
        r, m = min(self.setting.volumes), self.setting.strictest
        by_r = [self._value("m-invariance", each, m, "seconds") for each in self.setting.volumes]
        by_m = [self._value("m-invariance", r, each, "seconds") for each in self.setting.parameters]
        charts = [
            *curves(f"a: seconds of a release by r, m = {m}", self.setting.volumes, {"mean": by_r}, axes=("r", "s")),
            *curves(f"b: by m, r = {r}", self.setting.parameters, {"mean": by_m}, axes=("m", "s")),
        ]
        why = "here the whole command is timed, with reading, checking and writing, which outweigh the algorithm"
        claims = [
            Claim("it takes longer when r is higher", rises(by_r), why),
            Claim("it takes less with a larger m", falls(by_m), why),
            Claim("12 seconds at most", at_most([*by_r, *by_m], 12)),
        ]
        return PaperFigure(
            "Figure 9", "cost of the anonymization", charts, claims, "Seconds of other machines say nothing."
        )

    def _value(self, method: str, volume: int, parameter: int, name: str) -> float | None:
        found = self.runs.get((method, volume, parameter), {}).get(name)
        return None if found is None else float(found)

    def _list(self, method: str, volume: int, parameter: int, name: str) -> list[float | None]:
        return list(self.runs.get((method, volume, parameter), {}).get(name, []))

    def _errors(self, volume: int, m: int, theta: str) -> list[float | None]:
        return list(self.runs.get(("m-invariance", volume, m), {}).get("query_error", {}).get(theta, []))


def _any(values: Numbers) -> bool | None:
    """Return whether a number is above 0; None without any."""
    nobody = at_most(values, 0)
    return None if nobody is None else not nobody


def _share(fakes: Numbers, least: float) -> bool | None:
    """Return whether at least such a share of releases has none."""
    return None if not fakes else sum(fake == 0 for fake in fakes) / len(fakes) >= least
