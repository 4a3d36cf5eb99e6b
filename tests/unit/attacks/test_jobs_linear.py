"""Threads share the rows of a release: how many there are changes nothing."""

import numpy as np
import pytest

from attacks import parallel_rows, posterior
from attacks.intersection import IntersectionAttack
from attacks.update_graph import UpdateGraphAttack
from audit.model.evidence import CandidatePools, Evidence, ValueCounts
from audit.runtime.budget import Budget
from audit.runtime.engine import Local

PEOPLE, GROUP, VALUES, RELEASES = 600, 4, 9, 5


class Source:
    """Random groups of some of the people in each release."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        value = rng.integers(0, VALUES, PEOPLE).astype(np.int32)
        self.made = []
        for _ in range(RELEASES):
            person = rng.permutation(PEOPLE)[: PEOPLE // 2].astype(np.int32)
            pool = np.arange(len(person), dtype=np.int32) // GROUP
            contents = ValueCounts(pool, value[person], None)
            self.made.append(CandidatePools(person, pool, int(pool.max()) + 1, contents, None, None, PEOPLE, VALUES))
        self.value = value

    def pools(self, release):
        return self.made[release]

    def of_people(self):
        return self.value


@pytest.mark.parametrize("attack", [IntersectionAttack(), UpdateGraphAttack()])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_bytes_whatever_the_number_of_threads(attack, seed, monkeypatch):
    monkeypatch.setattr(parallel_rows, "_LEAST", 16)
    monkeypatch.setattr(posterior, "_LEAST_ROWS", 16)
    source = Source(seed)
    tags = tuple(map(str, range(RELEASES)))
    evidence = Evidence("linked", "Value", tags, None, 0, 0, source, [str(v) for v in range(VALUES)])
    told = []
    for jobs in (1, 2, 5):
        budget = Budget(engine=Local(jobs))
        assert parallel_rows.threads_for(budget, PEOPLE // 2) == jobs
        outcome = attack.run(evidence, budget)
        risks = outcome.model.risks(source, budget)
        claims = outcome.claims
        columns = (risks.person, risks.versions, risks.risk, claims.person, claims.release, claims.value)
        told.append((str(outcome.measures), [column.tobytes() for column in columns]))
    assert told[0] == told[1] == told[2]
