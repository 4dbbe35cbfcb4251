"""scikit-learn's contract, on every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.common.estimators import ESTIMATORS, depends_on_order

WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": "an online learner depends on the order of the rows",
    "check_sample_weight_equivalence_on_sparse_data": "an online learner depends on the order of the rows",
}


def instance(cls):
    """With its defaults; the checks weigh one class ten million times the other, and nu may be twice the smaller share."""
    return cls(nu=2e-7) if cls.__name__ == "NuSVC" else cls()


def expected_failures(estimator):
    """None for estimators that seek an optimum; tests/common/test_weights.py shows what holds for the others."""
    return WEIGHTS if depends_on_order(type(estimator)) else {}


@parametrize_with_checks([instance(cls) for cls in ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
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
        "Perceptron",
    }
