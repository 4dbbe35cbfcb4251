"""Where time is short for all rows, a sample is solved, and the machine says so."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import widemargin as wm
from widemargin.base.drive import Watch
from widemargin.estimator import svm_work
from widemargin.kernels import RBF
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.model.box import BoxProblem
from widemargin.solver.box import BoxOptions
from widemargin.solver.sample_start import SMALLEST, nested, solved_for_some

N = 4 * SMALLEST


def data(n=N):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)


def sampled(problem, X, watch, needed=lambda used: 0.0, a_value=1e9, **options):
    return solved_for_some(GramSource(RBF(0.5), RowItems(X)), problem, BoxOptions(), a_value, needed, watch, **options)


@pytest.mark.parametrize("kind", ["svc", "svr"])
def test_samples_grow_until_all_rows_have_their_turn(kind):
    """The point is in the box of the whole, at 0 outside of half of the rows, with the shares of both classes."""
    X, y = data()
    problem = BoxProblem.c_svc(y, 1.0) if kind == "svc" else BoxProblem.eps_svr(X[:, 0] + 0.1 * y, 0.1, 1.0)
    found = sampled(problem, X, Watch(max_time=1e6))
    assert found.whole
    assert found.size == N // 2
    assert found.steps > 0
    assert (found.b >= problem.lower).all()
    assert (found.b <= problem.upper).all()
    assert abs(found.b.sum()) < 1e-9 * N
    assert 0 < np.count_nonzero(problem.items(found.b)) <= found.size


def test_the_last_sample_that_was_solved_is_kept_when_time_is_over():
    X, y = data()
    problem, deadline = BoxProblem.c_svc(y, 1.0), Watch(max_time=30)
    found = sampled(problem, X, deadline, needed=lambda used: 1e6 if used else 0.0)
    assert not found.whole
    assert found.size == SMALLEST


def test_a_sample_grows_by_as_much_as_there_is_time_for_and_goes_on_from_there():
    X, y = data()
    problem, seen = BoxProblem.c_svc(y, 1.0), []

    def needed(used):
        return 1e9 if seen and used > 1.6 * np.count_nonzero(seen[0].b) else 0.0

    found = sampled(problem, X, Watch(max_time=1e6), needed, keep=seen.append)
    assert not found.whole
    assert SMALLEST < found.size < 2 * SMALLEST
    assert found is seen[-1]
    more = sampled(problem, X, Watch(max_time=1e6), before=found, a_value=1e-12)
    assert more.whole
    assert more.size > found.size


def test_the_first_items_however_many_lie_evenly():
    """Of any number of them a class has its share, to one row; halves are every second one."""
    n, t = 1000, np.repeat([-1.0, 1.0], [300, 700])
    order = nested(t)
    assert sorted(order) == list(range(n))
    for size in (1, 2, 10, 77, 250, 640, 999):
        assert abs((t[order[:size]] < 0).sum() - 0.3 * size) <= 4
    np.testing.assert_array_equal(np.sort(order[:500]), np.arange(0, n, 2))


@pytest.mark.parametrize(
    ("problem", "watch", "a_value"),
    [
        (lambda y: BoxProblem.c_svc(y, 1.0), Watch(), 1e9),
        (lambda y: BoxProblem.c_svc(y, 1.0), Watch(max_time=1e6), 1e-12),
        (lambda y: BoxProblem.c_svc(y, np.inf), Watch(max_time=1e6), 1e9),
        (lambda y: BoxProblem.nu_svc(y, np.ones(N), 0.3), Watch(max_time=1e6), 1e9),
        (lambda y: BoxProblem.one_class(np.ones(N), 0.3), Watch(max_time=1e6), 1e9),
    ],
    ids=["no limit", "time enough", "hard margin", "sums that are not 0", "a sum that is not 0"],
)
def test_no_sample_where_none_is_wanted_or_possible(problem, watch, a_value):
    X, y = data()
    assert sampled(problem(y), X, watch, a_value=a_value) is None


def test_a_machine_short_of_time_is_usable_and_its_certificate_is_honest():
    """Its gap is found again by `certify`; the sentence says what was asked, what was reached, why, and what to do."""
    X, y = data(12_000)
    with pytest.warns(ConvergenceWarning, match="max_time=0.05 s is over"):
        model = wm.SVC(C=100.0, gamma=5.0, max_time=0.05, cache_size=50).fit(X, y)
    again = wm.certify(model, X, y)
    assert not model.converged_
    for word in ("0.0001 and 0.001 asked", "reached", "for the certificate", "raise max_time"):
        assert word in model.stop_reason_
    assert again.relative_gap == pytest.approx(model.certificate_.relative_gap, rel=1e-6)
    assert again.relative_gap > model.gap_tol
    assert set(model.predict(X[:100])) <= {-1.0, 1.0}


def test_time_that_a_certificate_leaves_is_used(monkeypatch):
    """It was thought to take for ever: a small sample. It did not, so larger ones follow, and at last all rows."""
    X, y = data()
    proved, made = wm.SVC._proved, []

    def counted(model, source, problem, solution, psd):
        made.append(solution.sampled)
        return proved(model, source, problem, solution, psd)

    monkeypatch.setattr(svm_work.Pace, "seconds", lambda _: 1e-3)  # all rows would take hours
    monkeypatch.setattr(svm_work.Work, "_seconds", lambda *_: 0.0 if made else 1e6 * bool(_[-1]))
    monkeypatch.setattr(wm.SVC, "_proved", counted)
    model = wm.SVC(gamma=0.5, max_time=1000.0).fit(X, y)
    assert made == [SMALLEST, 0]
    assert model.converged_


def test_what_the_certificate_takes_is_kept_free():
    """The watch of a solver is out of time as soon as what is left is needed for what comes after it."""
    watch = Watch(max_time=100.0)
    assert not watch.out_of_time()
    watch.needed = lambda: 101.0
    assert watch.out_of_time()
