"""Certificates as records: merged over classes, written as JSON and shown."""

import json

import numpy as np
import pytest

from widemargin.certificate.record import Certificate, PassiveAggressiveCertificate, PerceptronCertificate, merge


def part(**changes):
    figures = {"claim": "separates", "holds": True, "updates": 3, "radius": 2.0, "margin": 0.5, "margin_upper": 0.7}
    figures |= {"mistake_bound": 16, "separable": True, "rows_wrong": 0, "seconds": 0.25, "data_digest": "d"}
    return PerceptronCertificate(**(figures | changes))


def test_parent_has_the_worst_margin_and_summed_updates():
    whole = merge({"a": part(), "b": part(margin=-0.1, updates=4, radius=3.0, separable=None)})
    assert (whole.updates, whole.radius, whole.margin, whole.margin_upper) == (7, 3.0, -0.1, 0.7)
    assert (whole.mistake_bound, whole.separable, whole.holds, whole.data_digest) == (32, None, True, "d")
    assert list(whole.parts) == ["a", "b"]
    assert whole.seconds == 0.5


@pytest.mark.parametrize(
    ("verdicts", "holds"), [((True, True), True), ((True, None), None), ((None, False), False), ((True, False), False)]
)
def test_parent_holds_only_if_all_parts_do(verdicts, holds):
    assert merge({str(i): part(holds=v) for i, v in enumerate(verdicts)}).holds is holds


def test_a_figure_missing_in_one_part_is_missing_in_the_parent():
    assert merge({"a": part(), "b": part(mistake_bound=None)}).mistake_bound is None


def test_a_single_part_is_the_certificate_itself():
    only = part()
    assert merge({"a": only}) is only
    with pytest.raises(ValueError, match="at least one"):
        merge({})


def test_merge_keeps_the_family_and_its_sums():
    pa = PassiveAggressiveCertificate(claim="", loss_sum=1.0, loss_bound=2.0, holds=True)
    whole = merge({"a": pa, "b": pa})
    assert isinstance(whole, PassiveAggressiveCertificate)
    assert (whole.loss_sum, whole.loss_bound, whole.squared_loss_bound) == (2.0, 4.0, None)


def test_json_has_every_figure_and_the_witness_on_request():
    whole = merge({"a": part(witness=np.array([0.0, 0.5, 0.5])), "b": part(margin_upper=np.float64(np.inf))})
    plain = json.loads(json.dumps(whole.to_dict(), allow_nan=False))
    assert plain["type"] == "PerceptronCertificate"
    assert plain["parts"]["a"]["witness"] == {"length": 3, "nonzero": 2}
    assert plain["parts"]["b"]["margin_upper"] is None
    assert whole.to_dict(witness=True)["parts"]["a"]["witness"]["rows"] == [1, 2]


def test_text_and_html_say_claim_and_verdict():
    bad = part(holds=False, claim="a < b", witness=np.ones(2))
    assert "FAILS" in str(bad)
    assert "2 rows of 2" in str(bad)
    assert "a &lt; b" in bad._repr_html_()
    assert "unchecked" in repr(Certificate(claim="nothing"))
