"""What is left out is little, named, and left out for one of four reasons."""

from tests.compare.sklearn_boosting.conftest import TOTALS, listed

REASONS = {"private attribute", "exact iteration count", "wording of a message", "departure", "not ours"}


def test_most_of_scikit_learns_tests_are_run(request):
    totals = request.config.stash[TOTALS]
    assert totals["scope"] > 0
    assert totals["gone"] <= 0.15 * totals["scope"], totals


def test_every_line_names_a_test_and_one_of_four_reasons(request):
    assert request.config.stash[TOTALS]["unknown"] == set()
    for name, (reason, why) in listed().items():
        assert reason in REASONS, name
        assert why, name
