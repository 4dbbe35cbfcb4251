"""scikit-learn's steps, models and compositions as files: the same answers, and no code."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from tests.store.test_damage import with_header
from tests.store.toys import same

import widemargin as wm
from widemargin import store
from widemargin.base.errors import CannotStore, DamagedFile, UnsupportedFile
from widemargin.kernels import RBF, FeatureMap, Linear, Mahalanobis, Nystroem, Polynomial, RandomFourier

_dice = np.random.default_rng(5)
X = _dice.normal(size=(40, 4)).round(2)
y = _dice.integers(0, 3, 40)
HOLES = np.where(_dice.random((40, 4)) < 0.2, np.nan, X)
EMPTY = np.where(np.arange(4) == 3, np.nan, HOLES)
WORDS = pd.DataFrame({"colour": _dice.choice(["red", "blue", "teal", None], 40), "size": _dice.choice([1, 2, 3], 40)})
LETTERS = np.array(list("aaaaabbbbbcccdde" * 2 + "aabbccdd")).reshape(-1, 1)


def there_and_back(obj):
    data = store.dumps(obj)
    back = store.loads(data)
    assert store.dumps(back) == data
    assert type(back) is type(obj)
    return back


def identical(a, b) -> bool:
    if isinstance(a, pd.DataFrame):
        return isinstance(b, pd.DataFrame) and list(a) == list(b) and a.dtypes.equals(b.dtypes) and a.equals(b)
    return same(a, b)


TRANSFORMERS = [
    *[(make(), X) for make in (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, Normalizer)],
    *[(make(), HOLES) for make in (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)],
    *[(make(), X.astype(np.float32)) for make in (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)],
    (StandardScaler(with_mean=False), sparse.csr_array(X * (X > 0))),
    (StandardScaler(with_mean=False, with_std=False), X),
    (MinMaxScaler(feature_range=(-1, 2), clip=True), X),
    (RobustScaler(with_centering=False, quantile_range=(10.0, 90.0), unit_variance=True), X),
    (PolynomialFeatures(degree=(1, 3), interaction_only=True), X),
    (PolynomialFeatures(2, include_bias=False, order="F"), sparse.csr_array(X)),
    (VarianceThreshold(X.var(axis=0).mean()), X),
    (SimpleImputer(), HOLES),
    (SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), EMPTY),
    (SimpleImputer(strategy="constant", fill_value="none", missing_values=np.nan), WORDS.fillna(np.nan).to_numpy()),
    (SimpleImputer(strategy="most_frequent"), WORDS.fillna(np.nan)),
    (MissingIndicator(features="all"), EMPTY),
    (OneHotEncoder(), WORDS),
    (OneHotEncoder(drop="first", sparse_output=False, dtype=np.float32), WORDS),
    (OneHotEncoder(drop="if_binary", handle_unknown="ignore"), LETTERS),
    (OneHotEncoder(min_frequency=6, handle_unknown="infrequent_if_exist"), LETTERS),
    (OneHotEncoder(max_categories=2, drop="first", handle_unknown="infrequent_if_exist"), LETTERS),
    (OneHotEncoder(categories=[["red", "blue", "teal", None], [0, 1, 2, 3]], handle_unknown="ignore"), WORDS),
    (OrdinalEncoder(), WORDS),
    (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2), WORDS),
    (OrdinalEncoder(dtype=np.int32, min_frequency=6), LETTERS),
    (TfidfTransformer(), sparse.csr_array(np.abs(X))),
    (TfidfTransformer(use_idf=False, sublinear_tf=True), sparse.csr_array(np.abs(X))),
    (LabelEncoder(), np.array(["b", "a", "c", "b"])),
    (FunctionTransformer(), X),
    (Nystroem(kernel="rbf", n_components=7), X),
    (Nystroem(kernel=RBF(0.5) + Linear(), n_components=7), sparse.csr_array(X * (X > 0))),
    (Nystroem(kernel="precomputed", n_components=5), X @ X.T),
    (RandomFourier(n_frequencies=5), X.astype(np.float32)),
    (FeatureMap(Polynomial(2)), X),
    (FeatureMap(Mahalanobis(np.diag([1.0, 2.0, 3.0, 4.0])) * Linear()), X),
    (wm.BagOfWords(values="tfidf"), ["one two", "two three", "four"]),
    (FeatureUnion([("a", StandardScaler()), ("b", Nystroem(n_components=3)), ("c", "passthrough"), ("d", "drop")]), X),
    (ColumnTransformer([("n", StandardScaler(), [1]), ("k", "passthrough", [0])], remainder="drop"), X),
    (ColumnTransformer([("n", StandardScaler(), slice(0, 2))], remainder=MinMaxScaler(), sparse_threshold=0.5), X),
    (ColumnTransformer([("n", StandardScaler(), [True, False, True, False])], remainder="passthrough"), X),
    (
        ColumnTransformer(
            [
                ("words", OneHotEncoder(), ["colour"]),
                (
                    "numbers",
                    make_pipeline(SimpleImputer(), StandardScaler()),
                    make_column_selector(dtype_include="int"),
                ),
                ("none", "drop", []),
            ]
        ),
        WORDS,
    ),
    (ColumnTransformer([("n", StandardScaler(), ["size"])], remainder="drop").set_output(transform="pandas"), WORDS),
]


@pytest.mark.parametrize(("step", "data"), TRANSFORMERS, ids=lambda v: type(v).__name__)
def test_a_fitted_step_says_the_same_after_loading(step, data):
    step = clone(step).fit(data)
    back = there_and_back(step)
    assert identical(step.transform(data), back.transform(data))
    if hasattr(step, "get_feature_names_out") and not isinstance(step, wm.BagOfWords):
        assert same(step.get_feature_names_out(), back.get_feature_names_out())
    if hasattr(step, "inverse_transform") and not sparse.issparse(data) and not isinstance(step, SimpleImputer):
        assert identical(*(one.inverse_transform(step.transform(data)) for one in (step, back)))


@pytest.mark.parametrize(("step", "data"), TRANSFORMERS, ids=lambda v: type(v).__name__)
def test_an_unfitted_step_learns_the_same_after_loading(step, data):
    if isinstance(step, ColumnTransformer) and any(callable(columns) for _, _, columns in step.transformers):
        with pytest.raises(CannotStore, match="make_column_selector"):
            store.dumps(clone(step))
        return
    back = store.loads(store.dumps(clone(step)))
    assert identical(back.fit(data).transform(data), clone(step).fit(data).transform(data))


@pytest.mark.parametrize("make", [StandardScaler, MinMaxScaler, MaxAbsScaler])
def test_a_scaler_goes_on_learning_after_loading(make):
    first = make().fit(HOLES)
    back = there_and_back(first)
    assert identical(first.partial_fit(X).transform(X), back.partial_fit(X).transform(X))


NAMES = np.array(["no", "perhaps", "yes"])
MODELS = [
    *[KNeighborsClassifier(3, algorithm=how) for how in ("auto", "brute", "kd_tree", "ball_tree")],
    KNeighborsClassifier(3, weights="distance", metric="manhattan"),
    KNeighborsRegressor(4, weights="distance", metric="minkowski", p=3),
    GaussianNB(),
    CalibratedClassifierCV(GaussianNB(), cv=3),
    CalibratedClassifierCV(wm.LinearSVC(), method="isotonic", cv=3, ensemble=False),
    CalibratedClassifierCV(wm.LinearSVC(), method="temperature", cv=3),
    IsotonicRegression(out_of_bounds="clip"),
    DummyClassifier(),
    DummyRegressor(),
]


@pytest.mark.parametrize("labels", [y, NAMES[y], NAMES[y].astype(object), y > 0], ids=["int", "str", "object", "bool"])
@pytest.mark.parametrize("kind", [np.asarray, np.float32, sparse.csr_array, pd.DataFrame])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_model_says_the_same_after_loading(model, kind, labels):
    rows, model = kind(X), clone(model)
    if isinstance(rows, pd.DataFrame):
        rows.columns = list("abcd")
    if isinstance(model, IsotonicRegression):
        rows = X[:, :1].astype(np.float32 if kind is np.float32 else np.float64)
    if sparse.issparse(rows) and isinstance(getattr(model, "estimator", model), GaussianNB):
        rows = rows.toarray()
    trees = getattr(model, "algorithm", "auto") in ("kd_tree", "ball_tree") or getattr(model, "p", 2) == 3
    if sparse.issparse(rows) and trees:
        rows = rows.toarray()
    regression = isinstance(model, KNeighborsRegressor | IsotonicRegression | DummyRegressor)
    model.fit(rows, X[:, 1] if regression else labels)
    back = there_and_back(model)
    for how in ("predict", "predict_proba"):
        if hasattr(model, how):
            assert same(getattr(model, how)(rows), getattr(back, how)(rows))
    assert same(getattr(model, "classes_", None), getattr(back, "classes_", None))


@pytest.mark.parametrize("make", [MultinomialNB, BernoulliNB, ComplementNB])
def test_bayes_of_counts_says_the_same_after_loading(make):
    counts = np.abs(X).round()
    model = make().fit(counts, NAMES[y])
    back = there_and_back(model)
    assert same(model.predict_joint_log_proba(counts), back.predict_joint_log_proba(counts))
    assert same(model.partial_fit(counts, NAMES[y]).predict(counts), back.partial_fit(counts, NAMES[y]).predict(counts))


def test_neighbours_of_several_outputs_come_back():
    both = np.column_stack([y, y > 1])
    model = KNeighborsClassifier(3).fit(X, both)
    assert same(there_and_back(model).predict(X), model.predict(X))
    assert same(there_and_back(KNeighborsClassifier(2)).get_params(), KNeighborsClassifier(2).get_params())


TEXTS = ["free money now", "see you at lunch", "money money", "lunch at noon", "win now", "are you home"] * 3
KINDS = np.array(["spam", "ham"] * 9)


@pytest.mark.parametrize(
    ("pipeline", "data", "target"),
    [
        (make_pipeline(StandardScaler(), wm.SVC()), X, y),
        (make_pipeline(SimpleImputer(keep_empty_features=True), wm.RandomForestClassifier(5)), HOLES, NAMES[y]),
        (make_pipeline(wm.BagOfWords(), TfidfTransformer(), wm.LinearSVC()), TEXTS, KINDS),
        (make_pipeline(wm.BagOfWords(values="tfidf"), MultinomialNB()), TEXTS, KINDS),
        (make_pipeline(Nystroem(n_components=9), "passthrough", wm.AdaBoostClassifier(n_estimators=4)), X, y),
        (make_pipeline(RandomFourier(), wm.LinearSVR()), X, X[:, 0]),
        (make_pipeline(RobustScaler(), KNeighborsRegressor()), X, X[:, 0]),
        (Pipeline([("scale", StandardScaler()), ("inner", make_pipeline(MinMaxScaler(), wm.Perceptron()))]), X, y),
        (make_pipeline(StandardScaler(), wm.BaggingClassifier(GaussianNB(), 3)), X, NAMES[y]),
    ],
    ids=range(9),
)
def test_a_pipeline_says_the_same_after_loading(pipeline, data, target, tmp_path):
    pipeline = clone(pipeline).fit(data, target)
    store.save(pipeline, tmp_path / "a.wm")
    back = store.load(tmp_path / "a.wm")
    assert same(pipeline.predict(data), back.predict(data))
    assert list(back.named_steps) == list(pipeline.named_steps)


def test_a_pipeline_of_named_columns_keeps_names(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(colour=WORDS["colour"])
    split = ColumnTransformer([("n", StandardScaler(), list("abcd")), ("c", OneHotEncoder(), ["colour"])])
    pipeline = make_pipeline(split, wm.LinearSVC()).set_output(transform="default").fit(frame, NAMES[y])
    back = there_and_back(pipeline)
    assert same(back.predict(frame), pipeline.predict(frame))
    assert same(back[-1].decision_function(back[0].transform(frame)), pipeline.decision_function(frame))
    with pytest.raises(ValueError, match="columns are missing"):
        back.predict(frame.drop(columns="a"))


# ---- what a file may not say -----------------------------------------------------------------------------------------


def test_a_cache_of_pickles_is_neither_saved_nor_asked_for(tmp_path, caplog):
    pipeline = make_pipeline(StandardScaler(), wm.Perceptron(), memory=str(tmp_path)).fit(X, y)
    with caplog.at_level(logging.WARNING, "widemargin"):
        data = store.dumps(pipeline)
    assert "memory" in caplog.text
    assert store.loads(data).memory is None

    def asks(header):
        header["object"]["data"]["params"]["memory"] = str(tmp_path)

    with pytest.raises(DamagedFile, match="memory"):
        store.loads(with_header(data, asks))


@pytest.mark.parametrize(
    "obj",
    [
        FunctionTransformer(np.log1p),
        FunctionTransformer(inverse_func=np.log1p),
        FunctionTransformer(feature_names_out=lambda self, names: names),
        KNeighborsClassifier(weights=lambda d: d).fit(X, y),
        KNeighborsClassifier(metric=lambda a, b: 0.0).fit(X, y),
        make_pipeline(FunctionTransformer(np.abs), wm.Perceptron()),
        wm.BagOfWords(tokenizer=str.split),
        OneHotEncoder(feature_name_combiner=lambda a, b: a).fit(WORDS),
    ],
    ids=range(8),
)
def test_functions_are_refused(obj):
    with pytest.raises(CannotStore, match=r"function|code|method"):
        store.dumps(obj)


def _edited(obj, edit):
    return with_header(store.dumps(obj), lambda header: edit(header["object"]))


NGRAMS = list(wm.BagOfWords().get_params()).index("ngram_range") - 1  # dtype stands before it, and elsewhere in files
FITTED = {
    "scaler": StandardScaler().fit(X),
    "products": PolynomialFeatures(2).fit(X),
    "onehot": OneHotEncoder(max_categories=2, drop="first", handle_unknown="infrequent_if_exist").fit(LETTERS),
    "ordinal": OrdinalEncoder().fit(WORDS),
    "columns": ColumnTransformer([("n", StandardScaler(), [0, 1])]).fit(X),
    "pipeline": make_pipeline(StandardScaler(), wm.Perceptron()).fit(X, y),
    "neighbours": KNeighborsClassifier(3).fit(X, y),
    "text": wm.BagOfWords().fit(["a word", "another word"]),
    "frame": ColumnTransformer([("n", StandardScaler(), ["size"])]).fit(WORDS),
    "map": FeatureMap(Polynomial(2)).fit(X),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=2).fit(X, y),
}


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("scaler", lambda o: o["data"]["fitted"].update(n_samples_seen_=-1)),
        ("scaler", lambda o: o["data"]["fitted"].update(n_features_in_=5)),
        ("scaler", lambda o: o["data"]["fitted"].update(_tree=1)),
        ("scaler", lambda o: o["data"]["params"].update(with_mean="yes")),
        ("products", lambda o: o["data"]["params"].update(degree=3)),
        ("products", lambda o: o["data"]["params"].update(degree=10**9)),
        ("products", lambda o: o["data"]["fitted"].update(_max_degree=9)),
        ("onehot", lambda o: o["data"]["fitted"].update(drop_idx_={"objects": [9]})),
        ("onehot", lambda o: o["data"]["fitted"].update(_drop_idx_after_grouping={"objects": [2]})),
        ("onehot", lambda o: o["data"]["fitted"].update(_n_features_outs=[3])),
        ("onehot", lambda o: o["data"]["params"].update(dtype={"scalar_type": "os.system"})),
        ("onehot", lambda o: o["data"]["params"].update(dtype={"scalar_type": "complex128"})),
        ("onehot", lambda o: o["data"]["params"].update(dtype="no such type")),
        ("onehot", lambda o: o["data"]["params"].update(dtype="float16")),
        ("ordinal", lambda o: o["data"]["params"].update(dtype="no such type")),
        ("ordinal", lambda o: o["data"]["fitted"].update(_missing_indices={"dict": [[0], [9]]})),
        ("ordinal", lambda o: o["data"]["fitted"].update(_missing_indices={"dict": [[2], [0]]})),
        ("columns", lambda o: o["data"]["fitted"].update(_columns=[])),
        ("columns", lambda o: o["data"]["fitted"].update(output_indices_={"dict": [[], []]})),
        ("columns", lambda o: o["data"]["params"].update(verbose_feature_names_out="{feature_name:>99999999}")),
        ("columns", lambda o: o["data"]["params"].update(verbose_feature_names_out="{feature_name.__class__}")),
        ("pipeline", lambda o: o["data"]["params"].update(steps=[])),
        ("pipeline", lambda o: o["data"]["params"]["steps"].reverse()),
        ("pipeline", lambda o: o["data"]["params"]["steps"][0].update(tuple=["a"])),
        ("neighbours", lambda o: o["data"]["params"]["dict"][1].__setitem__(0, -3)),
        ("neighbours", lambda o: o["data"].update(y=None)),
        ("text", lambda o: o["data"]["params"]["dict"][1].__setitem__(NGRAMS, [1])),
        ("text", lambda o: o["data"]["params"]["dict"][1].__setitem__(NGRAMS, [-1, 1])),
        ("text", lambda o: o["data"]["params"]["dict"][1].__setitem__(NGRAMS, [1, 2**40])),
        ("frame", lambda o: o["data"]["fitted"]["transformers_"][0]["tuple"].__setitem__(2, "size")),
        ("frame", lambda o: o["data"]["fitted"]["_transformer_to_input_indices"]["dict"][1].__setitem__(0, [0])),
        ("map", lambda o: o["data"]["fitted"]["monomials_"][-1].update(tuple=[0, 99])),
        ("calibrated", lambda o: o["parts"]["fitted.calibrated_classifiers_.0"]["data"].update(calibrators=[])),
    ],
    ids=range(33),
)
def test_an_edit_that_does_not_fit_is_refused(name, edit):
    with pytest.raises(DamagedFile):
        store.loads(_edited(FITTED[name], edit))


def test_a_parameter_that_scikit_learn_does_not_know_asks_for_another_version():
    with pytest.raises(UnsupportedFile, match=r"newest.*scikit-learn"):
        store.loads(_edited(FITTED["scaler"], lambda o: o["data"]["params"].update(newest=1)))


def test_a_parameter_that_is_new_in_scikit_learn_gets_its_default():
    back = store.loads(_edited(FITTED["scaler"], lambda o: o["data"]["params"].pop("copy")))
    assert back.copy is True


def test_an_attribute_that_nobody_declared_is_not_lost_in_silence():
    scaler = StandardScaler().fit(X)
    scaler.power_ = 3
    with pytest.raises(CannotStore, match="power_"):
        store.dumps(scaler)
