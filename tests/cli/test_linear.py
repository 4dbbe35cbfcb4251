"""`wm train --model linear-svm` and linear-svr: from a file to a model that is certified and used."""

import numpy as np
import pytest

from widemargin import LinearSVC, LinearSVR, store
from widemargin.data import read_table


@pytest.mark.parametrize(
    ("flags", "params"),
    [
        ([], {}),
        (["--loss", "hinge", "--C", "2", "--tol", "1e-6"], {"loss": "hinge", "C": 2.0, "tol": 1e-6}),
        (["--penalty", "l1"], {"penalty": "l1"}),
        (["--multi-class", "crammer_singer"], {"multi_class": "crammer_singer"}),
        (["--regularize-intercept", "yes"], {"regularize_intercept": True}),
    ],
)
def test_a_linear_machine_tells_its_solver_and_its_gap(wm, iris, tmp_path, flags, params):
    path = tmp_path / "m.wm"
    words = ["--target", "species", "--model", "linear-svm", *flags]
    ran = wm("train", iris, *words, "--json", "--certify", "-o", path)
    assert ran.code == 0, ran.err
    data = read_table(iris, "species")
    direct = LinearSVC(**params).fit(data.X, data.y)
    fitted = store.load(path).estimator
    np.testing.assert_array_equal(fitted.coef_, direct.coef_)
    assert ran.json["solver"] == direct.solver_
    assert ran.json["steps"] == direct.n_iter_
    assert ran.json["certificate"]["relative_gap"] <= fitted.tol
    assert wm("certify", path, iris, "--json").json["holds"] is True
    assert wm("evaluate", path, iris, "--json").json["errors"] == ran.json["training_errors"]
    assert direct.solver_ in wm("train", iris, *words).out


def test_a_linear_regression_trains_and_predicts(wm, tmp_path):
    path, model = tmp_path / "line.csv", tmp_path / "m.wm"
    x = np.linspace(0, 6, 60)
    path.write_text("x,y\n" + "".join(f"{a},{2 * a + 1}\n" for a in x))
    ran = wm("train", path, "--target", "y", "--model", "linear-svr", "--C", "100", "--json", "-o", model)
    assert ran.code == 0, ran.err
    called = np.array(wm("predict", model, path).out.split()[1:], float)
    direct = LinearSVR(C=100.0).fit(x[:, None], 2 * x + 1)
    np.testing.assert_allclose(called, direct.predict(x[:, None]), atol=1e-6)
    assert wm("certify", model, path).code == 0
