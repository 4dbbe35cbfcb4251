"""All pairs of classes at once: each is what it would be by itself."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import widemargin as wm
from widemargin.base.drive import Watch
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.kernels.rows import RBF
from widemargin.model.box import BoxProblem
from widemargin.model.boxes import BoxProblems
from widemargin.model.pairs import PairRows, pairs
from widemargin.solver.box import BoxOptions
from widemargin.solver.pairs import SMALL, PairFits

OPTIONS = BoxOptions(memory=1 << 26)


def sample(n, k, seed=0):
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % k)
    return random.normal(size=(n, 4)) + 1.5 * random.normal(size=(k, 4))[y], y


def fits(X, y, make, starts=None, threads=1):
    k = int(y.max()) + 1
    rows = PairRows(y, k)
    spans = [slice(e - n, e) for e, n in zip(rows.ends, rows.sizes, strict=True)]
    problems = BoxProblems.of([make(rows.signs[s]) for s in spans])
    source = GramSource(RBF(0.25), RowItems(X), threads)
    return PairFits(source, rows, problems, OPTIONS, starts or [None] * len(rows))


def c_svc(signs):
    return BoxProblem.c_svc(signs, 3.0)


def nu_svc(signs):
    return BoxProblem.nu_svc(signs, np.ones(len(signs)), 0.3)


@pytest.mark.parametrize("make", [c_svc, nu_svc])
@pytest.mark.parametrize("n", [1000, 200])
def test_pairs_together_are_what_each_is_alone(make, n):
    """To the bit where rounds end it, to rounding where linear equations do: those are solved with other blocks."""
    X, y = sample(n, 4)
    together = fits(X, y, make)
    together.run(Watch())
    for k, (i, j) in enumerate(pairs(4)):
        assert_array_equal(together.rows[k], np.concatenate([np.flatnonzero(y == c) for c in (i, j)]))
        one = fits(X, y, make).alone(k)
        one.state = None  # from the start
        found = one.run()
        here = slice(together.problems.first[k], together.problems.ends[k])
        if found.b.size > SMALL:
            assert_array_equal(together.b[here], found.b)
            assert_array_equal(together.offsets[k], found.offsets)
        np.testing.assert_allclose(together.b[here], found.b, atol=1e-8)
        np.testing.assert_allclose(together.offsets[k], found.offsets, atol=1e-8)
        assert together.kinds[k] == found.stop.kind == "converged"
        assert together.steps[k] == found.steps


@pytest.mark.parametrize("threads", [1, 3])
def test_work_cut_into_pieces_is_the_same_to_the_bit(threads):
    X, y = sample(900, 5, seed=1)
    whole, pieces = fits(X, y, c_svc), fits(X, y, c_svc, threads=threads)
    whole.run(Watch())
    calls = 1
    while pieces.core.advance(*pieces._arrays(), 1e-4, threads) > 0:
        calls += 1
    assert calls > 3
    for name in ("b", "f", "counters", "figures", "stop"):
        assert_array_equal(getattr(whole, name), getattr(pieces, name))


def test_scores_of_a_start_belong_to_it():
    """A pair that has not begun has the scores of its start once it is judged."""
    X, y = sample(400, 4)
    done = fits(X, y, nu_svc)
    done.core.judge(*done._arrays(), np.ones(len(done.rows), np.int8), 2)
    for k, problem in enumerate(done.problems):
        here = slice(done.problems.first[k], done.problems.ends[k])
        assert_array_equal(done.b[here], problem.start())
        items = RowItems(X[done.rows[k]])
        np.testing.assert_allclose(done.f[here], RBF(0.25)(items.X, items.X) @ done.b[here], rtol=1e-4)


@pytest.mark.parametrize("cls", [wm.SVC, wm.NuSVC])
def test_pairs_cut_off_are_certified_as_they_are(cls, monkeypatch):
    monkeypatch.setattr("widemargin.solver.pairs.STRETCH", 0.0)  # so that no machine is too fast to be cut off
    X, y = sample(3000, 8)
    with pytest.warns(UserWarning, match="max_time"):
        model = cls(max_time=1e-9, gamma=0.25, n_jobs=1, **({"nu": 0.3} if cls is wm.NuSVC else {})).fit(X, y)
    again = wm.certify(model, X, y)
    assert (again.primal, again.dual) == pytest.approx((model.certificate_.primal, model.certificate_.dual), rel=1e-9)
    assert again.holds
    assert not model.converged_
    assert len(model.certificate_.parts) == 28


def test_a_pair_goes_on_from_the_solution_of_another_fit():
    X, y = sample(600, 4)
    first = fits(X, y, c_svc)
    first.run(Watch())
    p = first.problems
    starts = [first.b[i:j].copy() for i, j in zip(p.first, p.ends, strict=True)]
    again = fits(X, y, c_svc, starts)
    again.run(Watch())
    assert again.counters[:, 0].max() <= 2 < first.counters[:, 0].max()
    assert all(kind == "converged" for kind in again.kinds)
