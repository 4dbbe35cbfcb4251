"""scikit-learn's contract, on every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": "an online learner depends on the order of the rows",
    "check_sample_weight_equivalence_on_sparse_data": "an online learner depends on the order of the rows",
}
ONLINE = [
    wm.Perceptron(),
    wm.AveragedPerceptron(),
    wm.VotedPerceptron(),
    wm.MarginPerceptron(),
    wm.PassiveAggressiveClassifier(),
    wm.PassiveAggressiveRegressor(),
]

OPTIMISERS = [wm.BatchPerceptron()]


def expected_failures(estimator):
    return WEIGHTS if type(estimator).__name__ in {type(e).__name__ for e in ONLINE} else {}


@parametrize_with_checks([*ONLINE, *OPTIMISERS], expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
