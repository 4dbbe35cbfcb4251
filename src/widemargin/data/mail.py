"""A raw mail as text: its subject, what a reader sees of its body, and what kinds of parts it has.

Problem  bytes as they came (RFC 822 with MIME) -> subject, body, kinds of parts; anything else is a body of its own
Method   the standard library's email package reads headers; bodies are cut at their boundaries here, level by level,
         because its parser takes quadratic time for many nested parts. Whatever a mail holds, reading it neither fails
         nor takes long: bytes, parts, levels and lengths of headers are bounded, unknown charsets are guessed.
"""

from __future__ import annotations

import binascii
import codecs
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Any

from .. import _core
from ..base.errors import WrongType

MAX_BYTES = 1 << 20  # of a mail; what follows is not read
_MAX_HEAD, _MAX_VALUE, _MAX_PARTS, _MAX_DEPTH = 1 << 16, 2000, 200, 20
_BLANK_LINE = re.compile(rb"\r?\n\r?\n|\r\r")
_HEADER_LINE = re.compile(rb"(?:From |>?[!-9;-~]+[ \t]*:)")
_USUAL = re.compile(
    rb"^(?:subject|from|to|date|received|return-path|message-id|content-type|mime-version|reply-to|sender|delivered-to)"
    rb"[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_MARKS = re.compile("[\x1e\x1f]")  # what marks fields for the tokeniser means nothing in a mail
# Codecs of Python that are no charsets of mails, some of which take quadratic time.
_NO_CHARSETS = {"punycode", "idna", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"}


@dataclass(frozen=True)
class Mail:
    """What was read of a mail.

    Attributes
    ----------
    subject : str
    body : str
        All parts of text, HTML as a reader sees it, with the addresses of its links.
    kinds : tuple of str
        The content type of each part, such as "text/html"; empty for text that is no mail.
    headers : dict of str to str
        Other headers that were asked for, by small name.
    """

    subject: str
    body: str
    kinds: tuple[str, ...] = ()
    headers: dict[str, str] | None = None


def parse_mail(raw: Any, headers: Iterable[str] = ()) -> Mail:
    """Read one mail, whatever it holds.

    Parameters
    ----------
    raw : bytes, str or email.message.Message
        The mail as it came, headers first. Text without headers is a body.
    headers : iterable of str
        Names of further headers to keep.
    """
    data = _as_bytes(raw)
    head, body = _split(data)
    if head is None:
        return Mail("", _clean(_decoded(data, None)))
    message = _headers(head)
    texts: list[str] = []
    kinds: list[str] = []
    waiting = [(message, body, 0)]
    while waiting and len(kinds) < _MAX_PARTS:
        part, content, depth = waiting.pop()
        kind = _kind(part)
        kinds.append(kind.get_content_type())
        inner = _inner_parts(kind, content) if depth < _MAX_DEPTH else []
        waiting.extend((_headers(h or b""), b, depth + 1) for h, b in reversed(inner[:_MAX_PARTS]))
        if not inner and kind.get_content_maintype() in ("text", "multipart"):
            texts.append(_text(part, kind, content))
    kept = {name.lower(): _clean(_value(message, name)) for name in headers}
    return Mail(_clean(_value(message, "subject")), _clean("\n".join(texts)), tuple(kinds), kept)


def _as_bytes(raw: Any) -> bytes:
    if isinstance(raw, Message):
        raw = raw.as_bytes()
    if isinstance(raw, str):
        raw = raw[:MAX_BYTES].encode("utf-8", "surrogateescape" if not _lone(raw) else "replace")
    if not isinstance(raw, (bytes, bytearray, memoryview)):
        raise WrongType(f"a mail is bytes, str or an email.message.Message, not {type(raw).__name__}: {raw!r:.80}")
    return bytes(raw[:MAX_BYTES])


def _lone(text: str) -> bool:
    """Whether there are surrogates that stand for no byte."""
    return not text.isascii() and re.search("[\ud800-\udc7f\udd00-\udfff]", text) is not None


def _split(data: bytes) -> tuple[bytes | None, bytes]:
    """(headers, body); None for headers where there are none."""
    found = _BLANK_LINE.search(data)
    if found is None or not _HEADER_LINE.match(data) or not _USUAL.search(data, 0, min(found.start(), _MAX_HEAD)):
        return None, data
    head = data[: min(found.start(), _MAX_HEAD)]
    return head.partition(b"\n")[2] if head.startswith(b"From ") else head, data[found.end() :]


def _headers(head: bytes) -> Message:
    return BytesHeaderParser().parsebytes(head + b"\n\n")


def _raw_value(message: Message, name: str) -> str:
    return str(message.get(name, ""))[:_MAX_VALUE]


def _value(message: Message, name: str) -> str:
    """A header as text, encoded words decoded."""
    raw = _raw_value(message, name)
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    return "".join(_decoded(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces)


def _kind(part: Message) -> Message:
    """The content type alone: long values take quadratic time to read."""
    kind = Message()
    value = _raw_value(part, "content-type").replace("\r", " ").replace("\n", " ")
    if value:
        kind["content-type"] = value
    return kind


def _inner_parts(kind: Message, content: bytes) -> list[tuple[bytes | None, bytes]]:
    if kind.get_content_type() == "message/rfc822":
        return [_part(content)]
    boundary = kind.get_boundary() if kind.get_content_maintype() == "multipart" else None
    if not boundary:
        return []
    pieces = content.split(b"--" + boundary.encode("ascii", "replace"), _MAX_PARTS)[1:]
    return [_part(piece.lstrip(b" \t").removeprefix(b"\r").removeprefix(b"\n"))
            for piece in pieces if not piece.startswith(b"--")]  # fmt: skip


def _part(piece: bytes) -> tuple[bytes | None, bytes]:
    """Headers and body of a part; a part may have no headers."""
    if piece.startswith((b"\n", b"\r\n")):
        return b"", piece
    found = _BLANK_LINE.search(piece)
    if found is None or not _HEADER_LINE.match(piece):
        return b"", piece
    return piece[: min(found.start(), _MAX_HEAD)], piece[found.end() :]


def _text(part: Message, kind: Message, content: bytes) -> str:
    coding = _raw_value(part, "content-transfer-encoding").strip().lower()
    if coding == "quoted-printable":
        content = binascii.a2b_qp(content)
    elif coding == "base64":
        try:
            content = binascii.a2b_base64(content + b"==")
        except binascii.Error:  # cut in the middle of a group: the text as it stands is all there is
            content = bytes(content)
    text = _decoded(content, _charset(kind))
    if kind.get_content_subtype() == "html" or text[:200].lstrip()[:5].lower() in ("<html", "<!doc"):
        text = _core.html_text(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        text = html.unescape(text) if "&" in text else text
    return text


def _charset(kind: Message) -> str | None:
    try:
        return kind.get_content_charset()
    except (ValueError, LookupError, TypeError):
        return None


def _decoded(data: bytes, charset: str | None) -> str:
    """Bytes as text; an unknown charset is guessed."""
    if charset and charset != "us-ascii":
        try:
            if codecs.lookup(charset).name not in _NO_CHARSETS:
                return data.decode(charset, "replace")
        except (LookupError, ValueError):  # no such charset, or none that text has
            pass
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _clean(text: str) -> str:
    return _MARKS.sub(" ", text)
