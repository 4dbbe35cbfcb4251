"""scikit-learn's contract, on every estimator."""

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.common.estimators import ESTIMATORS, depends_on_order, is_booster

import widemargin as wm
from widemargin.estimator.average import AverageClassifier, AverageRegressor

WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": "an online learner depends on the order of the rows",
    "check_sample_weight_equivalence_on_sparse_data": "an online learner depends on the order of the rows",
}


NU = {
    "check_class_weight_classifiers": "each class has a share of nu / 2 in the solution, whatever its factor; "
    "scikit-learn's NuSVC, which takes no heed of class_weight at all, is excused from this check too"
}


DRAWN = dict.fromkeys(WEIGHTS, "rows are drawn at random, by their weights: weights and repetitions agree in law")


def expected_failures(estimator):
    """None for estimators that seek an optimum; tests/common/test_weights.py shows what holds for the others."""
    if getattr(estimator, "bootstrap", False):
        return DRAWN
    if type(estimator).__name__ == "NuSVC":
        return NU
    return WEIGHTS if depends_on_order(type(estimator)) else {}


def feasible(estimator, check):
    """nu may be at most twice the share of the smaller class, and some checks weigh rows; a few trees are enough.

    A plane through the origin cannot have all rows on one side, which one check asks for: Pegasos gets a bias there.
    """
    few = {"nu": 0.3, "n_estimators": 30 if is_booster(type(estimator)) else 5}
    if type(estimator).__name__ == "Pegasos" and "check_class_weight_classifiers" in str(check):
        few["fit_intercept"] = True
    return estimator.set_params(**{k: v for k, v in few.items() if k in estimator.get_params()})


# A check may set max_iter as low as it likes; scikit-learn's own run of its checks allows these warnings too.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([cls() for cls in ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(feasible(estimator, check))


AVERAGES = [
    AverageClassifier(
        [("tree", wm.DecisionTreeClassifier(max_depth=3)), ("forest", wm.RandomForestClassifier(5, random_state=0))],
        weights=[1, 2],
    ),
    AverageClassifier([("tree", wm.DecisionTreeClassifier(max_depth=3)), ("nb", GaussianNB())]),
    AverageRegressor([("tree", wm.DecisionTreeRegressor(max_depth=3)), ("svr", wm.SVR())]),
]


@parametrize_with_checks(AVERAGES)
def test_scikit_learn_check_of_averages(estimator, check):
    """They are in files of `wm easy` and cannot be made without members, so that the list above has none."""
    check(estimator)


def test_every_public_estimator_is_in_the_list():
    """Perceptrons and passive-aggressive learners at least; new ones come by themselves."""
    names = {cls.__name__ for cls in ESTIMATORS}
    assert names >= {
        "AveragedPerceptron",
        "BatchPerceptron",
        "MarginPerceptron",
        "PassiveAggressiveClassifier",
        "PassiveAggressiveRegressor",
        "Pegasos",
        "Perceptron",
        "SGDSVC",
    }
