"""Mails in files: one, an mbox, a Maildir, a folder, a table."""

import mailbox

import pytest

from widemargin.data import parse_mail, read_mail_table, read_mails
from widemargin.errors import BadInput

ONE, TWO = b"Subject: one\n\nfirst\n", b"Subject: two\n\nsecond\nFrom here\n"


def subjects(place):
    return [parse_mail(mail).subject for _, mail in read_mails(place)]


def test_an_mbox_of_the_standard_library_is_read(tmp_path):
    box = mailbox.mbox(tmp_path / "box")
    for mail in (ONE, TWO, ONE):
        box.add(mail)
    box.close()
    assert subjects(tmp_path / "box") == ["one", "two", "one"]
    found = [mail for _, mail in read_mails(tmp_path / "box")]
    assert b"\nFrom here" in found[1]  # written as >From


def test_a_maildir_of_the_standard_library_is_read(tmp_path):
    box = mailbox.Maildir(tmp_path / "dir")
    for mail in (ONE, TWO):
        box.add(mail)
    assert sorted(subjects(tmp_path / "dir")) == ["one", "two"]


def test_a_folder_and_a_file_are_read(tmp_path):
    (tmp_path / "b").write_bytes(TWO)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_bytes(ONE)
    (tmp_path / ".hidden").write_bytes(ONE)
    assert subjects(tmp_path) == ["one", "two"]
    assert [name for name, _ in read_mails(tmp_path / "b")] == [str(tmp_path / "b")]
    (tmp_path / "none").mkdir()
    with pytest.raises(BadInput, match="without mails"):
        list(read_mails(tmp_path / "none"))


def test_of_a_long_mail_the_beginning_is_held(tmp_path):
    (tmp_path / "box").write_bytes(b"From x\nSubject: one\n\n" + b"x" * 3_000_000 + b"\n\nFrom y\nSubject: two\n\nb\n")
    found = [mail for _, mail in read_mails(tmp_path / "box")]
    assert [parse_mail(mail).subject for mail in found] == ["one", "two"]
    assert len(found[0]) < 2_200_000


def test_a_table_has_texts_and_labels(tmp_path):
    path = str(tmp_path / "mails.csv")
    (tmp_path / "mails.csv").write_text('kind,message,n\nspam,"win, now\nfree",1\nham,hello,2\n', encoding="utf-8")
    assert read_mail_table(path, target="kind") == (["win, now\nfree", "hello"], ["spam", "ham"])
    assert read_mail_table(path, "n", "kind")[0] == ["1", "2"]
    assert read_mail_table(path)[1] is None
    with pytest.raises(BadInput, match="did you mean 'kind'"):
        read_mail_table(path, target="kin")
    with pytest.raises(BadInput, match="there are 'kind', 'message', 'n'"):
        read_mail_table(path, "zzz")
    (tmp_path / "two.csv").write_text("a,b,c\n1,2\n")
    with pytest.raises(BadInput, match="say with text="):
        read_mail_table(str(tmp_path / "two.csv"))
    with pytest.raises(BadInput, match="row 2: there are 2 columns"):
        read_mail_table(str(tmp_path / "two.csv"), "c")
