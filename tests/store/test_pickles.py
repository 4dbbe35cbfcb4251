"""A pickle with broken arrays is refused by name, whatever the estimator: nothing of it reaches a native loop."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.common.estimators import each_estimator, make, sample

import widemargin as wm
from widemargin import _core
from widemargin.base.errors import DamagedFile
from widemargin.kernels import Nystroem, RandomFourier

X, y = sample(wm.SVC)


def again(model):
    return pickle.loads(pickle.dumps(model))


def arrays_in(value, path=(), depth=0):
    """(path, array) of all arrays of numbers that an estimator keeps."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif sparse.issparse(value):
        yield (*path, "indices"), value.indices
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from arrays_in(item, (*path, k), depth + 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type) and depth < 6:
        for name, item in vars(value).items():
            if name not in ("proof_", "certificate_", "trace_", "native", "_views", "says", "speaking", "tables"):
                yield from arrays_in(item, (*path, name), depth + 1)


def put(root, path, value):
    for name in path[:-1]:
        root = root[name] if isinstance(name, int) else getattr(root, name)
    if isinstance(path[-1], int):
        root[path[-1]] = value
    elif type(root).__name__ == "Trees" or hasattr(type(root), "__dataclass_params__"):
        vars(root)[path[-1]] = value  # frozen records too
    else:
        setattr(root, path[-1], value)


@each_estimator
def test_shortened_arrays_in_a_pickle_are_refused_or_harmless(cls):
    """Each array of the model one entry shorter: a named error on loading, or a model that answers or refuses."""
    rows, target = sample(cls)
    model = make(cls).fit(rows, target)
    found = [path for path, array in arrays_in(model) if array.ndim and array.size]
    assert found
    refused = 0
    for path in found:
        twin = copy.deepcopy(model)
        array = dict(arrays_in(twin))[path]
        put(twin, path, array[:-1])
        try:
            back = again(twin)
        except DamagedFile:
            refused += 1
            continue
        back.predict(rows)
    assert refused >= min(3, len(found))


@each_estimator
def test_arrays_of_another_type_in_a_pickle_are_refused(cls):
    rows, target = sample(cls)
    model = make(cls).fit(rows, target)
    found = [path for path, array in arrays_in(model) if array.dtype == np.float64 and array.size and len(path) == 1]
    for path in found:
        twin = copy.deepcopy(model)
        put(twin, path, dict(arrays_in(twin))[path].astype("S8"))
        with pytest.raises(DamagedFile, match=f"pickled {cls.__name__}"):
            again(twin)


def _broken_tree(edit):
    wide = np.column_stack([X, X])[:, : 2 ** X.shape[1].bit_length() - 1]  # nodes have bits for one column more
    model = wm.RandomForestClassifier(2, max_depth=3).fit(wide, y)
    trees = model.trees_
    nodes = trees.nodes.copy()
    edit(nodes.reshape(-1, trees.words), trees)
    vars(trees)["nodes"] = nodes
    vars(trees).pop("native", None)
    vars(trees).pop("speaking", None)
    return model


def _set_left(node, left, trees):
    node[1] = (node[1] & np.uint32((1 << trees.shift) - 1)) | np.uint32(left << trees.shift)


@pytest.mark.parametrize(
    "edit",
    [
        lambda nodes, trees: _set_left(nodes[0], len(nodes) + 5, trees),
        lambda nodes, trees: _set_left(nodes[2], 1, trees),
        lambda nodes, trees: _set_left(nodes[0], 0, trees),
        lambda nodes, trees: _set_left(nodes[1], 4, trees),
        lambda nodes, trees: nodes.__setitem__((0, 1), nodes[0, 1] | np.uint32((1 << trees.shift) - 4)),
        lambda nodes, trees: nodes.__setitem__((0, 0), np.uint32(0xFFC00000)),
        lambda nodes, trees: nodes.__setitem__((-1, 1), nodes[-1, 1] | np.uint32(1)),
    ],
    ids=["child outside", "a cycle", "its own child", "two parents", "column outside", "not a number", "no leaf"],
)
def test_broken_trees_in_a_pickle_are_refused(edit):
    with pytest.raises(DamagedFile, match="pickled RandomForestClassifier"):
        again(_broken_tree(edit))


def test_a_tree_whose_nodes_share_children_is_refused_before_it_is_walked():
    """Each level names the next one twice: a walk would take 2^depth steps and write outside of its arrays."""
    depth, shift = 20, 2
    n = 2 * depth + 1
    left = np.array([i if i >= n - 2 else (1 if i == 0 else 2 * ((i + 1) // 2) + 1) for i in range(n)], np.uint32)
    keys = np.where(left == np.arange(n), 0xFF800000, 0x80000000).astype(np.uint32)
    nodes = np.column_stack([keys, left << shift]).ravel()
    with pytest.raises(ValueError, match="two parents"):
        _core.Trees(nodes, shift, np.array([0, n]), 1, 1, None, np.zeros(0, np.uint32))


def test_broken_rows_of_a_sparse_support_are_refused():
    model = wm.SVC().fit(sparse.csr_array(X), y)
    model.support_items_.X.indices[0] = 1 << 20
    with pytest.raises(DamagedFile, match="column"):
        again(model)


@pytest.mark.parametrize("make_step", [lambda: Nystroem(n_components=5), lambda: RandomFourier(n_frequencies=3)])
def test_maps_are_looked_over(make_step):
    step = make_step().fit(X)
    assert np.array_equal(again(step).transform(X), step.transform(X))
    name = "components_" if hasattr(step, "components_") else "frequencies_"
    setattr(step, name, getattr(step, name)[:, :-1])
    with pytest.raises(DamagedFile, match=name):
        again(step)


def test_bags_of_words_are_looked_over():
    bag = wm.BagOfWords(values="tfidf", tokenizer=str.split, token_pattern=None).fit(["a b", "b c"])
    assert (again(bag).transform(["a c"]) != bag.transform(["a c"])).nnz == 0
    bag.vocabulary_["c"] = 77
    with pytest.raises(DamagedFile, match="terms"):
        again(bag)


# ---- what must go on working -----------------------------------------------------------------------------------------


class Constant(ClassifierMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def _dot(a, b):
    return a @ b.T


def test_kernels_and_members_of_users_are_let_pass():
    svc = wm.SVC(kernel=_dot).fit(X, y)
    assert np.array_equal(again(svc).predict(X), svc.predict(X))
    bag = wm.BaggingClassifier(Constant(), 3).fit(X, y)
    assert np.array_equal(again(bag).predict(X), bag.predict(X))


def test_an_unfinished_fit_and_wrong_parameters_can_be_copied():
    model = wm.SVC().fit(X, y)
    del model.dual_coef_, model.stop_reason_
    assert again(model).n_features_in_ == X.shape[1]
    assert again(wm.SVC(C=-1)).C == -1
    assert copy.deepcopy(wm.SVC().fit(X, y).set_params(C=-1)).C == -1


def test_estimators_inside_of_scikit_learns_are_looked_over():
    pipeline = make_pipeline(StandardScaler(), wm.Perceptron()).fit(X, y)
    assert np.array_equal(again(pipeline).predict(X), pipeline.predict(X))
    pipeline[-1].coef_ = pipeline[-1].coef_[:, :-1]
    with pytest.raises(DamagedFile, match="coef_"):
        again(pipeline)
