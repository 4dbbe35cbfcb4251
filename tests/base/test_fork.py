"""A process with a pool may fork, and the child may fit (LightGBM, XGBoost and HistGradientBoosting hang there)."""

from tests.base.outside import output


def test_fit_then_fork_then_fit_works_20_of_20():
    program = """
        import os, signal
        X, y = data()
        model = wm.Perceptron(n_jobs=2, max_iter=5)
        coef = model.fit(X, y).coef_.copy()
        assert _core.pool_size() >= 1, "the parent's pool was never used"
        good = 0
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                same = np.array_equal(model.fit(X, y).coef_, coef) and _core.pool_size() >= 1
                os._exit(0 if same else 1)
            good += os.waitpid(child, 0)[1] == 0
        print(good)
    """
    assert output(program).strip() == "20"


def test_a_child_forked_while_another_thread_fits_can_fit():
    program = """
        import os, signal, threading
        X, y = data()
        busy = threading.Event()
        def fit_on():
            while not busy.is_set():
                _core.spin(50, 2, 20_000)
        thread = threading.Thread(target=fit_on)
        thread.start()
        good = 0
        for _ in range(10):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                _core.spin(50, 2, 1000)
                os._exit(0 if _core.pool_size() == 1 else 1)
            good += os.waitpid(child, 0)[1] == 0
        busy.set()
        thread.join()
        print(good)
    """
    assert output(program).strip() == "10"


def test_worker_processes_of_joblib_fit():
    program = """
        from joblib import Parallel, delayed
        from sklearn.base import clone
        X, y = data()
        model = wm.Perceptron(n_jobs=2, max_iter=3).fit(X, y)
        def fit(model, X, y):
            return clone(model).fit(X, y).coef_
        for backend in ("loky", "threading"):
            for coef in Parallel(2, backend=backend)(delayed(fit)(model, X, y) for _ in range(3)):
                assert np.array_equal(coef, model.coef_), backend
        print("same")
    """
    assert output(program, timeout=240).strip() == "same"
