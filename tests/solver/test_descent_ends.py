"""Where descent over rows that does not come to an end is cut off: at the same epoch wherever the work is cut."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from widemargin.data.rows import native_rows
from widemargin.loss.losses import Hinge
from widemargin.model.class_problem import ClassProblem
from widemargin.model.linear_problem import LinearProblem
from widemargin.solver import class_descent, dual_descent

ENDLESS = 1 << 40


def ended(solver, budget):
    state = solver.start()
    while (kind := solver.advance(state, budget, ENDLESS)) is None:
        pass
    return kind, state


def rows():
    X, y = make_classification(90, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.3, random_state=0)
    return np.ascontiguousarray(X), y


@pytest.mark.parametrize("budget", [7, 90 * 33, 10**6])
def test_descent_of_all_classes_is_cut_off_at_the_same_epoch(budget, monkeypatch):
    monkeypatch.setattr(class_descent, "SLOW", 50)
    X, y = rows()
    problem = ClassProblem(X, native_rows(X), y, np.full(90, 1e3), 3)
    kind, state = ended(class_descent.ClassSolver(problem, 1e-12), budget)
    assert (kind, state.epoch, state.position) == ("stalled", 50, 0)


@pytest.mark.parametrize("budget", [7, 90 * 33, 10**6])
def test_dual_descent_is_cut_off_at_the_same_epoch(budget, monkeypatch):
    monkeypatch.setattr(dual_descent, "MOST", 50)
    X, y = rows()
    problem = LinearProblem(X, np.where(y > 0, 1.0, -1.0), np.full(90, 1e3), Hinge())
    kind, state = ended(dual_descent.DescentSolver(problem, 1e-12), budget)
    assert (kind, state.epoch, state.position) == ("stalled", 51, 0)
