"""What is left out of scikit-learn's tests is little, named, and left out for one of four reasons."""

import pytest
from tests.compare.borrowed import REASONS, lists
from tests.compare.conftest import TOTALS

SHARE = {
    "test_sklearn_svm": 0.1,
    "test_sklearn_tree": 0.15,
    "test_sklearn_forest": 0.15,
    "test_sklearn_bagging": 0.15,
    "test_sklearn_boosting": 0.15,
}


@pytest.mark.parametrize("suite", SHARE)
def test_most_of_scikit_learns_tests_are_run(request, suite):
    totals = request.config.stash[TOTALS].get(suite)
    if totals is None:  # this run collected other tests only: nothing was left out of it
        assert not any(item.path.stem == suite for item in request.session.items)
        return
    assert totals["scope"] > 0
    assert totals["gone"] <= SHARE[suite] * totals["scope"], totals
    assert totals["unknown"] == set()


def test_every_line_has_one_of_four_reasons_and_says_why():
    assert {path.stem for path in lists()} == set(SHARE)
    for path, left_out in lists().items():
        for name, (reason, why) in left_out.items():
            assert reason in REASONS, f"{path.stem}: {name}"
            assert why, f"{path.stem}: {name}"
