"""Labels of any kind are learnt alike and come back as they were given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.common.estimators import each_classifier, few, is_ensemble, make, sample, schemed, takes

import widemargin as wm
from widemargin import store

THREE = {  # in the order of their classes
    "words": ["cat", "dog", "eel"],
    "words of other scripts": ["Ärger", "йод", "日本"],
    "negative": [-7, -1, 3],
    "whole floats": [-1.0, 0.0, 2.0],
    "floats far apart": [-1e6, 0.0, 2e9],
    "large": [2**40, 2**41, 2**62],
    "beyond int64": np.array([1, 2**63, 2**64 - 1], np.uint64),
    "beyond float64": [2**53, 2**53 + 1, 2**53 + 2],
    "int8": np.array([-128, 0, 127], np.int8),
    "uint8": np.array([0, 1, 255], np.uint8),
    "byte-swapped": np.array([-300, 0, 300], ">i4"),
    "float32": np.array([0, 1, 2], np.float32),
}
TWO = {
    "truth values": [False, True],
    "signs": [-1, 1],
    "zero and one": [0, 1],
    "texts that look like numbers": ["0", "1"],
    "far apart": [-(2**63), 2**63 - 1],
}
CONTAINERS = {
    "array": lambda labels: labels,
    "list": lambda labels: labels.tolist(),
    "objects": lambda labels: labels.astype(object),
    "strided": lambda labels: np.repeat(labels, 3)[::3],
    "Series": pd.Series,
    "Series with other index": lambda labels: pd.Series(labels, index=np.arange(len(labels))[::-1]),
    "nullable Series": lambda labels: pd.Series(labels).convert_dtypes(),
    "categorical": lambda labels: pd.Series(labels).astype("category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
}


def check(cls, values, container):
    values = np.asarray(values)
    X, codes = sample(cls, k=len(values))
    labels = values[codes]
    given = CONTAINERS[container](labels)
    model, plain = make(cls).fit(X, given), make(cls).fit(X, codes)
    assert model.classes_.tolist() == values.tolist()
    if not is_ensemble(cls):
        assert model.decision_function(X).tobytes() == plain.decision_function(X).tobytes()
    assert model.predict(X).tolist() == values[plain.predict(X)].tolist()
    assert model.certificate_.data_digest == plain.certificate_.data_digest
    assert wm.certify(model, X, given).holds == plain.certificate_.holds
    assert store.loads(store.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


@each_classifier
@pytest.mark.parametrize("kind", THREE)
def test_three_labels(cls, kind):
    check(cls, THREE[kind], "array")


@each_classifier
@pytest.mark.parametrize("kind", TWO)
def test_two_labels(cls, kind):
    check(cls, TWO[kind], "array")


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("values", [THREE["words"], THREE["negative"], TWO["truth values"]], ids=str)
def test_containers(container, values):
    check(wm.Perceptron, values, container)


def test_categories_that_do_not_occur_are_no_classes():
    X, codes = sample(wm.Perceptron, k=2)
    y = pd.Series(pd.Categorical.from_codes(codes, ["no", "yes", "perhaps"]))
    assert make(wm.Perceptron).fit(X, y).classes_.tolist() == ["no", "yes"]


@each_classifier
def test_many_classes_one_against_one_and_against_the_rest(cls):
    if is_ensemble(cls):  # all classes at once
        return
    X, y = sample(cls, n=90, k=9)
    for scheme, parts in (("ovr", 9), ("ovo", 36)):
        share = {"nu": 0.1} if takes(cls, "nu") else {}
        model = make(cls, **schemed(cls, scheme), **few(cls, 3), **share).fit(X, y * 1000 - 4000)
        assert model.decision_function(X).shape == (90, 9)
        assert len(model.certificate_.parts) == parts
        assert set(model.predict(X)) <= set(y * 1000 - 4000)


@each_classifier
def test_labels_of_a_stream_may_come_in_any_order_and_type(cls):
    if not hasattr(cls, "partial_fit"):
        return
    X, codes = sample(cls)
    words = np.array(["cat", "dog", "eel"])
    streams = []
    for values, classes in ((np.arange(3), [2, 0, 1, 1]), (words, ["eel", "cat", "dog"])):
        model = make(cls)
        for part in (codes == 0, codes == 2, codes == 1):
            model.partial_fit(X[part], values[codes[part]], classes=classes)
        streams.append(model.decision_function(X).tobytes())
    assert streams[0] == streams[1]
