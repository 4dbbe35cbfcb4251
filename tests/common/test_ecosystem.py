"""Every estimator inside scikit-learn's machinery: pipelines, routing, search, names, copies, files."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.common.estimators import answers, each_estimator, fingerprint, knob, make, sample, takes, weights

import widemargin as wm
from widemargin import store
from widemargin.store.table import TABLE

NAMES = ["alpha", "beta", "gamma", "delta"]


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def scoring(cls):
    """None for those that can score themselves."""
    return None if hasattr(cls, "score") else "accuracy"


def framed(X):
    return pd.DataFrame(X, columns=NAMES)


@each_estimator
def test_weights_are_routed_through_pipelines_and_searches(cls, routing):
    X, y = sample(cls, n=60)
    w = weights(60) + 1
    final = make(cls).set_fit_request(sample_weight=True)
    if hasattr(cls, "score"):
        final.set_score_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    routed = Pipeline([("scale", scaler), ("learn", clone(final))]).fit(X, y, sample_weight=w)
    direct = make(cls).fit(scaler.fit_transform(X), y, sample_weight=w)
    assert fingerprint(routed[-1]) == fingerprint(direct)
    assert fingerprint(routed[-1]) != fingerprint(make(cls).fit(scaler.transform(X), y))
    name, values = knob(cls)
    scorer = None if hasattr(cls, "score") else get_scorer("accuracy").set_score_request(sample_weight=True)
    pipe = Pipeline([("scale", scaler), ("learn", final)])
    search = GridSearchCV(pipe, {f"learn__{name}": values}, cv=3, scoring=scorer)
    search.fit(X, y, sample_weight=w)
    again = clone(search.best_estimator_).fit(X, y, sample_weight=w)
    assert fingerprint(search.best_estimator_[-1]) == fingerprint(again[-1])


@each_estimator
def test_weights_that_were_not_asked_for_are_refused(cls, routing):
    X, y = sample(cls)
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(make(cls), X, y, params={"sample_weight": weights(len(y))}, cv=3, scoring=scoring(cls))


@each_estimator
@pytest.mark.parametrize("frames", ["pandas", "polars", "default"])
def test_a_pipeline_hands_over_names_whatever_its_frames(cls, frames):
    X, y = sample(cls)
    pipe = make_pipeline(StandardScaler(), make(cls)).set_output(transform=frames)
    pipe.fit(framed(X), y)
    scaled = StandardScaler().fit_transform(framed(X))
    plain = make(cls).fit(scaled, y)
    assert fingerprint(pipe[-1]) == fingerprint(plain)
    assert answers(pipe, framed(X)) == answers(plain, scaled)
    assert hasattr(pipe[-1], "feature_names_in_") == (frames != "default")
    if frames != "default":
        assert pipe[-1].feature_names_in_.tolist() == NAMES


@each_estimator
def test_estimators_that_do_not_transform_claim_no_names_of_outputs(cls):
    assert hasattr(cls, "transform") == hasattr(cls, "get_feature_names_out")


@each_estimator
def test_names_of_features_are_kept_and_checked(cls):
    X, y = sample(cls)
    frame = framed(X)
    model = make(cls).fit(frame, y)
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 4
    expected = answers(model, frame)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame[NAMES[::-1]])
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- delta"):
        model.predict(frame[NAMES[:3]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- zeta"):
        model.predict(frame.rename(columns={"beta": "zeta"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert answers(model, X) == expected
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        make(cls).fit(X, y).predict(frame)
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    with pytest.raises(TypeError, match="str"):
        make(cls).fit(frame.rename(columns={"beta": 3}), y)
    if hasattr(cls, "partial_fit"):
        model.fit(frame, y)
        with pytest.raises(ValueError, match="must be in the same order"):
            model.partial_fit(frame[NAMES[::-1]], y)


@each_estimator
def test_the_html_shows_parameters_before_and_after_a_fit(cls):
    X, y = sample(cls)
    name, (value, _) = knob(cls)
    model = make(cls, **{name: value})
    before = model._repr_html_()
    after = model.fit(X, y)._repr_html_()
    assert cls.__name__ in before
    assert name in before
    assert before != after
    assert f"{cls.__name__}({name}={value}" in repr(model)
    assert cls.__name__ in make_pipeline(StandardScaler(), model)._repr_html_()


@each_estimator
def test_a_clone_is_unfitted_with_the_same_parameters_and_learns_the_same(cls):
    X, y = sample(cls)
    name, (value, _) = knob(cls)
    model = make(cls, **{name: value}).fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not any(name.endswith("_") and not name.startswith("_") for name in vars(twin))
    assert fingerprint(twin.fit(X, y)) == fingerprint(model)


@each_estimator
def test_parameters_are_documented_keywords_with_a_constraint_each(cls):
    signature = inspect.signature(cls).parameters
    first = ("estimator", "n_estimators")  # come first in scikit-learn's ensembles, and may be given without a name
    assert all(p.kind is p.KEYWORD_ONLY for name, p in signature.items() if name not in first)
    assert set(signature) == set(cls._parameter_constraints)
    documented = cls.__doc__.split("Attributes\n")[0].replace("\\\n", " ")
    assert [name for name in signature if name not in documented] == []


@each_estimator
@pytest.mark.parametrize(
    "copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"]
)
def test_copies_answer_alike_and_keep_certificate_and_trace(cls, copied):
    X, y = sample(cls)
    model = make(cls).fit(X, y)
    twin = copied(model)
    assert fingerprint(twin) == fingerprint(model)
    assert answers(twin, X) == answers(model, X)
    assert twin.certificate_.to_dict() == model.certificate_.to_dict()
    assert wm.certify(twin, X, y).holds == model.certificate_.holds


@each_estimator
def test_a_copied_stream_goes_on_as_the_first_one_does(cls):
    if not hasattr(cls, "partial_fit"):
        return
    X, y = sample(cls, n=60)
    first = {"classes": np.unique(y)} if hasattr(cls, "decision_function") else {}
    model = make(cls).partial_fit(X[:30], y[:30], **first)
    twin = pickle.loads(pickle.dumps(model))
    deep = copy.deepcopy(model)
    expected = fingerprint(model.partial_fit(X[30:], y[30:]))
    assert fingerprint(twin.partial_fit(X[30:], y[30:])) == expected
    assert fingerprint(deep.partial_fit(X[30:], y[30:])) == expected


@each_estimator
def test_every_public_estimator_can_be_stored(cls, tmp_path):
    """save, load: the same parameters, answers, certificate and proof; also unfitted, also without the proof."""
    assert cls.__name__ in TABLE
    assert store.loads(store.dumps(make(cls))).get_params() == make(cls).get_params()
    X, y = sample(cls)
    model = make(cls).fit(framed(X), y)
    store.save(model, tmp_path / "model.wm")
    back = store.load(tmp_path / "model.wm")
    assert type(back) is cls
    assert back.get_params() == model.get_params()
    assert answers(back, framed(X)) == answers(model, framed(X))
    assert fingerprint(back) == fingerprint(model)
    assert back.feature_names_in_.tolist() == NAMES
    assert back.certificate_.to_dict() == model.certificate_.to_dict()
    assert wm.certify(back, framed(X), y).holds == model.certificate_.holds
    assert store.dumps(back) == store.dumps(model)
    slim = store.loads(store.dumps(model, proof=False))
    assert answers(slim, framed(X)) == answers(model, framed(X))
    assert slim.certificate_.to_dict() == model.certificate_.to_dict()


@each_estimator
def test_a_stored_stream_answers_alike(cls):
    if not hasattr(cls, "partial_fit"):
        return
    X, y = sample(cls)
    first = {"classes": np.unique(y)} if hasattr(cls, "decision_function") else {}
    model = make(cls).partial_fit(X, y, **first)
    assert answers(store.loads(store.dumps(model)), X) == answers(model, X)


@each_estimator
def test_searches_and_cross_validation_run(cls):
    X, y = sample(cls, n=60)
    scores = cross_val_score(make(cls), X, y, cv=4, scoring=scoring(cls))
    assert scores.shape == (4,)
    assert np.isfinite(scores).all()
    name, values = knob(cls)
    others = {
        "fit_intercept": [True, False],
        "tol": [1e-3, 1e-4],
        "min_samples_leaf": [1, 3],
        "max_samples": [0.5, 1.0],
        "learning_rate": [0.5, 1.0],
    }
    other = dict([next((one, both) for one, both in others.items() if takes(cls, one))])
    search = GridSearchCV(make(cls), {name: values, **other}, cv=3, scoring=scoring(cls)).fit(X, y)
    assert search.best_estimator_.certificate_ is not None
    assert answers(search.best_estimator_, X) == answers(make(cls, **search.best_params_).fit(X, y), X)


@each_estimator
def test_certify_looks_through_a_pipeline(cls):
    X, y = sample(cls)
    pipe = make_pipeline(StandardScaler(), make(cls)).fit(X, y)
    assert wm.certify(pipe, X, y).holds == pipe[-1].certificate_.holds
