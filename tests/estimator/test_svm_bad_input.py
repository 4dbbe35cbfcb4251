"""Bad input of support vector machines and their kernels: a named exception, one sentence, a model left as it was."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from tests.common.estimators import fingerprint
from tests.estimator.svm_cases import (
    CLASSES,
    NUMBERS,
    USUAL,
    WORDS,
    Counted,
    N,
    X,
    each_classifier,
    each_machine,
    letters,
    machine,
    targets,
)

import widemargin as wm
from widemargin.base.errors import BadInput, NotSeparable, TooLarge, WrongType
from widemargin.base.params import InvalidParameterError
from widemargin.kernels import Linear, Mahalanobis, Precomputed

NAN, INF = float("nan"), float("inf")

# ---- what a fit refuses ---------------------------------------------------------------------------------------------


def placed(row, column, value):
    def act(X):
        X = X.copy()
        X[row, column] = value
        return X

    return act


def gram(change):
    return lambda X: change(X @ X.T)


FITS = {  # parameters, what becomes of X, exception, words
    "A for other rows": ({"kernel": Mahalanobis(np.eye(4))}, None, BadInput, "4 features, but the rows have 3"),
    "polynomial overflows": (
        {"kernel": "poly", "degree": 9, "gamma": 1.0},
        lambda X: 1e60 * X,
        BadInput,
        r"\(x·z\)\^9 overflows for 40 rows, the first being row 0: scale",
    ),
    "exponential overflows": ({"kernel": Linear().exp()}, lambda X: 1e3 * X, BadInput, "kernel gave inf .*: scale"),
    "huge value": ({}, placed(3, 1, -1e150), TooLarge, r"-1e\+150 \(row 3, column 1\).*: scale"),
    "huge value in CSR": ({}, lambda X: sp.csr_array(1e140 * X), TooLarge, r"e\+140 \(row \d+, column \d\)"),
    "function beyond float32": ({"kernel": lambda a, b: 1e60 * (a @ b.T)}, None, BadInput, "float32 cannot hold"),
    "matrix beyond float32": ({"kernel": "precomputed"}, gram(lambda K: 1e60 * K), BadInput, "float32 cannot hold"),
    "matrix not square": ({"kernel": "precomputed"}, gram(lambda K: K[:, :30]), BadInput, r"its shape is \(40, 30\)"),
    "matrix as an object": ({"kernel": Precomputed()}, gram(lambda K: K[:, :9]), BadInput, r"its shape is \(40, 9\)"),
    "matrix with NaN": ({"kernel": "precomputed"}, gram(placed(2, 5, NAN)), BadInput, r"NaN \(row 2, column 5\)"),
    "matrix with infinity": ({"kernel": "precomputed"}, gram(placed(4, 4, INF)), BadInput, r"row 4, column 4"),
    "sparse matrix": ({"kernel": "precomputed"}, gram(sp.csr_array), WrongType, "Sparse precomputed .*dense"),
    "sparse matrix as an object": ({"kernel": Precomputed()}, gram(sp.csc_array), WrongType, "Sparse precomputed"),
    "function of another shape": (
        {"kernel": lambda a, b: np.ones((len(b), 3))},
        None,
        BadInput,
        r"shape \((40|1), 3\) for (40 and 40|1 and 1) rows",
    ),
    "function of one number": ({"kernel": lambda a, b: 1.0}, None, BadInput, r"shape \(\)"),
    "function of nothing": ({"kernel": lambda a, b: None}, None, BadInput, r"shape \(\)"),
    "function of NaN": ({"kernel": lambda a, b: a @ b.T * NAN}, None, BadInput, "gave nan for items 0 and 0"),
    "function of complex": ({"kernel": lambda a, b: a @ b.T * 1j}, None, BadInput, "complex128.*real numbers"),
    "function of words": ({"kernel": lambda a, b: (a @ b.T).astype(str)}, None, BadInput, "real numbers"),
    "function that fails": ({"kernel": lambda a, b: a @ b}, None, ValueError, "matmul"),
    "words for rows": ({"kernel": "rbf"}, lambda X: WORDS, ValueError, "'eel'"),
    "words for a matrix": ({"kernel": "precomputed"}, lambda X: WORDS, ValueError, "'eel'"),
    "a function of words that gives none": (
        {"kernel": lambda a, b: None},
        lambda X: WORDS,
        BadInput,
        "gave None for 'eel' and 'eel'",
    ),
    "a function of words that gives words": (
        {"kernel": lambda a, b: "eel"},
        lambda X: WORDS,
        BadInput,
        "gave 'eel' for 'eel' and 'eel'",
    ),
    "a function of words that gives NaN": ({"kernel": lambda a, b: NAN}, lambda X: WORDS, BadInput, "gave nan"),
    "words and a number": ({"kernel": letters}, lambda X: [*WORDS[:-1], 3], TypeError, "'int'"),
    "a number and words": ({"kernel": letters}, lambda X: [3, *WORDS[1:]], ValueError, "'heel'"),
    "rows and a word": ({"kernel": letters}, lambda X: [*X.tolist()[:-1], "eel"], ValueError, "inhomogeneous"),
    "rows of two lengths": ({"kernel": "rbf"}, lambda X: [*X.tolist()[:-1], [1.0]], ValueError, "inhomogeneous"),
    "no items": ({"kernel": letters}, lambda X: [], ValueError, r"array=\[\]|no items|0 sample"),
    "too few items": ({"kernel": letters}, lambda X: WORDS[:-1], BadInput, "39 items but 40|X has 39"),
}


def cases():
    for cls in USUAL:
        for name, case in FITS.items():
            if not (cls is wm.OneClassSVM and name == "too few items"):  # it reads no labels
                yield pytest.param(cls, case, id=f"{cls.__name__}-{name}")


@pytest.mark.parametrize(("cls", "case"), list(cases()))
def test_a_fit_refuses_and_leaves_the_model_as_it_was(cls, case):
    params, change, error, words = case
    model = machine(cls).fit(X, targets(cls))
    before, parameters = fingerprint(model), model.get_params()
    with pytest.raises(error, match=words) as caught:
        model.set_params(**params).fit(X if change is None else change(X), targets(cls))
    if error in (BadInput, WrongType, TooLarge):
        assert type(caught.value) is error
        assert "\n" not in str(caught.value)
    assert fingerprint(model) == before
    model.set_params(**{name: parameters[name] for name in params})
    assert wm.certify(model, X, targets(cls)).holds
    assert len(model.predict(X)) == N


@each_machine
def test_a_warning_made_an_error_leaves_the_model_that_it_tells_of(cls):
    if cls is wm.SVCCV:
        return  # that is its machine's warning
    model = machine(cls, max_iter=2)
    with warnings.catch_warnings(action="error"), pytest.raises(ConvergenceWarning, match="max_iter=2"):
        model.fit(X, targets(cls))
    assert model.certificate_.relative_gap > model.gap_tol
    assert model.predict(X).shape == (N,)


def test_a_tube_that_cannot_hold_every_row_is_refused():
    model = wm.SVR().fit(X, NUMBERS)
    before = fingerprint(model)
    with pytest.raises(BadInput, match=r"still lie outside of epsilon=0\.1: raise epsilon"):
        model.set_params(C=INF).fit(X[[0, 0, 1]], [-1.0, 1.0, 0.0])
    assert fingerprint(model) == before


def test_classes_that_cannot_be_separated_leave_the_model_as_it_was():
    model = wm.SVC().fit(X, CLASSES)
    before = fingerprint(model)
    with pytest.raises(NotSeparable, match="witness of 4 rows"):
        model.set_params(C=INF, kernel="linear").fit(X[:, 1:], CLASSES)
    assert fingerprint(model) == before


@pytest.mark.parametrize("learnt", ["rows", "words"])
def test_items_of_another_kind_are_refused_at_predict(learnt):
    rows, words = wm.SVC(kernel=Counted()).fit(X, CLASSES), wm.SVC(kernel=letters).fit(WORDS, CLASSES)
    model, other = (rows, WORDS) if learnt == "rows" else (words, X)
    with pytest.raises(WrongType, match="rows of numbers with other items"):
        model.predict(other)


@each_machine
def test_a_matrix_for_predict_needs_a_column_for_every_row_of_the_fit(cls):
    model = machine(cls, kernel="precomputed").fit(X @ X.T, targets(cls))
    with pytest.raises(ValueError, match=r"30 features, but .* is expecting 40"):
        model.predict((X @ X.T)[:, :30])


# ---- parameters, targets and weights --------------------------------------------------------------------------------

RANGES = {
    "gamma": [-1, NAN, INF, "eel", None],
    "degree": [-1, 1.5, NAN, "3"],
    "coef0": [NAN, INF, "eel", None],
    "C": [0, -1, NAN, "eel", None],
    "nu": [0, -0.1, 1.1, NAN, "eel"],
    "epsilon": [-1e-9, NAN, INF, None],
    "tol": [0, -1, NAN, INF],
    "gap_tol": [0, -1, NAN, INF, None],
    "cache_size": [0, -1, NAN, INF, "eel"],
    "max_iter": [0, -2, 1.5, NAN, None],
    "max_time": [0, -1, NAN, INF, "eel"],
    "shrinking": [2, "eel", None],
    "warm_start": ["eel", None],
    "kernel": ["eel", None, 3, ["rbf"]],
    "probability": ["eel", 2],
    "decision_function_shape": ["eel", None],
    "multiclass": ["eel", None],
}


def parameters():
    for cls in USUAL:
        for name, values in RANGES.items():
            if name in cls().get_params():
                yield pytest.param(cls, name, values, id=f"{cls.__name__}-{name}")


@pytest.mark.parametrize(("cls", "name", "values"), list(parameters()))
def test_a_parameter_out_of_range_is_named_with_its_value_before_the_data_are_read(cls, name, values):
    for value in values:
        with pytest.raises(InvalidParameterError, match=f"{name!r} parameter of {cls.__name__} must") as caught:
            machine(cls, **{name: value}).fit("no data", "no labels")
        assert f"Got {value!r} instead" in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "weight", "params", "at_most"),
    [
        (np.repeat([0, 1], [36, 4]), None, {}, 0.2),
        (np.repeat([0, 1, 2], [18, 18, 4]), None, {}, 0.363636),
        (np.repeat([0, 1, 2], [13, 13, 14]), None, {"multiclass": "ovr", "nu": 0.7}, 0.65),
        (np.repeat([0, 1], 20), np.repeat([9.0, 1.0], 20), {}, 0.2),
        (np.repeat([0, 1], 20), None, {"class_weight": {0: 9.0}}, 0.2),
        (np.repeat([0, 1], [36, 4]), None, {"probability": True}, 0.2),
    ],
    ids=["two", "pairs", "rest", "weights", "class weights", "probability"],
)
def test_an_infeasible_nu_is_told_before_any_kernel_value(labels, weight, params, at_most):
    kernel = Counted()
    model = wm.NuSVC(kernel=kernel, **{"nu": 0.5, **params})
    with pytest.raises(BadInput, match=rf"nu is {model.nu}, but these classes allow at most {at_most} .*: lower nu"):
        model.fit(X, labels, sample_weight=weight)
    assert kernel.calls == 0


@each_classifier
def test_one_class_is_told_before_any_kernel_value(cls):
    kernel = Counted()
    with pytest.raises(BadInput, match="only one class: 7"):
        machine(cls, kernel=kernel).fit(X, np.full(N, 7))
    with pytest.raises(BadInput, match="only one class: 1"):
        machine(cls, kernel=kernel).fit(X, CLASSES, sample_weight=(CLASSES == 1).astype(float))
    assert kernel.calls == 0


WEIGHTS = {
    "all zero": (np.zeros(N), "all 40 sample weights are zero"),
    "too few": (np.ones(N - 1), r"shape \(39,\), but X has 40"),
    "two columns": (np.ones((N, 2)), r"shape \(40, 2\)"),
    "NaN": (np.where(np.arange(N) == 6, NAN, 1.0), "nan in row 6"),
    "words": (["eel"] * N, "eel"),
}


@each_machine
@pytest.mark.parametrize("case", WEIGHTS)
def test_weights_that_cannot_be_are_told_before_any_kernel_value(cls, case):
    kernel = Counted()
    weight, words = WEIGHTS[case]
    with pytest.raises(BadInput, match=words):
        machine(cls, kernel=kernel).fit(X, targets(cls), sample_weight=weight)
    assert kernel.calls == 0


@each_machine
def test_rows_of_negative_weight_are_left_out_and_that_is_said_once(cls):
    weight = np.where(np.arange(N) % 8 == 7, -2.0, 1.0)
    with pytest.warns(DataConversionWarning, match=r"-2\.0 in row 7: .* 5 of 40, are left out") as caught:
        model = machine(cls).fit(X, targets(cls), sample_weight=weight)
    assert len(caught) == 1
    absent = machine(cls).fit(X, targets(cls), sample_weight=np.maximum(weight, 0))
    np.testing.assert_array_equal(model.predict(X), absent.predict(X))
    with pytest.warns(DataConversionWarning), pytest.raises(BadInput, match="all 40 sample weights are zero"):
        model.fit(X, targets(cls), sample_weight=-np.ones(N))


@each_machine
def test_targets_that_are_no_numbers_are_told(cls):
    if cls is wm.OneClassSVM:
        machine(cls).fit(X, np.full(N, NAN))  # it reads none
        return
    with pytest.raises(BadInput, match="NaN, the first in row 8"):
        machine(cls).fit(X, np.where(np.arange(N) == 8, NAN, targets(cls)))


def test_a_class_too_small_for_probabilities_is_told():
    with pytest.raises(BadInput, match="at least 2 rows of each class, but class 1 has 1"):
        wm.SVC(probability=True).fit(X, (np.arange(N) == 3).astype(int))


def test_ties_cannot_be_broken_without_scores_of_classes():
    model = wm.SVC(break_ties=True, decision_function_shape="ovo").fit(X, np.arange(N) % 3)
    with pytest.raises(BadInput, match="break_ties must be False when decision_function_shape is 'ovo'"):
        model.predict(X)
