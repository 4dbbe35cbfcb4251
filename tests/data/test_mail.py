"""Raw mails as text: what a reader sees, and that nothing a mail may hold stops or slows its reading."""

from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin import _core
from widemargin.data import parse_mail
from widemargin.errors import WrongType


def mail(*parts, kind="multipart/mixed", subject="hello"):
    head = f"From: a@b.c\nSubject: {subject}\nMIME-Version: 1.0\nContent-Type: {kind}; boundary=cut\n\n".encode()
    return head + b"".join(b"--cut\n" + part + b"\n" for part in parts) + b"--cut--\n"


def test_a_mail_of_the_standard_library_comes_back():
    made = EmailMessage()
    made["Subject"] = "Grüße aus Köln"
    made["From"] = "Jörg <a@b.c>"
    made.set_content("Schöne Ferien\n")
    made.add_alternative("<p>Sch&ouml;ne <b>Fer</b>ien <a href='http://x.example/a'>hier</a></p>", subtype="html")
    made.add_attachment(b"\x00\x01", maintype="image", subtype="png", filename="a.png")
    for raw in (made, made.as_bytes(), made.as_bytes().replace(b"\n", b"\r\n"), made.as_string()):
        read = parse_mail(raw, ["From"])
        assert read.subject == "Grüße aus Köln"
        assert "Jörg" in read.headers["from"]
        assert read.body.split() == ["Schöne", "Ferien", "Schöne", "http://x.example/a", "hier"] or (
            read.body.split() == ["Schöne", "Ferien", "Schöne", "Ferien", "http://x.example/a", "hier"]
        )
        assert set(read.kinds) == {"multipart/mixed", "multipart/alternative", "text/plain", "text/html", "image/png"}


def test_charsets_and_codings_are_undone():
    text = "Жук £5"
    part = b"Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n0tXL"
    assert "рук" in parse_mail(mail(part)).body
    part = (
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n=D0=96=\n=D1=83=D0=BA"
    )
    assert text[:3] in parse_mail(mail(part)).body
    assert parse_mail("Subject: =?utf-8?b?0JbRg9C6?= =?iso-8859-1?q?_=A35?=\n\nx").subject == text
    assert parse_mail(b"Subject: x\n\n\xa35").body == "£5"  # no charset, no UTF-8: Windows


@pytest.mark.parametrize(
    "charset", ["klingon", "hex", "punycode", "idna", "undefined", "\x00", "a" * 5000, "utf-7", "zip"]
)
def test_unknown_charsets_are_guessed(charset):
    part = f'Content-Type: text/plain; charset="{charset}"\n\nhello wörld'.encode()
    assert "hello" in parse_mail(mail(part)).body


def test_text_without_headers_is_a_body():
    for text in ("Hi: see you at 5", "To: you\nno blank line", "", "a\n\nb", "note: x\n\ny"):
        assert parse_mail(text).body == text
        assert parse_mail(text).subject == ""
    assert parse_mail("From x@y Mon\nSubject: s\n\nb").subject == "s"  # the first line of an mbox


def test_a_mail_within_a_mail_is_read():
    inner = b"Content-Type: message/rfc822\n\nSubject: inner\nContent-Type: text/plain\n\ninner words"
    read = parse_mail(mail(b"Content-Type: text/plain\n\nouter words", inner))
    assert "outer words" in read.body
    assert "inner words" in read.body


def test_html_is_what_a_reader_sees():
    html = (
        b"<html><style>p {}</style><SCRIPT>if (a<b) x()</SCRIPT><!-- hidden -->Via<b></b>gra<br>c<!-- x -->heap"
        b"<A HREF=http://a.example/x>go</a><img src='i.png'> 1 < 2 <"
    )
    assert _core.html_text(html).split() == [
        b"Viagra",
        b"cheap",
        b"http://a.example/x",
        b"go",
        b"i.png",
        b"1",
        b"<",
        b"2",
        b"<",
    ]
    assert _core.html_text(b"a<!-- never ends") == b"a"
    assert _core.html_text(b"a<b never ends") == b"a<b never ends"
    assert _core.html_text(b"<script>never ends").strip() == b""


def nested(depth):
    """Parts within parts, each with a boundary of its own."""
    head = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (k, k) for k in range(depth))
    return b"Subject: deep\n" + head + b"Content-Type: text/plain\n\nbottom\n"


HOSTILE = {
    "nested": nested(20_000),
    "one boundary": b"Subject: x\nContent-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\nword\n" * 100_000,
    "many parameters": b"Subject: x\nContent-Type: text/plain" + b'; a="' * 200_000 + b"\n\nbody",
    "long header": b"Subject: " + b"x" * 5_000_000 + b"\n\nbody",
    "many headers": b"Subject: x\n" + b"A: b\n" * 500_000 + b"\nbody",
    "encoded words": b"Subject: " + b"=?utf-8?q?a?= " * 100_000 + b"\n\nbody",
    "bad encoded word": b"Subject: =?utf-8?b?a?=\n\nbody",
    "zero bytes": b"Subject: a\x00b\nContent-Type: text/pl\x00ain; charset=\x00\n\n" + b"\x00" * 1_000_000,
    "large body": b"Subject: x\n\n" + b"word " * 2_000_000,
    "no newline": b"Subject: x\n\n" + b"x" * 10_000_000,
    "comments": b"Subject: x\nContent-Type: text/html\n\n" + b"<!--" * 1_000_000,
    "tags": b"Subject: x\nContent-Type: text/html\n\n" + b"<a" * 1_000_000,
    "attributes": b"Subject: x\nContent-Type: text/html\n\n<a " + b"href=" * 300_000 + b">",
    "scripts": b"Subject: x\nContent-Type: text/html\n\n" + b"<script></" * 200_000,
    "entities": b"Subject: x\nContent-Type: text/html\n\n" + b"&amp" * 300_000,
    "bad base64": b"Subject: x\nContent-Transfer-Encoding: base64\n\n" + b"=" * 999_999,
    "bad quoted": b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n" + b"=" * 999_999,
    "mails within mails": b"Subject: x\n" + b"Content-Type: message/rfc822\n\nSubject: x\n" * 50_000,
    "empty boundary": b'Subject: x\nContent-Type: multipart/mixed; boundary=""\n\n--\n--\n',
    "no boundary": b"Subject: x\nContent-Type: multipart/mixed\n\nbody",
    "returns only": b"Subject: x\r\rbody" * 50_000,
    "returns": b"\r\n" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_mail_stops_its_reading(name):
    read = parse_mail(HOSTILE[name], ["from"])
    assert len(read.body) < 1 << 21
    assert len(read.kinds) <= 200


@given(st.binary(max_size=300), st.lists(st.sampled_from(list(HOSTILE.values())), max_size=2), st.data())
def test_any_bytes_are_read(tail, begins, data):
    raw = b"".join(begin[: data.draw(st.integers(0, 200))] for begin in begins) + tail
    read = parse_mail(raw)
    assert isinstance(read.body, str)
    assert not set("\x1e\x1f") & set(read.subject + read.body)
    parse_mail(raw.decode("utf-8", "surrogateescape"))


def test_what_is_no_mail_is_refused():
    with pytest.raises(WrongType, match="not int"):
        parse_mail(5)
    assert parse_mail("lone \ud800 surrogate").body
