"""How many threads a fit takes, and that nothing else depends on it."""

import threading

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import threadpoolctl
from joblib import parallel_config

import widemargin as wm
from widemargin import _core
from widemargin.base.blas import one_blas_thread
from widemargin.base.drive import Cancelled
from widemargin.base.threads import crew, threads
from widemargin.data.rows import native_rows


@pytest.fixture(autouse=True)
def _no_limits(monkeypatch):
    for name in ("WIDEMARGIN_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)


def data(n=9000, d=6, k=4):
    random = np.random.default_rng(1)
    return random.standard_normal((n, d)), random.integers(0, k, n)


def test_linear_algebra_has_one_thread_inside_and_what_it_had_before_outside():
    """Also where limits lie inside of one another."""
    blas = threadpoolctl.ThreadpoolController().select(user_api="blas")

    def limits():
        return [one.num_threads for one in blas.lib_controllers]

    with blas.limit(limits=2):
        before = limits()
        with one_blas_thread():
            with one_blas_thread():
                assert set(limits()) == {1}
            assert set(limits()) == {1}
        assert limits() == before
        assert max(before) == 2


# ---- n_jobs -----------------------------------------------------------------------------------------------------


def test_any_number_of_threads_can_be_asked_for():
    assert threads(2**62) == threads(10**6) == 1024
    X, y = data(n=60)
    model = wm.RandomForestClassifier(2).fit(X, y).set_params(n_jobs=2**40)
    assert len(model.predict(X)) == 60


def test_n_jobs_means_what_it_means_in_scikit_learn():
    cpus = joblib.cpu_count()
    assert threads(None) == 1
    assert threads(3) == 3
    assert threads(-1) == cpus
    assert threads(-cpus) == 1
    with parallel_config(n_jobs=2):
        assert threads(None) == 2
        assert threads(1) == 1
    with pytest.raises(ValueError, match="n_jobs"):
        threads(0)


def test_inside_a_worker_of_joblib_all_means_its_share():
    got = joblib.Parallel(2, backend="threading")(joblib.delayed(threads)(-1) for _ in range(2))
    assert got == [joblib.effective_n_jobs(-1)] * 2 or got == [1, 1]


def test_the_environment_limits_the_threads(monkeypatch):
    monkeypatch.setenv("WIDEMARGIN_NUM_THREADS", "2")
    assert (threads(8), threads(1), threads(None)) == (2, 1, 1)
    monkeypatch.setenv("WIDEMARGIN_NUM_THREADS", "1")
    assert threads(-1) == 1
    for nonsense in ("", "0", "-3", "many"):
        monkeypatch.setenv("WIDEMARGIN_NUM_THREADS", nonsense)
        assert threads(3) == 3


def test_omp_num_threads_limits_all_but_not_an_explicit_number(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert (threads(-1), threads(3)) == (1, 3)


def test_threadpoolctl_knows_and_limits_the_pool():
    ours = [info for info in threadpoolctl.threadpool_info() if info["user_api"] == "widemargin"]
    assert len(ours) == 1
    with threadpoolctl.threadpool_limits(1):
        assert (threads(8), _core.thread_limit()) == (1, 1)
        with threadpoolctl.threadpool_limits({"widemargin": 64}):
            assert threads(8) == 8
        assert threads(8) == 1
    assert (threads(8), _core.thread_limit()) == (8, 0)
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert threads(8) == 8


# ---- results do not depend on threads ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
def test_a_scan_is_the_same_for_any_number_of_threads(kind):
    X = data(50_000)[0]
    X = sp.csr_array(np.where(X > 0.5, X, 0)) if kind == "csr" else X.astype(kind)
    rows = native_rows(X)
    for look in (rows.scan, lambda _, t: rows.squared_norms(t), lambda _, t: rows.hashes(t)):
        one = np.asarray(look(0, 1))
        for n_threads in (2, 3, 4, 8):
            assert np.asarray(look(0, n_threads)).tobytes() == one.tobytes()


@pytest.mark.parametrize(
    "estimator",
    [
        wm.Perceptron(max_iter=4),
        wm.AveragedPerceptron(max_iter=4, multiclass="ovo"),
        wm.Pegasos(max_iter=4),
        wm.SGDSVC(max_iter=4, multiclass="ovo"),
    ],
)
def test_a_fit_is_the_same_for_any_number_of_threads(estimator):
    X, y = data()
    one = estimator.set_params(n_jobs=1).fit(X, y)
    coef, trace = one.coef_.tobytes(), one.trace_.to_dict()
    for n_jobs in (2, 3, 4):
        again = estimator.set_params(n_jobs=n_jobs).fit(X, y)
        assert again.coef_.tobytes() == coef
        assert again.trace_.to_dict() == trace


def test_two_threads_may_fit_at_once():
    X, y = data()
    expected = wm.Perceptron(max_iter=10).fit(X, y).coef_
    got = {}

    def fit(name):
        got[name] = [wm.Perceptron(max_iter=10, n_jobs=2).fit(X, y).coef_ for _ in range(5)]

    both = [threading.Thread(target=fit, args=(name,)) for name in "ab"]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(got) == 2
    assert all(np.array_equal(coef, expected) for coefs in got.values() for coef in coefs)


# ---- the crew ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_a_crew_does_every_part_once_and_in_order(n_threads):
    seen = []
    assert crew(n_threads, lambda part, _: seen.append(part) or part * part, range(50)) == [i * i for i in range(50)]
    assert sorted(seen) == list(range(50))
    assert crew(n_threads, lambda part, _: part, []) == []


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_first_error_of_a_crew_stops_the_others(n_threads):
    begun = []

    def work(part, cancelled):
        begun.append(part)
        if part == 3:
            raise ZeroDivisionError("planted")
        if part > 3 and cancelled.wait(30):
            raise Cancelled
        return part

    with pytest.raises(ZeroDivisionError, match="planted"):
        crew(n_threads, work, range(1000))
    assert len(begun) < 10 + n_threads


def test_a_crew_without_more_threads_does_the_work_alone(monkeypatch):
    def no_more(_self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    assert crew(4, lambda part, _: -part, range(5)) == [0, -1, -2, -3, -4]


def test_an_interrupt_inside_a_part_is_raised():
    def work(part, cancelled):
        if part == 0:
            raise KeyboardInterrupt
        cancelled.wait(30)

    with pytest.raises(KeyboardInterrupt):
        crew(2, work, range(4))


def test_a_crew_leaves_no_thread_behind():
    before = threading.active_count()
    crew(4, lambda part, _: part, range(20))
    assert threading.active_count() == before


def test_ctrl_c_while_a_helper_begins_leaves_no_thread_at_work(monkeypatch):
    """A helper that nobody awaits would meet the end of the interpreter in the middle of a native loop."""
    begin = threading.Thread.start

    def begin_and_interrupt(self):
        begin(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", begin_and_interrupt)
    begun = []
    with pytest.raises(KeyboardInterrupt):
        crew(2, lambda part, cancelled: begun.append(part) or cancelled.wait(), range(4))
    assert begun == []
    assert [thread.name for thread in threading.enumerate() if thread.name == "widemargin"] == []
