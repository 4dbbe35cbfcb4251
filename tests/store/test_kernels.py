"""Every kernel with a finite description can be saved, alone and inside of a model."""

import numpy as np
import pandas as pd
import pytest
from tests.kernels.expressions import EVERY_KIND, D

import widemargin as wm
from widemargin import store
from widemargin.base.errors import CannotStore, DamagedFile
from widemargin.kernels import RBF, Function, Linear, Mahalanobis, Scaled


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=str)
def test_a_kernel_comes_back_as_it_was(kernel):
    data = store.dumps(kernel)
    again = store.loads(data)
    assert again == kernel
    assert store.dumps(again) == data


@pytest.mark.parametrize("kernel", EVERY_KIND, ids=str)
def test_a_model_comes_back_with_its_kernel(kernel):
    X = np.random.default_rng(0).gamma(1.0, size=(60, D))
    y = X[:, 0] > X[:, 1]
    model = wm.KernelPerceptron(kernel=kernel, max_iter=5).fit(X, y)
    again = store.loads(store.dumps(model))
    assert again.kernel_ == again.kernel == kernel
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_names_of_columns_are_kept_in_the_parameter_and_numbers_in_the_kernel():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "c"])
    model = wm.KernelPerceptron(kernel=RBF(0.5).on(["c", "a"]), max_iter=5).fit(X, X["a"] > 0)
    again = store.loads(store.dumps(model))
    assert again.kernel == RBF(0.5).on(["c", "a"])
    assert again.kernel_ == RBF(0.5).on([2, 0])


def test_a_function_inside_an_expression_is_refused():
    with pytest.raises(CannotStore, match="Function"):
        store.dumps(RBF(0.5) + Function(max))


def test_a_file_with_something_else_inside_is_refused():
    broken = Scaled(Linear(), 2.0)
    object.__setattr__(broken, "kernel", 3)
    with pytest.raises(CannotStore, match="kernel is int"):
        store.dumps(broken)
    data = store.dumps(Mahalanobis(np.eye(2)))
    with pytest.raises(DamagedFile):
        store.loads(data[:-8])
