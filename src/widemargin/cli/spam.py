"""`wm spam learn|classify|explain`: from mails to a filter, from a filter to verdicts and the words that decided."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

from widemargin.base.errors import BadInput
from widemargin.data.mailboxes import is_blank, is_mail_table, read_mail_table, read_mails
from widemargin.estimator.spam_filter import SpamFilter
from widemargin.store import load, save

from . import root
from .out import Out
from .session import UsageError, command_parser
from .sources import names, whole
from .train import refuse_unwritable, threads

EXAMPLES = """\
examples:
  wm spam learn --spam spam/ --ham ham/ -o filter.wm
  wm spam learn messages.csv --target kind -o filter.wm
  wm spam learn --spam spam/ -o filter.wm                 from spam alone
  wm spam learn --model filter.wm --ham alarm.eml -o filter.wm     a correction
  wm spam classify filter.wm inbox/ new.mbox mail.eml
  wm spam explain filter.wm mail.eml

mails: a file with one, an mbox, a Maildir, a folder with a file for each, "-" for standard input;
or a CSV or TSV table with a column of texts (--text) and, to learn from, one of labels (--target)
"""
_BATCH = 256  # mails at a time


def parse(words: list[str]) -> argparse.Namespace:
    parser = command_parser("spam")
    parser.epilog = EXAMPLES
    parser.add_argument("action", choices=("learn", "classify", "explain"))
    parser.add_argument("places", nargs="*", metavar="PLACE", help="learn: a table; else the filter, then mails")
    group = parser.add_argument_group("learn")
    group.add_argument(
        "--spam", action="append", default=[], metavar="PLACE", help="mails that are spam; may be repeated"
    )
    group.add_argument(
        "--ham", action="append", default=[], metavar="PLACE", help="mails that are not; may be repeated"
    )
    group.add_argument("--target", metavar="COL", help="of a table: the column that says what is spam")
    group.add_argument("--spam-label", metavar="LABEL", help="of a table: the label of spam; default: spam, or 1")
    group.add_argument("--model", metavar="FILTER.wm", help="correct this filter instead of learning a new one")
    group.add_argument("-o", "--output", metavar="FILTER.wm", help="where the filter goes")
    group.add_argument("-C", type=_number, default=1.0, help="price of errors; default: %(default)s")
    group.add_argument("--nu", type=_number, default=0.1, help="one kind alone: share outside; default: %(default)s")
    group.add_argument(
        "--threshold", type=_finite, default=0.0, help="spam if the score is above; default: %(default)s"
    )
    group.add_argument(
        "--headers", type=names, default=(), metavar="A,B,…", help="whose words count too: from,reply-to"
    )
    group.add_argument("--threads", type=threads, metavar="N", help="-1 means all; the result does not depend on it")
    group = parser.add_argument_group("tables")
    group.add_argument("--text", metavar="COL", help="the column with the mails; default: found out")
    group.add_argument("--encoding", default="utf-8", help="default: %(default)s")
    group = parser.add_argument_group("explain")
    group.add_argument("--top", type=whole, default=12, metavar="N", help="words to show; default: %(default)s")
    args = parser.parse_args(words)
    _check_together(args)
    return args


def _number(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be above 0; it is {text!r}")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a finite number; it is {text!r}")
    return value


def _check_together(args: argparse.Namespace) -> None:
    if args.action == "learn":
        if not (args.places or args.spam or args.ham):
            raise UsageError("mails to learn from are needed: --spam PLACE, --ham PLACE, or a table with --target COL")
        for place in args.places:
            if not is_mail_table(place):
                raise UsageError(f"{place}: say whether these mails are --spam or --ham; only tables say it themselves")
        if args.places and args.target is None:
            raise UsageError("--target is needed: the column of the table that says what is spam")
        if args.output is None:
            raise UsageError("-o FILTER.wm is needed: where the filter goes")
    elif len(args.places) < 2:
        raise UsageError(f"{args.action} needs the filter and at least one place with mails (wm spam --help)")


def run(args: argparse.Namespace) -> int:
    return {"learn": _learn, "classify": _classify, "explain": _explain}[args.action](args)


# ---- learn -----------------------------------------------------------------------------------------------------------


def _learn(args: argparse.Namespace) -> int:
    out = Out(args)
    refuse_unwritable(args.output)
    before = None if args.model is None else _filter(args.model)
    mails, labels = _labelled(args, out)
    spam = sum(label == "spam" for label in labels)
    with out.progress("learning", None):
        if before is not None:
            wrong = int((before.predict(mails) != _as_known(before, labels)).sum())
            found = before.partial_fit(mails, _as_known(before, labels))
        else:
            options = {"C": args.C, "nu": args.nu, "threshold": args.threshold, "headers": args.headers}
            found, wrong = SpamFilter(**options, n_jobs=args.threads).fit(mails, labels), None
    save(found, args.output)
    certificate = found.certificate_
    out.document(
        {
            "output": args.output,
            "mails": len(mails),
            "spam": spam,
            "ham": len(mails) - spam,
            "wrong_before": wrong,
            "corrections": found.n_corrections_,
            "certificate": certificate.to_dict(),
        }
    )
    kinds = "both kinds" if 0 < spam < len(mails) else "spam alone" if spam else "ham alone"
    rows: list[tuple[str, Any]] = [("mails", len(mails)), ("spam", spam), ("ham", len(mails) - spam)]
    rows += (
        [("learnt from", kinds)] if before is None else [("wrong before", wrong), ("corrections", found.n_corrections_)]
    )
    rows.append(("certificate", f"{certificate.verdict()}: {certificate.claim}"))
    out.table(args.output, rows)
    return root.OK


def _labelled(args: argparse.Namespace, out: Out) -> tuple[list[Any], list[str]]:
    mails: list[Any] = []
    labels: list[str] = []
    for place in args.places:
        texts, kinds = read_mail_table(place, args.text, args.target, args.encoding)
        mails += texts
        labels += _kinds(place, kinds or [], args.spam_label)
    with out.progress("reading", None) as advance:
        for label, places in (("spam", args.spam), ("ham", args.ham)):
            for place in places:
                for _, mail in _mails(args, place):
                    mails.append(mail)
                    labels.append(label)
                    advance(len(mails), f"{len(mails)} mails")
    if not mails:
        raise BadInput("there are no mails to learn from")
    return mails, labels


def _kinds(place: str, labels: list[str], spam: str | None) -> list[str]:
    """Labels of a table as spam and ham."""
    found = sorted(set(labels))
    usual = [label for label in found if label.strip().lower() in ("spam", "1", "true", "yes")]
    if spam is None and (len(usual) != 1 or len(found) > 2):
        few = ", ".join(map(repr, found[:5]))
        raise BadInput(f"{place} has {len(found)} labels ({few}): say with --spam-label which of them is spam")
    wanted = usual[0] if spam is None else spam
    if wanted not in found:
        raise BadInput(f"{place}: no mail has the label {wanted!r}; there are {', '.join(map(repr, found[:5]))}")
    return ["spam" if label == wanted else "ham" for label in labels]


def _as_known(found: SpamFilter, labels: list[str]) -> Any:
    """Labels as the filter was fitted with."""
    return found.classes_[[int(label == "spam") for label in labels]]


# ---- use -------------------------------------------------------------------------------------------------------------


def _filter(path: str) -> SpamFilter:
    found: Any = load(path)
    if not isinstance(found, SpamFilter) or not hasattr(found, "classes_"):
        raise BadInput(
            f"{path} holds a {type(found).__name__}, no filter that was fitted: give what wm spam learn wrote"
        )
    return found


def _mails(args: argparse.Namespace, place: str) -> Iterator[tuple[str, Any]]:
    if is_mail_table(place):
        texts, _ = read_mail_table(place, args.text, None, args.encoding)
        yield from ((f"{place}:{k}", text) for k, text in enumerate(texts, 2))
    else:
        yield from read_mails(place)


def _all_mails(args: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    for place in args.places[1:]:
        yield from _mails(args, place)


def _classify(args: argparse.Namespace) -> int:
    out, found = Out(args), _filter(args.places[0])
    verdicts: list[dict[str, Any]] = []
    waiting: list[tuple[str, Any]] = []

    def decide() -> None:
        whole = [mail for _, mail in waiting if not is_blank(mail)]
        scores = iter(found.decision_function(whole).tolist() if whole else [])
        for name, mail in waiting:
            score = None if is_blank(mail) else next(scores)  # what holds nothing gets no verdict
            label = None if score is None else "spam" if score > found.threshold else "ham"
            verdicts.append({"mail": name, "verdict": label, "score": score})
            if not (args.json or args.quiet):
                out.line(f"{label or 'none':<5}{'empty' if score is None else format(score, '.3f'):>8}  {name}")
        waiting.clear()

    with out.progress("classifying", None) as advance:
        for one in _all_mails(args):
            waiting.append(one)
            if len(waiting) == _BATCH:
                decide()
                advance(len(verdicts), f"{len(verdicts)} mails")
        if waiting:
            decide()
    spam, empty = (sum(v["verdict"] == kind for v in verdicts) for kind in ("spam", None))
    out.document({"filter": args.places[0], "mails": len(verdicts), "spam": spam, "verdicts": verdicts})
    beside = f"; {empty} of them {'is' if empty == 1 else 'are'} empty and got no verdict" if empty else ""
    out.line(f"{spam} of {len(verdicts)} mails are spam{beside}")
    return root.OK


def _explain(args: argparse.Namespace) -> int:
    out, found = Out(args), _filter(args.places[0])
    told = []
    for name, mail in _all_mails(args):
        why = found.explain(mail, args.top)
        label = None if is_blank(mail) else "spam" if why.score > found.threshold else "ham"
        told.append({"mail": name, **why.to_dict(), "label": label})
        rows = [[word, share, "spam" if share > 0 else "ham"] for word, share in why.words]
        rows += [["all other words", why.others, ""], ["bias", why.bias, ""], ["score", why.score, label or ""]]
        out.table(f"{name}: {label or 'empty, no verdict'}", rows, ["word", "share", "speaks for"])
    out.document({"filter": args.places[0], "explanations": told})
    return root.OK
