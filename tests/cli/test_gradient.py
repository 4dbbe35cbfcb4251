"""`wm train --model pegasos` and sgd: at once, with a gap, and from a stream."""

import numpy as np
import pytest

import widemargin
from widemargin import store
from widemargin.data import read_table, stream_svmlight

MODELS = pytest.mark.parametrize(
    ("model", "cls", "flags", "params"),
    [
        ("pegasos", "Pegasos", ["--alpha", "0.1", "--batch-size", "4"], {"alpha": 0.1, "batch_size": 4}),
        ("sgd", "SGDSVC", ["--alpha", "0.1", "--step-scale", "0.2"], {"alpha": 0.1, "step_scale": 0.2}),
    ],
)


@MODELS
def test_it_trains_tells_its_gap_and_is_certified(wm, iris, tmp_path, model, cls, flags, params):
    path = tmp_path / "m.wm"
    words = ["--target", "species", "--model", model, "--max-iter", "50", *flags]
    ran = wm("train", iris, *words, "--json", "--certify", "-o", path)
    assert ran.code == 0, ran.err
    data = read_table(iris, "species")
    direct = getattr(widemargin, cls)(max_iter=50, **params).fit(data.X, data.y)
    fitted = store.load(path).estimator
    np.testing.assert_array_equal(fitted.coef_, direct.coef_)
    assert ran.json["certificate"]["relative_gap"] == direct.certificate_.relative_gap
    assert wm("certify", path, iris, "--json").json["holds"] is True
    assert "relative gap" in wm("train", iris, *words).out


@MODELS
def test_a_stream_equals_partial_fits_over_its_batches(wm, svm, tmp_path, model, cls, flags, params):
    path = tmp_path / "m.wm"
    ran = wm("train", svm, "--stream", "--epochs", "3", "--model", model, *flags, "--json", "-o", path)
    assert ran.code == 0, ran.err
    fitted = store.load(path).estimator
    direct = getattr(widemargin, cls)(**params)
    for _ in range(3):
        for X, y in stream_svmlight(svm, n_features=fitted.n_features_in_):
            direct.partial_fit(X, y.astype(int), classes=fitted.classes_)
    np.testing.assert_array_equal(fitted.coef_, direct.coef_)
    assert ran.json["epochs"] == 3
    assert fitted.certificate_.holds is None
