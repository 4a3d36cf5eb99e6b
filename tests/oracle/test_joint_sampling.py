"""Estimates of the attack `joint` beside the shares of all worlds, which are counted here as well."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.joint import deciding, sampling
from attacks.joint.posteriors import EstimatedRisks, WorldRisks
from attacks.joint.sampling import Sampled
from audit.core.budget import Budget
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.test_joint import ADVERSARIES, AskFor, opened

FEW = settings(max_examples=3)
STEPS = {(a, b): None for a in "abcd" for b in "abcd" if a == b or a + b in {"ab", "ba", "cd", "da"}}

CLASSES = {(a, b): Fraction(9 if a in "ab" else 1, 20) for a in "abcd" for b in "abcd" if (a in "ab") == (b in "ab")}


def decided(evidence, *, counted):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deciding, "_MOST_STEPS", 1_000_000 if counted else 0)
        return deciding.decide(evidence, Budget())[0]


def crowd(seed, transitions=None, staying=12):
    """Twelve people in groups of six, over two releases in which they sit differently; some leave after the first."""
    rng, releases = np.random.default_rng(seed), []
    names = [f"p{number}" for number in range(12)]
    truth = {name: str(rng.choice(list("aabcd"))) for name in names}
    for position in range(2):
        if transitions and position:
            for name, value in truth.items():
                truth[name] = str(rng.choice([after for before, after in transitions if before == value]))
        rng.shuffle(names)
        names = names[: staying if position else 12]
        releases.append([Row(name, str(place // 6), truth[name]) for place, name in enumerate(names)])
    if staying < 12:
        releases[1] += [Row(None, "0", value) for value in "abcd"]
    return TinySeries(releases, transitions)


def ring(people):
    """Everybody shares a group with one neighbour, and then with the other: there are two worlds."""
    names = [f"p{number}" for number in range(people)]
    groups = [{name: str((place + turn) % people // 2) for place, name in enumerate(names)} for turn in range(2)]
    return TinySeries(
        [[Row(name, group[name], "ab"[place % 2]) for place, name in enumerate(names)] for group in groups]
    )


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(data=st.data())
def test_shares_are_those_of_counting(adversary, kind, data):
    series = data.draw(crowds(adversary, kind))
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "_MOST_SWEEPS", 160)
        _, evidence = opened(folder, adversary)
        exact, decision = decided(evidence, counted=True), decided(evidence, counted=False)
        far, _ = differing(evidence, exact, decision)
        assert far < 0.05


def differing(evidence, exact, decision):
    """How much shares differ at most from what is counted, and how many are relied upon."""
    sampled = Sampled(evidence, decision)
    if not len(sampled.tracks):
        return 0.0, 0
    sample = sampled.run(Budget())
    *_, share = sample.shares()
    relied = sampled.tracks[~sample.stuck[sampled.tracks]]
    return np.abs(share[relied] - exact.share[relied]).max(initial=0), len(relied)


def test_who_stays_has_the_more_probable_class():
    for seed in range(3):
        with written(crowd(seed, CLASSES, staying=7)) as folder:
            _, evidence = opened(folder, "linked")
            far, relied = differing(evidence, decided(evidence, counted=True), decided(evidence, counted=False))
            assert far < 0.02
            assert relied >= 8


@pytest.mark.parametrize("transitions", [None, STEPS], ids=["constant", "steps"])
def test_intervals_hold_what_they_say(transitions):
    held = {"max_risk": [], "mean_risk": []}
    for seed in range(12):
        with written(crowd(seed, transitions)) as folder, pytest.MonkeyPatch.context() as patch:
            _, evidence = opened(folder, "linked")
            exact = WorldRisks(evidence, decided(evidence, counted=True))
            assert not np.isnan(exact.decision.share).any()
            estimated = EstimatedRisks(evidence, decided(evidence, counted=False))
            sample = Sampled(evidence, estimated.decision).run(Budget())
            patch.setattr(Sampled, "run", lambda _, budget, seed, sample=sample: sample)  # the same for all values
            for value in range(len(evidence.values)):
                risks = exact.risks(AskFor(evidence, value), Budget()).risk
                if np.isnan(risks).all():
                    continue
                told = estimated.estimated(AskFor(evidence, value), Budget())
                for name, true in {"max_risk": np.nanmax(risks), "mean_risk": np.nanmean(risks)}.items():
                    low, high = told[name]["low"], told[name]["high"]
                    assert 0 <= low <= told[name]["value"] <= high <= 1
                    if low < high and not told["stuck"]:
                        held[name].append(low - 1e-9 <= true <= high + 1e-9)
                        assert high - low < 0.3
    for name, each in held.items():
        assert len(each) >= 20, name
        assert np.mean(each) > 0.85, name


@pytest.mark.parametrize("people", [12, 80])
def test_who_does_not_get_about_has_no_estimate(people):
    with written(ring(people)) as folder:
        _, evidence = opened(folder, "linked")
        decision = decided(evidence, counted=False)
        told = EstimatedRisks(evidence, decision).estimated(AskFor(evidence, -1), Budget())
    assert (told["versions"], told["stuck"]) == (0, 2 * people)
    for name in ("max_risk", "mean_risk"):
        assert (told[name]["low"], told[name]["high"]) == (0, pytest.approx(1))  # 1 itself is what is certain


def test_another_seed_gives_another_estimate():
    with written(crowd(0, STEPS)) as folder:
        _, evidence = opened(folder, "linked")
        decision, asked = decided(evidence, counted=False), AskFor(evidence, 0)
        told = [EstimatedRisks(evidence, decision, seed).estimated(asked, Budget())["mean_risk"] for seed in (0, 0, 1)]
    assert told[0] == told[1] != told[2]
    assert abs(told[0]["value"] - told[2]["value"]) < 0.05


def test_nothing_depends_on_when_it_is_done_but_time_up_is_no_estimate():
    with written(crowd(3)) as folder:
        _, evidence = opened(folder, "linked")
        decision = decided(evidence, counted=False)
        estimated = EstimatedRisks(evidence, decision)
        asked = AskFor(evidence, -1)
        first = estimated.estimated(asked, Budget())
        assert first is not None
        assert estimated.estimated(asked, Budget()) == first
        assert estimated.estimated(asked, Budget(0.0)) is None
