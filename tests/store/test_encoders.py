"""Table encoders and models with their coding: what is saved comes back, and nothing invalid does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin import Perceptron, store
from widemargin.base.errors import CannotStore
from widemargin.data import read_table
from widemargin.data.encode import ColumnCode, TableEncoder
from widemargin.estimator.file_model import FileModel, whole_labels
from widemargin.store.encoders import ENCODER
from widemargin.store.values import Violation

WORDS = st.text(st.characters(codec="utf-8"), max_size=6)


@st.composite
def encoders(draw):
    names = draw(st.lists(WORDS, min_size=2, max_size=40, unique=True))
    columns = []
    for name in names[1:]:
        if draw(st.booleans()):
            fill = draw(st.none() | st.floats(allow_nan=False, allow_infinity=False))
            columns.append(ColumnCode(name, "number", "number", (), fill))
        else:
            categories = tuple(draw(st.lists(WORDS, min_size=1, max_size=5, unique=True)))
            coding = draw(st.sampled_from(["onehot", "ordinal"]))
            columns.append(ColumnCode(name, "category", coding, categories, draw(st.sampled_from([None, *categories]))))
    target = draw(st.sampled_from([(None, None), (names[0], "text"), (names[0], "number")]))
    return TableEncoder(tuple(columns), tuple(names), *target, sparse=draw(st.booleans()))


@given(encoders())
def test_every_encoder_comes_back(encoder):
    assert store.loads(store.dumps(encoder)) == encoder


def test_a_table_of_many_columns_fits(tmp_path):
    names = tuple(f"a rather long name of a column, number {i}" for i in range(50_000))
    encoder = TableEncoder(tuple(ColumnCode(name, "number", fill=0.5) for name in names), names)
    assert store.loads(store.dumps(encoder)) == encoder


def test_a_model_with_its_coding_comes_back(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,c,y\n" + "".join(f"{i},{'uvw'[i % 3]},{'no' if i < 5 else 'yes'}\n" for i in range(10)))
    table = read_table(path, "y")
    model = FileModel(Perceptron().fit(table.X, table.y), table.encoder)
    back = store.loads(store.dumps(model))
    assert back.encoder == table.encoder
    ((X, y),) = back.batches(path)
    np.testing.assert_array_equal(X, table.X)
    np.testing.assert_array_equal(y, table.y)
    np.testing.assert_array_equal(back.estimator.coef_, model.estimator.coef_)


def test_only_estimators_are_models():
    with pytest.raises(CannotStore, match="estimator"):
        store.dumps(FileModel(7))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("names", ["a"]),
        ("names", ["a", "a"]),
        ("categories", ["u"]),
        ("coding", np.array([0, 0], np.int8)),
        ("fill", np.array([np.inf, np.nan])),
        ("fill", np.array([0.0, 7.0])),
        ("fill", np.array([0.0, 0.5])),
        ("n_categories", np.array([1, 2])),
        ("missing", "guess"),
        ("target", "a"),
    ],
)
def test_encoders_that_cannot_be_are_refused(field, value):
    encoder = TableEncoder(
        (ColumnCode("a", "number", fill=1.0), ColumnCode("c", "category", "onehot", ("u", "v"), "v")), ("a", "c", "y")
    )
    values = ENCODER.fields(encoder)
    assert ENCODER.make(TableEncoder, values) == encoder
    with pytest.raises(Violation):
        ENCODER.make(TableEncoder, {**values, field: value})


def test_labels_are_whole_only_if_all_are():
    assert whole_labels(np.array([1.0, -1.0])).dtype == np.int64
    assert whole_labels(np.array([1.0, 0.5])).dtype == np.float64
    assert whole_labels(np.array([1e300])).dtype == np.float64
