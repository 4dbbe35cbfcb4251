"""ARFF, dense and sparse."""

import io
import textwrap

import numpy as np
import pytest

from widemargin.base.errors import MalformedFile
from widemargin.data import read_table, stream_table

DENSE = """\
% a comment
@RELATION 'an example'
@attribute 'the size' REAL
@attribute colour {red, 'light blue', "it's"}
@Attribute note string
@attribute class {yes,no}

@DATA
1.5, red, 'some, text', yes
% between
?, 'light blue', ?, no
-2e1, "it's", plain, yes
"""


def test_dense_arff():
    table = read_table(io.StringIO(DENSE), "class", missing="keep")
    assert table.feature_names[:4] == ("the size", "colour=red", "colour=light blue", "colour=it's")
    np.testing.assert_array_equal(table.X[:, :4], [[1.5, 1, 0, 0], [np.nan, 0, 1, 0], [-20, 0, 0, 1]])
    assert table.categories["note"] == ("plain", "some, text")
    assert table.y.tolist() == ["yes", "no", "yes"]


def test_declared_categories_are_kept_though_some_never_occur():
    table = read_table(io.StringIO("@relation r\n@attribute c {p,q,r}\n@data\nr\np\n"), categories="ordinal")
    assert table.X.ravel().tolist() == [2, 0]
    assert table.categories == {"c": ("p", "q", "r")}


def test_absent_in_a_sparse_row_is_zero_or_the_first_category():
    text = """\
    @relation r
    @attribute a numeric
    @attribute b {u,v}
    @attribute c numeric
    @attribute y {neg,pos}
    @data
    {0 1.5, 3 pos}
    {}
    {1 v,2 ?}
    """
    table = read_table(io.StringIO(textwrap.dedent(text)), "y", missing="keep")
    np.testing.assert_array_equal(table.X, [[1.5, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, np.nan]])
    assert table.y.tolist() == ["pos", "neg", "neg"]


def test_wide_sparse_rows_become_csr():
    names = "".join(f"@attribute w{i} numeric\n" for i in range(200))
    rows = "".join(f"{{{i} {i + 1},200 b}}\n" for i in range(50))
    table = read_table(io.StringIO(f"@relation r\n{names}@attribute y {{a,b}}\n@data\n{rows}"), "y")
    assert table.X.format == "csr"
    assert table.X.nnz == 50
    assert table.X[7, 7] == 8


def test_arff_streams(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(DENSE)
    whole = read_table(path, "class", missing="mean")
    batches = list(stream_table(path, "class", missing="mean", batch_rows=2))
    np.testing.assert_array_equal(np.vstack([X for X, _ in batches]), whole.X)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("@relation r\n@attribute a numeric\n@data\n1\nx\n", 5, "'x' is no number, and attribute 'a' is numeric"),
        ("@relation r\n@attribute a numeric\n@data\n1,2\n", 4, "2 values where 1 attributes are declared"),
        ("@relation r\n@attribute a {u,v}\n@data\nw\n", 4, "'w' is not among the 2 values declared for 'a'"),
        ("@relation r\n@attribute a {u,v\n@data\nu\n", 2, "not closed"),
        ("@relation r\n@attribute a {u,u}\n@data\nu\n", 2, "declares a value twice"),
        ("@relation r\n@attribute a colour\n@data\nu\n", 2, "has the type 'colour'"),
        ("@relation r\n@attribute\n@data\nu\n", 2, "no attribute declaration"),
        ("@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", 3, "'a' is declared twice"),
        ("@relation r\n@attribute a numeric\n1\n", 3, "'1' is no @attribute and no @data"),
        ("@relation r\n@attribute a numeric\n", 2, "ends before @data"),
        ("@relation r\n@data\n1\n", 2, "@data comes before any @attribute"),
        ("@relation r\n@attribute a numeric\n@data\n{0 1,0 2}\n", 4, "index 0 stands twice"),
        ("@relation r\n@attribute a numeric\n@data\n{0 1,\n", 4, "not closed"),
        ("@relation r\n@attribute a numeric\n@data\n{3 1}\n", 4, "index 3, but the 1 attributes are numbered 0 to 0"),
        ("@relation r\n@attribute a numeric\n@data\n{a 1}\n", 4, "cannot read 'index value' at 'a 1'"),
        ("@relation r\n@attribute a string\n@data\n'open\n", 4, "a quote is not closed"),
        ("@relation r\n@attribute a numeric\n@data\n1, {2}\n", 4, "weights of rows are not supported"),
    ],
)
def test_malformed_arff_is_refused_with_its_line(text, line, words):
    with pytest.raises(MalformedFile) as caught:
        read_table(io.StringIO(text))
    assert caught.value.line == line
    assert words in str(caught.value)
