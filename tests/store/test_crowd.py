"""A long list of objects is one part of a file, whatever they are."""

from __future__ import annotations

import io
import json
import tracemalloc

import msgspec
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import widemargin as wm
from widemargin import store
from widemargin.errors import DamagedFile
from widemargin.store.container import chunks, unpack
from widemargin.store.values import LONG_LIST, MAX_DEPTH, Crowd


def boosted(n_estimators=40, tree=None):
    r = np.random.default_rng(0)
    X = r.normal(size=(120, 4))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * r.normal(size=120) > 0, "yes", "no")
    tree = tree or wm.DecisionTreeClassifier(max_depth=2)
    return wm.AdaBoostClassifier(tree, n_estimators=n_estimators, learning_rate=0.1).fit(X, y), X, y


def written(model, **options):
    file = io.BytesIO()
    store.save(model, file, **options)
    return file.getvalue()


def read(data):
    return store.load(io.BytesIO(data))


def test_four_hundred_trees_of_classes_are_saved_and_say_the_same():
    """Each as a part of its own they would fill the header: 270 were too many."""
    model, X, y = boosted(400)
    assert len(model.members_) == 400
    data = written(model)
    again = read(data)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert wm.certify(again, X, y).holds
    for old, new in zip(model.members_, again.members_, strict=True):
        assert old.get_params() == new.get_params()
        assert np.array_equal(old.trees_.nodes, new.trees_.nodes)
        assert (old.proof_, str(old.certificate_)) == (new.proof_, str(new.certificate_))
    assert written(again) == data


@pytest.mark.parametrize("count", [LONG_LIST, LONG_LIST + 1])
def test_short_lists_are_parts_of_their_own(count):
    model, X, _ = boosted(count)
    data = written(model)
    parts = store.inspect(io.BytesIO(data)).parts
    assert ("fitted.members_" in parts) is (count > LONG_LIST)
    assert np.array_equal(read(data).predict(X), model.predict(X))


def test_members_with_arrays_of_other_shapes_come_back():
    model, X, _ = boosted(36, wm.SVC(C=0.5))
    assert len({m.support_.shape for m in model.members_}) > 1
    again = read(written(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_proofs_of_members_are_left_out_where_asked():
    model, _, _ = boosted()
    assert all(m.proof_ is None for m in read(written(model, proof=False)).members_)
    assert all(m.proof_ is not None for m in read(written(model)).members_)


def damaged_file(change):
    header, arrays = unpack(written(boosted()[0]))
    arrays = {name: np.array(array) for name, array in arrays.items()}
    header = change(header, arrays) or header
    return b"".join(map(bytes, chunks(header, arrays)))


def owner_beyond(header, arrays):
    arrays["fitted.members_/owners.0"][0] = 40


def owner_below(header, arrays):
    arrays["fitted.members_/owners.0"][0] = -1


def owner_twice(header, arrays):
    arrays["fitted.members_/owners.0"][1] = arrays["fitted.members_/owners.0"][0]


def negative_shape(header, arrays):
    arrays["fitted.members_/shapes.0"][0] = -1


def shape_too_large(header, arrays):
    arrays["fitted.members_/shapes.0"][0] += 1


def shapes_gone(header, arrays):
    del arrays["fitted.members_/shapes.0"]


def shapes_of_others(header, arrays):
    arrays["fitted.members_/shapes.0"] = arrays["fitted.members_/shapes.0"][1:]


def one_more_column(header, arrays):
    arrays["fitted.members_/values.99"] = arrays["fitted.members_/values.0"]


def in_the_nodes(old, new):
    def change(header, arrays):
        text = arrays["fitted.members_/nodes.utf8"].tobytes()
        assert old in text
        assert len(old) == len(new)
        arrays["fitted.members_/nodes.utf8"] = np.frombuffer(text.replace(old, new, 1), np.uint8)

    return change


def many_dimensions(header, arrays):
    """The product of so many numbers would take minutes."""
    owners = arrays["fitted.members_/owners.0"]
    arrays["fitted.members_/shapes.0"] = np.full((len(owners), 100_000), 2**62)


def list_in_a_list(header, arrays):
    edit_nodes(arrays, lambda node: node.replace('"DecisionTreeClassifier"', '"Crowd"'))


def bare_list(header, arrays):
    document = json.loads(header)
    document["object"] = document["object"]["parts"]["fitted.members_"]
    for name in list(arrays):
        head, _, rest = name.partition("/")
        array = arrays.pop(name)
        if head == "fitted.members_" and rest:
            arrays[rest] = array
    return msgspec.json.encode(document, order="sorted").decode()


def edit_nodes(arrays, edit):
    """The first object of the list under another description."""
    place = "fitted.members_/nodes."
    text, ends = arrays[place + "utf8"].tobytes(), arrays[place + "offsets"]
    first = edit(text[: ends[1]].decode()).encode()
    arrays[place + "utf8"] = np.frombuffer(first + text[ends[1] :], np.uint8)
    ends[1:] += len(first) - ends[1]


def one_object(header, arrays):
    return header.replace('{"crowd":"fitted.members_"}', '{"part":"fitted.members_"}')


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (owner_beyond, "column 0 names an object or a shape that cannot be"),
        (owner_below, "column 0 names an object or a shape that cannot be"),
        (owner_twice, "object 0 has the array fitted.classes_ twice"),
        (negative_shape, "column 0 names an object or a shape that cannot be"),
        (shape_too_large, "column 0 has 240 values where 246 are due"),
        (shapes_gone, "the array shapes.0 is missing"),
        (shapes_of_others, r"column 0 has \(40,\) objects and \(39, 2\) shapes"),
        (one_more_column, "has no use for fitted.members_/values.99"),
        (in_the_nodes(b'":', b'" '), "JSON is malformed"),
        (in_the_nodes(b":0.0", b":0e0"), "not written as widemargin writes it"),
        (one_object, "fitted.members_ is a list where one object is due"),
        (many_dimensions, "column 0 has arrays of 100000 dimensions, at most 8"),
        (list_in_a_list, "an object of a list is a list"),
        (bare_list, "it holds a bare list of objects"),
    ],
)
def test_what_does_not_fit_is_refused(change, said):
    """By what it is: that something goes wrong later on would be luck."""
    with pytest.raises(DamagedFile, match=said):
        read(damaged_file(change))


def test_one_object_is_no_list():
    header, arrays = unpack(written(boosted(LONG_LIST)[0]))
    header = header.replace('{"part":"fitted.members_.0"}', '{"crowd":"fitted.members_.0"}')
    with pytest.raises(DamagedFile, match=r"fitted.members_.0 is no long list of objects"):
        read(b"".join(map(bytes, chunks(header, arrays))))


@pytest.mark.parametrize("labels", [["no", "zes"], ["yes", "no"]])
def test_a_bag_whose_members_know_other_classes_is_refused(labels):
    """It was loaded, and raised IndexError when it was asked."""
    _, X, y = boosted(2)
    header, arrays = unpack(written(wm.BaggingClassifier(GaussianNB(), 33).fit(X, y)))
    text = np.array(labels, dtype="<U3").view("<u4").reshape(2, 3)
    data = b"".join(map(bytes, chunks(header, {**arrays, "fitted.classes_": text})))
    with pytest.raises(DamagedFile):
        read(data)


def test_lists_in_lists_come_back_and_count_as_depth():
    """Each list is one floor: a file cannot dig deeper by lists than by parts."""
    _, X, y = boosted(2)
    booster = wm.AdaBoostClassifier(wm.DecisionTreeClassifier(max_depth=2), n_estimators=35, learning_rate=0.1)
    model = wm.BaggingClassifier(booster, 34).fit(X, y)
    assert np.array_equal(read(written(model)).predict_proba(X), model.predict_proba(X))
    with pytest.raises(DamagedFile, match="nested more than"):
        read(dug(MAX_DEPTH - 1, MAX_DEPTH - 1))
    with pytest.raises(DamagedFile, match="BaggingClassifier is not valid"):
        read(dug(MAX_DEPTH - 3, 1))


def dug(above, below):
    """A list so many parts deep, of one object that is itself so many parts deep."""

    def buried(node, levels):
        for _ in range(levels):
            node = {"data": {}, "parts": {"x": node}, "type": "BaggingClassifier", "version": 1}
        return node

    item = buried({"data": {}, "parts": {}, "type": "BaggingClassifier", "version": 1}, below)
    data = {"columns": [], "nodes": [msgspec.json.encode(item, order="sorted").decode()]}
    crowd = {"data": data, "parts": {}, "type": "Crowd", "version": 1}
    header = {"format": 1, "object": buried(crowd, above), "proof": True, "written_by": {}}
    return b"".join(chunks(msgspec.json.encode(header, order="sorted").decode(), {}))


def test_reading_many_small_objects_takes_at_most_twice_the_file():
    _, X, y = boosted(2)
    model = wm.BaggingClassifier(GaussianNB(), 1500, max_samples=0.5).fit(np.tile(X, 8), y)
    data = written(model)
    read(data)
    tracemalloc.start()
    try:
        read(data)
        assert tracemalloc.get_traced_memory()[1] <= 2 * len(data) + (1 << 20)
    finally:
        tracemalloc.stop()


def test_a_list_of_lists_of_objects_is_no_crowd():
    from widemargin.store.values import Box, to_json

    box = Box()
    assert to_json([[wm.Perceptron()] for _ in range(50)], "x", box)[0] == [{"part": "x.0.0"}]
    assert len(box.parts) == 50
    assert not any(isinstance(part, Crowd) for part in box.parts.values())
