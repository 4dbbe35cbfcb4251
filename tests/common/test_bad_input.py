"""Bad input: the documented exception, in a sentence that names the number or the name at fault."""

from __future__ import annotations

import datetime
import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from tests.common.estimators import (
    CLASSIFIERS,
    ESTIMATORS,
    is_bag,
    is_booster,
    is_ensemble,
    is_tree,
    make,
    reads_targets,
    sample,
    takes,
)

import widemargin as wm
from widemargin.base.errors import BadInput, DataMismatch


class Case:
    """What is done to an estimator (a class), and what comes of it."""

    def __init__(self, act, error, words, needs=()):
        self.act, self.error, self.words, self.needs = act, error, words, needs


def fit(X=None, y=None, **options):
    """A fit with good data in place of what is not given."""

    def act(cls):
        good = sample(cls)
        return make(cls).fit(*(g if b is None else b(g) for g, b in zip(good, (X, y), strict=True)), **options)

    return act


def changed(position, value, dtype=None, container=np.asarray):
    def act(X):
        X = X.astype(dtype or X.dtype)
        X[position] = value
        return container(X)

    return act


def matrix(X):
    with warnings.catch_warnings(action="ignore"):
        return np.asmatrix(X)


def fitted(cls):
    return make(cls).fit(*sample(cls))


def weighted(w):
    return lambda cls: make(cls).fit(*sample(cls), sample_weight=w)


NAN, INF = float("nan"), float("inf")
FEATURES = "8 features, but .* is expecting 4 features"

EVERY = {
    # ---- X -----------------------------------------------------------------------------------------------------
    "NaN": Case(fit(changed((7, 2), NAN)), BadInput, r"X contains NaN \(row 7, column 2\)"),
    "infinity": Case(fit(changed((0, 3), INF)), BadInput, r"X contains infinity \(row 0, column 3\)"),
    "minus infinity": Case(fit(changed((44, 0), -INF)), BadInput, r"X contains infinity \(row 44, column 0\)"),
    "NaN in float32": Case(fit(changed((7, 2), NAN, np.float32)), BadInput, r"NaN \(row 7, column 2\)"),
    "NaN in CSR": Case(fit(changed((7, 2), NAN, container=sp.csr_array)), BadInput, r"NaN \(row 7, column 2\)"),
    "infinity in CSC": Case(fit(changed((9, 1), INF, container=sp.csc_array)), BadInput, r"infinity \(row 9, column 1"),
    "NaN in Fortran order": Case(fit(changed((7, 2), NAN, container=np.asfortranarray)), BadInput, r"row 7, column 2"),
    "missing in pandas": Case(
        fit(
            lambda X: (
                pd.DataFrame(X, columns=list("abcd")).convert_dtypes().mask(np.arange(X.size).reshape(X.shape) == 9)
            )
        ),
        BadInput,
        r"X contains NaN \(row 2, column 1\)",
    ),
    "null in polars": Case(
        fit(lambda X: pl.DataFrame([[1.0, None, 2.0], [3.0, 4.0, 5.0]], schema=["a", "b"]), lambda y: y[:3]),
        BadInput,
        r"X contains NaN \(row 1, column 0\)",
    ),
    "masked X": Case(
        fit(lambda X: np.ma.masked_array(X, np.arange(X.size).reshape(X.shape) == 6)),
        BadInput,
        r"masked \(row 1, column 2",
    ),
    "first NaN of several": Case(fit(changed(([9, 7, 30], [0, 2, 1]), NAN)), BadInput, r"row 7, column 2"),
    "no rows": Case(fit(lambda X: X[:0], lambda y: y[:0]), ValueError, r"0 sample\(s\)"),
    "no columns": Case(fit(lambda X: X[:, :0]), ValueError, r"0 feature\(s\)"),
    "1-D X": Case(fit(lambda X: X[:, 0]), ValueError, "got 1D array"),
    "0-D X": Case(fit(lambda X: 3.0), ValueError, "got scalar array"),
    "3-D X": Case(fit(lambda X: X[None]), ValueError, "dim 3"),
    "ragged X": Case(fit(lambda X: [[1.0, 2.0], [3.0]], lambda y: y[:2]), ValueError, "inhomogeneous shape"),
    "complex X": Case(fit(lambda X: X + 1j), ValueError, "Complex data not supported"),
    "words in X": Case(fit(lambda X: np.full(X.shape, "eel")), ValueError, "eel"),
    "objects in X": Case(fit(lambda X: [["eel"] * 4] * 45), ValueError, "eel"),
    "dates in X": Case(fit(lambda X: X.astype("M8[D]")), BadInput, r"datetime64\[D\], column 0"),
    "dates in a frame": Case(
        fit(lambda X: pd.DataFrame(X).assign(d=X[:, 0].astype("m8[s]"))), BadInput, r"timedelta64\[s\], column 4"
    ),
    "None as X": Case(fit(lambda X: None), ValueError, "X is None"),
    "np.matrix": Case(fit(lambda X: matrix(X)), TypeError, "np.matrix is not supported"),
    "huge X": Case(fit(changed((3, 1), 1e150)), BadInput, r"1e\+150 \(row 3, column 1\).*overflow"),
    "huge CSR": Case(fit(changed((3, 1), -1e308, container=sp.csr_array)), BadInput, r"-1e\+308 \(row 3, column 1\)"),
    "X a dictionary": Case(fit(lambda X: {"a": X}), TypeError, "dict"),
    # ---- weights -----------------------------------------------------------------------------------------------
    "NaN weight": Case(weighted(np.where(np.arange(45) == 6, NAN, 1.0)), BadInput, "sample_weight .*is nan in row 6"),
    "infinite weight": Case(
        weighted(np.where(np.arange(45) == 7, INF, 1.0)), BadInput, "sample_weight .*is inf in row 7"
    ),
    "all weights zero": Case(weighted(np.zeros(45)), BadInput, "all 45 sample weights are zero"),
    "weight zero": Case(weighted(0.0), BadInput, "all 45 sample weights are zero"),
    "short weights": Case(weighted(np.ones(44)), BadInput, r"shape \(44,\).* 45 rows"),
    "2-D weights": Case(weighted(np.ones((45, 1))), BadInput, r"shape \(45, 1\).* 45 rows"),
    "words as weights": Case(weighted(["heavy"] * 45), BadInput, "heavy"),
    "complex weights": Case(weighted(np.ones(45) * 1j), BadInput, "complex128"),
    "None among weights": Case(weighted([None] * 45), BadInput, "None|nan in row 0"),
    "huge weights": Case(weighted(np.full(45, 1e308)), BadInput, r"1e\+308 in row 0"),
    # ---- use ---------------------------------------------------------------------------------------------------
    "unfitted": Case(lambda cls: make(cls).predict([[1.0] * 4]), NotFittedError, "is not fitted yet"),
    "unfitted certify": Case(lambda cls: wm.certify(make(cls), *sample(cls)), NotFittedError, "is not fitted yet"),
    "features at predict": Case(lambda cls: fitted(cls).predict(np.ones((2, 8))), ValueError, FEATURES),
    "NaN at predict": Case(
        lambda cls: fitted(cls).predict([[1, 2, 3, 4], [1, NAN, 3, 4]]), BadInput, r"row 1, column 1"
    ),
    "infinity at predict": Case(
        lambda cls: fitted(cls).predict(sp.csr_array([[0, 0, 0, INF]])), BadInput, r"infinity \(row 0, column 3\)"
    ),
    "no rows at predict": Case(lambda cls: fitted(cls).predict(np.ones((0, 4))), ValueError, r"0 sample\(s\)"),
    "1-D at predict": Case(lambda cls: fitted(cls).predict(np.ones(4)), ValueError, "got 1D array"),
    "other data": Case(
        lambda cls: wm.certify(fitted(cls), *sample(cls, seed=1)), DataMismatch, "45 rows with digest [0-9a-f]{32}"
    ),
    "data in other order": Case(
        lambda cls: wm.certify(fitted(cls), *(a[::-1] for a in sample(cls))), DataMismatch, "not the data of the fit"
    ),
    "data with weights": Case(
        lambda cls: wm.certify(fitted(cls), *sample(cls), sample_weight=np.arange(1, 46)), DataMismatch, "not the data"
    ),
    "fewer rows to certify": Case(
        lambda cls: wm.certify(fitted(cls), *(a[:-1] for a in sample(cls))), DataMismatch, "44 rows with digest"
    ),
    "features to certify": Case(
        lambda cls: wm.certify(fitted(cls), np.ones((45, 8)), sample(cls)[1]), ValueError, FEATURES
    ),
    "unknown parameter": Case(lambda cls: cls(learning=3), TypeError, "'learning'"),
    "unknown parameter set": Case(lambda cls: cls().set_params(learning=3), ValueError, "'learning'"),
    "unknown parameter of a pipeline": Case(
        lambda cls: make_pipeline(cls()).set_params(**{f"{cls.__name__.lower()}__learning": 3}),
        ValueError,
        "'learning'",
    ),
    "positional parameter": Case(lambda cls: cls(3), TypeError, "positional"),
    "n_jobs = 0": Case(lambda cls: make(cls, n_jobs=0).fit(*sample(cls)), ValueError, "n_jobs.* 0"),
    "seed too large": Case(
        lambda cls: make(cls, random_state=2**32).fit(*sample(cls)), ValueError, "4294967296", ["random_state"]
    ),
    "seed a word": Case(
        lambda cls: make(cls, random_state="x").fit(*sample(cls)), ValueError, "'random_state'.*'x'", ["random_state"]
    ),
}

# For those that read targets.
TARGETS = {
    "y too short": Case(fit(y=lambda y: y[:-1]), BadInput, r"X has 45 rows, but y has 44"),
    "y too long": Case(fit(lambda X: X[:40]), BadInput, r"X has 40 rows, but y has 45"),
    "y 2-D": Case(fit(y=lambda y: np.column_stack([y, y])), BadInput, r"its shape is \(45, 2\)"),
    "y 3-D": Case(fit(y=lambda y: y.reshape(45, 1, 1)), BadInput, r"its shape is \(45, 1, 1\)"),
    "y 0-D": Case(fit(y=lambda y: 3), BadInput, r"its shape is \(\)"),
    "y None": Case(fit(y=lambda y: None), ValueError, "requires y to be passed"),
    "NaN in y": Case(fit(y=changed(8, NAN, float)), BadInput, "y contains NaN, the first in row 8"),
    "infinity in y": Case(fit(y=changed(3, INF, float)), BadInput, "y contains infinity .* in row 3"),
    "None in y": Case(fit(y=changed(4, None, object)), BadInput, "None in row 4"),
    "NA in y": Case(
        fit(y=lambda y: pd.Series(y).convert_dtypes().mask(y == y[6])), BadInput, r"NaN, the first in row \d"
    ),
    "masked y": Case(fit(y=lambda y: np.ma.masked_array(y, y == y[6])), BadInput, r"y is masked in \d+ rows"),
    "complex y": Case(fit(y=lambda y: y + 1j), BadInput, "complex128"),
    "bytes in y": Case(fit(y=lambda y: y.astype("S")), BadInput, r"labels of type \|S"),
    "dates in y": Case(fit(y=lambda y: y.astype(int).astype("M8[D]")), BadInput, "datetime64"),
    "lists in y": Case(fit(y=lambda y: [[1]] * 44 + [[1, 2]]), BadInput, "entries differ in length"),
    "dictionary in y": Case(fit(y=lambda y: [{"a": 1}] * 45), BadInput, r"\{'a': 1\} in row 0"),
    "sets in y": Case(fit(y=lambda y: [*y.tolist()[:-1], {1}]), BadInput, r"\{1\} in row 44"),
    "decimals in y": Case(fit(y=lambda y: [decimal.Decimal(1)] * 45), BadInput, r"Decimal\('1'\) in row 0"),
    "datetime in y": Case(fit(y=lambda y: [datetime.date(2000, 1, 2)] * 45), BadInput, r"date\(2000, 1, 2\) in row 0"),
    "mixed labels": Case(
        fit(y=lambda y: ["a", *y.tolist()[1:]]), BadInput, "mixes text and numbers .'a' in row 0, .* in row 1"
    ),
    "mixed objects": Case(fit(y=changed(9, "a", object)), BadInput, "mixes text and numbers .'a' in row 9"),
    "labels beyond 64 bits": Case(
        fit(y=lambda y: [2**70, *y.tolist()[1:]]), BadInput, "64 bits, such as 1180591620717"
    ),
    "features at score": Case(
        lambda cls: fitted(cls).score(sp.csr_array((45, 8)), sample(cls)[1]), ValueError, FEATURES
    ),
}

# Support vector machines leave such rows out with a warning, as LIBSVM does.
NEGATIVE = {
    "negative weight": Case(weighted(np.where(np.arange(45) == 5, -0.5, 1.0)), BadInput, r"-0\.5 in row 5"),
}

CLASSIFIER = {
    "one class": Case(fit(y=lambda y: y * 0 + 7), BadInput, "only one class: .*7"),
    "one row": Case(fit(lambda X: X[:1], lambda y: y[:1]), BadInput, "only one class"),
    "one class left by weights": Case(
        lambda cls: make(cls).fit(*sample(cls, k=2), sample_weight=sample(cls, k=2)[1]), BadInput, "only one class: .*1"
    ),
    "continuous y": Case(fit(y=lambda y: y + 0.5 * (y > 1)), BadInput, r"continuous, the first being 2\.5 in row 0"),
    "numbers that are no class": Case(
        fit(lambda X: X, lambda y: y + 1e-9), BadInput, "Unknown label type: continuous, the first being .* in row 0"
    ),
    "class_weight of an unknown class": Case(
        lambda cls: make(cls, class_weight={5: 2.0}).fit(*sample(cls)), BadInput, r"names 5, .* \[0, 1, 2\]"
    ),
    "class_weight of another type": Case(
        lambda cls: make(cls, class_weight={"1": 2.0}).fit(*sample(cls)), BadInput, r"names '1', .* \[0, 1, 2\]"
    ),
    "negative class_weight": Case(
        lambda cls: make(cls, class_weight={1: -2.0}).fit(*sample(cls)), BadInput, r"class_weight\[1\] is -2\.0"
    ),
    "NaN class_weight": Case(
        lambda cls: make(cls, class_weight={1: NAN}).fit(*sample(cls)), BadInput, r"class_weight\[1\] is nan"
    ),
    "class_weight a word": Case(
        lambda cls: make(cls, class_weight={1: "x"}).fit(*sample(cls)), BadInput, r"class_weight\[1\] is 'x'"
    ),
    "huge class_weight": Case(
        lambda cls: make(cls, class_weight={2: 1e300}).fit(*sample(cls)), BadInput, r"is 1e\+300 in row 0"
    ),
    "class_weight all zero": Case(
        lambda cls: make(cls, class_weight={0: 0, 1: 0, 2: 0}).fit(*sample(cls)),
        BadInput,
        "all 45 sample weights are zero",
    ),
    "class_weight a list": Case(
        lambda cls: make(cls, class_weight=[1, 2, 3]).fit(*sample(cls)), ValueError, r"'class_weight'.*\[1, 2, 3\]"
    ),
    "other classes to certify": Case(
        lambda cls: wm.certify(fitted(cls), sample(cls)[0], sample(cls)[1] + 1), DataMismatch, "not the data"
    ),
}


def streaming(cls, *batches, **params):
    model = make(cls, **params)
    for batch in batches:
        model.partial_fit(**batch)
    return model


def batch(cls, **other):
    X, y = sample(cls)
    return {"X": X, "y": y, **({"classes": [0, 1, 2]} if cls in CLASSIFIERS else {}), **other}


STREAM = {
    "features of a batch": Case(
        lambda cls: streaming(cls, batch(cls), batch(cls, X=np.ones((45, 8)))), ValueError, FEATURES
    ),
    "NaN in a batch": Case(
        lambda cls: streaming(cls, batch(cls), batch(cls, X=changed((2, 1), NAN)(sample(cls)[0]))),
        BadInput,
        "row 2, column 1",
    ),
    "stream to certify": Case(
        lambda cls: wm.certify(streaming(cls, batch(cls)), *sample(cls)), DataMismatch, "stream of batches"
    ),
}
CLASSIFIER_STREAM = {
    "no classes at first": Case(
        lambda cls: streaming(cls, batch(cls, classes=None)), BadInput, "classes must be passed on the first"
    ),
    "classes changed": Case(
        lambda cls: streaming(cls, batch(cls), batch(cls, classes=[0, 1, 3])),
        BadInput,
        r"classes=\[0, 1, 3\].* \[0,? 1,? 2\]",
    ),
    "one class": Case(lambda cls: streaming(cls, batch(cls, classes=[3, 3])), BadInput, "only one class: .*3"),
    "mixed classes": Case(lambda cls: streaming(cls, batch(cls, classes=["a", 1])), BadInput, "mixes text and numbers"),
    "label not among classes": Case(
        lambda cls: streaming(cls, batch(cls, classes=[0, 1])),
        BadInput,
        r"15 labels .* \[0, 1\], the first being 2 in row 0",
    ),
    "label of a later batch": Case(
        lambda cls: streaming(cls, batch(cls), batch(cls, y=sample(cls)[1] + 1)),
        BadInput,
        r"\[0, 1, 2\], the first being 3 in row 0",
    ),
    "words for numbers": Case(
        lambda cls: streaming(cls, batch(cls), batch(cls, y=sample(cls)[1].astype(str))), BadInput, r"'2'.* \[0, 1, 2\]"
    ),
    "numbers for words": Case(
        lambda cls: streaming(cls, batch(cls, classes=["0", "1", "2"])), BadInput, r"\[2\].* \['0', '1', '2'\]"
    ),
    "balanced stream": Case(
        lambda cls: streaming(cls, batch(cls), class_weight="balanced"), BadInput, "class_weight='balanced'"
    ),
}


# Missing values, several outputs and a single class are no fault there, and n_estimators may be given without its name.
MISSING = {name for name in EVERY if name.startswith(("NaN", "missing", "null", "first NaN")) and name != "NaN weight"}
NO_FAULT_OF_TREES = {
    *MISSING,
    *("y 2-D", "one class", "one row", "one class left by weights", "positional parameter"),
}


def no_faults(cls):
    if is_tree(cls):
        return NO_FAULT_OF_TREES
    if is_booster(cls):
        return {*MISSING, "positional parameter"}
    if not is_bag(cls):
        return ()
    # Members have class weights of their own, and are trees where nothing else is said; classifiers have one output.
    own = {name for name in CLASSIFIER if "class_weight" in name}
    return (NO_FAULT_OF_TREES | own) - ({"y 2-D"} if cls in CLASSIFIERS else set())


def cases():
    for cls in ESTIMATORS:
        tables = [EVERY]
        tables += [TARGETS] if reads_targets(cls) else []
        tables += [] if takes(cls, "gap_tol") else [NEGATIVE]
        streams = hasattr(cls, "partial_fit")
        tables += [STREAM] if streams else []
        tables += [CLASSIFIER] if cls in CLASSIFIERS else []
        tables += [CLASSIFIER_STREAM] if cls in CLASSIFIERS and streams else []
        for table in tables:
            for name, case in table.items():
                if not takes(cls, *case.needs) or name in no_faults(cls):
                    continue
                yield pytest.param(cls, case, id=f"{cls.__name__}-{name}")


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_a_failed_fit_leaves_no_trace(cls):
    """Not even what scikit-learn writes before anything is checked: the number and the names of the features."""
    X, y = sample(cls)
    fresh, learnt = make(cls), fitted(cls)
    before = dict(vars(fresh)), dict(vars(learnt))
    for model in (fresh, learnt):
        missing = INF if is_ensemble(cls) or is_booster(cls) else NAN
        with pytest.raises(BadInput, match="row 0, column 0"):
            model.fit(pd.DataFrame(np.full((45, 2), missing), columns=["a", "b"]), y)
    assert (vars(fresh), vars(learnt)) == before
    assert len(learnt.predict(X)) == 45


@pytest.mark.parametrize(("cls", "case"), list(cases()))
def test_bad_input_is_named(cls, case):
    with pytest.raises(case.error, match=case.words):
        case.act(cls)
