"""Repairs of a few random candidates of each kind; `repair_sample.py` tries as many as it is asked for."""

import json

import pytest

from audit.repair.judging import Judge
from tests.helpers.running import run_main
from tests.oracle.repair_sample import KINDS, tried


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in {"key", "pairs"}])  # in test_repairs.py
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_verdicts_are_those_of_enumeration(tmp_path, kind, seed):
    assert tried(kind, seed, tmp_path).code in {0, 1, 3}


def repair(drawn, folder, *words):
    files = [str(path) for path in drawn.files]
    output = ["--output", str(folder / "out"), "--format", "json"]
    return run_main("repair", str(drawn.series), *files, *output, *words)


def stop_judging(monkeypatch, how, after: int):
    """Have the search interrupted, or its time used up, once so many plans were found to keep the policy."""
    judge, found = Judge.judge, []

    def judged(self, plan, **options):
        if len(found) >= after and not options.get("whole"):
            if how is KeyboardInterrupt:
                raise KeyboardInterrupt
            self.budget = type(self.budget)(0.0)
        judgement = judge(self, plan, **options)
        found.extend([1] if judgement.keeps else [])
        return judgement

    monkeypatch.setattr(Judge, "judge", judged)


@pytest.mark.parametrize(("how", "code"), [(KeyboardInterrupt, 130), (None, 0)])
def test_the_best_so_far_is_written(tmp_path, monkeypatch, how, code):
    stop_judging(monkeypatch, how, after=1)
    drawn = KINDS["larger"](1, tmp_path)
    got, told, _ = repair(drawn, tmp_path)
    assert (got, json.loads(told)["stopped"] is None) == (code, False)
    assert run_main("next", str(drawn.series), str(tmp_path / "out" / "2.csv"))[0] == 0


@pytest.mark.parametrize(("how", "code"), [(KeyboardInterrupt, 130), (None, 3)])
def test_without_a_repair_so_far_nothing_is_written(tmp_path, monkeypatch, how, code):
    stop_judging(monkeypatch, how, after=0)
    got, told, _ = repair(KINDS["larger"](1, tmp_path), tmp_path)
    assert got == code
    assert not told or json.loads(told)["proved"] is False
    assert not (tmp_path / "out").exists()


def test_the_time_limit_is_for_the_whole_command(tmp_path):
    drawn = KINDS["larger"](1, tmp_path)
    code, told, _ = repair(drawn, tmp_path, "--time-limit", "0.001")
    assert code == 3
    assert json.loads(told)["stopped"] is not None
