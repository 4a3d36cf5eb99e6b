"""`inference` held against enumeration: who has which row of a group, over all permutations, and whole small series."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from attacks import inference
from attacks.inference import EstimatedShare, Grouped, InferenceAttack, Model, learnt, posteriors
from audit.adversary.view import build_evidence
from audit.io.series import open_series
from audit.judgement.scoring import score
from audit.runtime.budget import Budget
from tests.helpers.amount import some

EACH = 500


def drawn(rng, most=4):
    """Some groups with true values, and a model."""
    values, sizes = int(rng.integers(1, 5)), rng.integers(1, 4, rng.integers(1, 3)).tolist()
    groups = rng.integers(1, most + 1, rng.integers(1, 5)).tolist()
    people = sum(groups)
    truth = rng.integers(0, values, people)
    start = np.concatenate([[0], np.cumsum(groups)])
    counts = np.array([np.bincount(truth[a:b], minlength=values) for a, b in pairwise(start)])
    cells = np.stack([rng.integers(0, size, people) for size in sizes], axis=1).astype(np.int32)
    candidates = rng.random((people, values)) < 0.8
    candidates[np.arange(people), truth] = True
    tables = tuple(np.log(rng.dirichlet(np.ones(size), values).T + 1e-6) for size in sizes)
    model = Model(np.log(rng.dirichlet(np.ones(values)) + 1e-6), tables)
    return Grouped(start, cells, counts, candidates), model


def enumerated(grouped, model):
    """The share of each value of each person, over all distinct ways to hand out a group's values."""
    result = np.zeros(grouped.candidates.shape)
    for group, (begin, end) in enumerate(zip(grouped.start[:-1], grouped.start[1:], strict=True)):
        held = np.repeat(np.arange(grouped.counts.shape[1]), grouped.counts[group]).tolist()
        total = 0.0
        for order in set(permutations(held)):
            weight = 1.0
            for person, value in zip(range(begin, end), order, strict=True):
                cells = grouped.cells[person].tolist()
                chance = [np.exp(table[cell, value]) for table, cell in zip(model.cells, cells, strict=True)]
                weight *= np.prod(chance) * grouped.candidates[person, value]
            total += weight
            for person, value in zip(range(begin, end), order, strict=True):
                result[person, value] += weight
        result[begin:end] /= total
    return result


@pytest.mark.parametrize("first", range(0, some(5_000), EACH))
def test_shares_are_those_of_all_permutations(first):
    for seed in range(first, first + EACH):
        grouped, model = drawn(np.random.default_rng(seed))
        assert np.allclose(posteriors(grouped, model), enumerated(grouped, model), atol=1e-9), seed


def test_fitted_shares_keep_the_counts_and_are_near(monkeypatch):
    """In larger groups shares are fitted: everybody has one value, each value as often as published."""
    far = []
    for seed in range(300):
        grouped, model = drawn(np.random.default_rng(seed))
        exact = posteriors(grouped, model)
        with monkeypatch.context() as patch:
            patch.setattr(inference, "_EXACT", 0)
            fitted = posteriors(grouped, model)
        assert np.allclose(fitted.sum(axis=1), 1)
        assert (fitted[~grouped.candidates] == 0).all()
        held = np.add.reduceat(fitted, grouped.start[:-1])
        assert np.abs(held - grouped.counts).max() < 0.2
        far.append(np.abs(fitted - exact).max())
    assert np.mean(far) < 0.1


def test_what_goes_together_is_learnt():
    """Each group has one person of either kind; kinds and values go together in nine of ten."""
    rng, groups = np.random.default_rng(0), 2_000
    kind = np.tile([0, 1], groups)
    swapped = rng.random(groups) < 0.1
    value = np.stack([swapped, ~swapped], axis=1).ravel().astype(int)
    # Groups of two of one kind tell which value goes with it.
    same = rng.random(groups) < 0.5
    cells = np.where(np.repeat(same, 2), np.repeat(rng.integers(0, 2, groups), 2), kind)
    truth = np.where(np.repeat(same, 2), np.where(rng.random(2 * groups) < 0.9, cells, 1 - cells), value)
    start = 2 * np.arange(groups + 1)
    counts = np.stack([(truth.reshape(-1, 2) == v).sum(axis=1) for v in (0, 1)], axis=1)
    grouped = Grouped(start, cells[:, None].astype(np.int32), counts, np.ones((2 * groups, 2), dtype=bool))
    model = learnt([grouped], [2], 2)
    mixed = np.repeat(~same & (counts.min(axis=1) == 1), 2)
    right = (posteriors(grouped, model).argmax(axis=1) == truth)[mixed].mean()
    assert right > 0.85


def write(folder, rng, releases, leak):
    """An Anatomy series of groups of four; `leak` is how often a person's job is that of the value."""
    values, people = 4, 400
    truth = rng.integers(0, values, people)
    job = np.where(rng.random(people) < leak, truth, rng.integers(0, values, people))
    (folder / "releases").mkdir(parents=True)
    (folder / "private").mkdir()
    tags = []
    for release in range(releases):
        order = rng.permutation(people)
        lines = ["group,job", *(f"{i // 4},j{job[p]}" for i, p in enumerate(order))]
        table = ["group,value,count"]
        for group in range(people // 4):
            held = np.bincount(truth[order[4 * group : 4 * group + 4]], minlength=values)
            table += [f"{group},v{v},{n}" for v, n in enumerate(held) if n]
        key = ["row,individual,value", *(f"{i},p{p},v{truth[p]}" for i, p in enumerate(order))]
        rows, counts = f"releases/{release}.rows.csv", f"releases/{release}.values.csv"
        for name, text in {rows: lines, counts: table, f"private/{release}.key.csv": key}.items():
            (folder / name).write_text("\n".join(text) + "\n", encoding="utf-8")
        tags.append(f'{{ rows = "{rows}", values = "{counts}" }}')
    columns = 'group = "group"\nquasi_identifiers = ["job"]\nsensitive = "value"\ncount = "count"\n'
    text = f"[series]\nreleases = [{', '.join(tags)}]\n[columns]\n{columns}"
    (folder / "series.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize("leak", [0.0, 0.9])
def test_whole_series(tmp_path, releases, leak):
    """If jobs predict values, the attack beats the rows of groups, and so does the control; otherwise neither does."""
    folder = write(tmp_path / "s", np.random.default_rng(releases), releases, leak)
    (evidence,) = build_evidence(open_series(folder))
    outcome = InferenceAttack().run(evidence, Budget())
    assert outcome.status == "complete"
    measures = score(evidence, evidence.key, outcome, Budget()).measures
    assert measures.individuals == 400
    for each in (measures.attack, measures.control, measures.baseline):
        assert 0 <= each.low <= each.value <= each.high <= 1
    if leak:
        assert measures.attack.value > max(0.7, measures.baseline.value)
        assert measures.control.low > 0.4
    else:
        assert measures.control.value < 0.4
        # What groups of several releases leave to others tells something beyond a person's own groups.
        assert releases > 1 or measures.attack.value < measures.baseline.high + 0.1
    again = score(evidence, evidence.key, InferenceAttack().run(evidence, Budget()), Budget()).measures
    assert dict(again) == dict(measures)


def test_intervals():
    half, right = EstimatedShare.of(np.array([True] * 50 + [False] * 50)), EstimatedShare(0.8, 0.7, 0.9)
    assert (half.value, half.low, half.high) == pytest.approx((0.5, 0.4038, 0.5962), abs=1e-4)
    excess, width = right.above(EstimatedShare(0.5, 0.4, 0.6)), np.hypot(0.1, 0.1)
    assert (excess.value, excess.low, excess.high) == pytest.approx((0.3, 0.3 - width, 0.3 + width))
    assert right.above(None) is None


def test_nothing_applies_without_what_it_needs():
    from dataclasses import replace
    from pathlib import Path

    (evidence,) = build_evidence(open_series(Path("tests/examples/hospital-2-invariant")))
    attack = InferenceAttack()
    assert attack.run(replace(evidence, kind="register"), Budget()).status == "skipped"
    assert attack.run(replace(evidence, rows_of=None), Budget()).status == "skipped"
    outcome = attack.run(evidence, Budget())
    scored = score(evidence, evidence.key, outcome, Budget())
    assert (outcome.status, outcome.claims, scored.risks) == ("complete", None, None)
