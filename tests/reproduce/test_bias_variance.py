"""The measured answers about bias and variance, on fewer samples than `make reproduce` takes."""

from benchmarks.reproduce import bias_variance as study


def test_replicates_deviate_for_a_tree_and_hardly_for_a_line():
    """The loss of a tree comes out too high, since replicates hold 63 % of the rows; a linear model needs few rows."""
    tree = study.deviation(study.LEARNERS["tree"], sets=6, B=30)
    line = study.deviation(study.LEARNERS["linear"], sets=6, B=30)
    assert tree["bootstrap loss"] > 1.06 * tree["fresh loss"]
    assert abs(line["bootstrap loss"] / line["fresh loss"] - 1) < 0.15
    assert 0.75 < line["bootstrap variance"] / line["fresh variance"] < 1.25


def test_an_ensemble_varies_less_with_few_attributes_and_one_tree_more():
    """K = 3 against all 20: enough trees must be averaged for their disagreement to outweigh the variance of each."""
    sweep = study.attributes([3, 20], B=40, members=30)
    (one_few, one_all), (many_few, many_all) = (sweep.curve(name, "variance")[0] for name in sweep.records)
    assert one_few > one_all
    assert many_few < 0.9 * many_all
