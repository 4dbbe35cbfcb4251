"""The folds that probabilities are learnt from, as those see them who set limits."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from widemargin import SVC, SVCCV, NuSVC
from widemargin.base import drive
from widemargin.base.errors import BadInput

X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.2


@pytest.mark.parametrize(("threads", "share"), [(1, 1.0), (2, 1.5), (5, 3.0)])
def test_folds_and_the_machine_share_max_time(threads, share, monkeypatch):
    seen, clock = [], [100.0]
    learn = SVC._learn

    def look(self, data, places, problems, beside, watch=None):
        seen.append((self.probability, self.max_time, watch.deadline))
        clock[0] += 0.25  # every fit takes that long
        learn(self, data, places, problems, beside, watch)

    monkeypatch.setattr(SVC, "_learn", look)
    monkeypatch.setattr(drive.time, "monotonic", lambda: clock[0])
    SVC(probability=True, random_state=0, max_time=6.0, n_jobs=threads).fit(X, y)
    assert [time for whole, time, _ in seen if not whole] == [share] * 5
    assert seen[-1] == (True, 6.0, 106.0)


@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.1)], ids=str)
def test_a_fit_that_ends_early_warns_once(machine):
    with pytest.warns(ConvergenceWarning, match="terminated early") as told:
        machine.set_params(probability=True, random_state=0, max_iter=3).fit(X, y)
    assert len(told) == 1


def test_folds_that_did_not_converge_are_told_of(monkeypatch):
    keep = SVC._keep

    def fail(self, *a):
        keep(self, *a)
        self.converged_ = self.probability

    monkeypatch.setattr(SVC, "_keep", fail)
    with pytest.warns(ConvergenceWarning, match="^5 of the folds"):
        SVC(probability=True, random_state=0).fit(X, y)


def test_a_search_can_learn_probabilities():
    found = SVCCV(Cs=[1.0, 10.0], cv=3, probability=True, random_state=0).fit(X, y)
    assert (found.classes_[found.predict_proba(X).argmax(axis=1)] == found.predict(X)).all()


def test_a_search_says_that_it_cannot_score_probabilities():
    with pytest.raises(BadInput, match="'neg_log_loss' needs probabilities"):
        SVCCV(Cs=[1.0], cv=3, probability=True, scoring="neg_log_loss").fit(X, y)
    with pytest.raises(AttributeError, match="no such thing"):
        SVCCV(Cs=[1.0], cv=3, scoring=lambda *_: _fail()).fit(X, y)


def _fail():
    raise AttributeError("no such thing")
