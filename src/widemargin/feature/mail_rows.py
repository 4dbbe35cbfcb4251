"""Mails as sparse rows: which words and which pieces of letters stand in them.

Problem  for each mail two rows of hashed terms, one of words (and pairs of words), one of pieces of letters within
         words; presence of known terms, both rows of the same length and 1 together, so that long mails weigh no more
         than short ones, and what nobody has seen before changes nothing
Method   feature/bag_of_words. Words of the subject and of other headers count twice: as words, and as words of that
         header. Hash values need no dictionary, so words never seen before can be learnt at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..data.mail import Mail, parse_mail
from .bag_of_words import BagOfWords

MAX_WORDS, MAX_LETTERS = 1 << 16, 1 << 14  # letters of a mail that are read for either


@dataclass(frozen=True)
class MailRows:
    """How mails become rows; `columns` is that of each block, words first."""

    words: tuple[int, int]
    letters: tuple[int, int] | None
    headers: tuple[str, ...]
    columns: int
    n_jobs: int | None = None

    @property
    def width(self) -> int:
        return self.columns * (1 if self.letters is None else 2)

    def read(self, mails: Iterable[Any]) -> list[Mail]:
        return [parse_mail(mail, self.headers) for mail in mails]

    def blocks(self, mails: Sequence[Mail]) -> list[sp.csr_array]:
        """A block of rows of ones for each kind of terms."""
        made = [bag._count([text(mail) for mail in mails], None, self.columns)[1] for bag, text in self._bags()]
        for block in made:
            block.data.fill(1.0)
        return made

    def scores(self, blocks: Sequence[sp.csr_array], weights: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Rows times weights; `weights` and `known` (1 or 0) have the columns of all blocks."""
        total = np.zeros(blocks[0].shape[0])
        for k, block in enumerate(blocks):
            own = slice(k * self.columns, (k + 1) * self.columns)
            total += self._scale() * (block @ weights[own]) / np.sqrt(np.maximum(block @ known[own], 1.0))
        return total

    def learnable(self, blocks: Sequence[sp.csr_array]) -> tuple[sp.csr_array, np.ndarray]:
        """Rows of the columns that are worth a weight, and the numbers of these columns.

        A piece of letters that one mail alone has says less of others than the word that it stands in.
        """
        parts, used = [], []
        for k, block in enumerate(blocks):
            often = np.flatnonzero(np.bincount(block.indices, minlength=self.columns) >= (1 if k == 0 else 2))
            parts.append(_unit(_only(block, often), self._scale()))
            used.append(k * self.columns + often)
        return sp.csr_array(sp.hstack(parts, format="csr")), np.concatenate(used)

    def whole(self, blocks: Sequence[sp.csr_array]) -> tuple[np.ndarray, np.ndarray]:
        """Columns and values of one mail, all of whose terms are known."""
        columns = [k * self.columns + block.indices for k, block in enumerate(blocks)]
        values = [np.full(len(c), self._scale() / np.sqrt(max(len(c), 1))) for c in columns]
        return np.concatenate(columns), np.concatenate(values)

    def terms(self, mail: Mail, known: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
        """(what a person calls it, its values in the row, its columns) of all known terms of a mail.

        A column that several terms share is divided among them, so that values times weights add up to the score.
        """
        found: dict[int, set[str]] = {}
        sizes = []
        for k, (bag, text) in enumerate(self._bags()):
            before = len(found)
            shown = _whole if k == 0 else _words_of_pieces
            for term, names in shown(bag.build_analyzer(), text(mail)):
                column = k * self.columns + self._column(term)
                if known[column]:
                    found.setdefault(column, set()).update(names)
            sizes.append(len(found) - before)
        shares: dict[str, list[int]] = {}
        for column, names in found.items():
            for name in names:
                shares.setdefault(name, []).append(column)
        values = [self._scale() / np.sqrt(size) if size else 0.0 for size in sizes]
        return [
            (name, np.array([values[c // self.columns] / len(found[c]) for c in columns]), np.array(columns))
            for name, columns in shares.items()
        ]

    def _column(self, term: str) -> int:
        signed = _core.murmur(term.encode("utf-8", "surrogatepass"), 0)
        return abs(signed - (1 << 32) if signed >= 1 << 31 else signed) % self.columns

    def _scale(self) -> float:
        return 1.0 if self.letters is None else float(np.sqrt(0.5))

    def _bags(self) -> list[tuple[BagOfWords, Any]]:
        options: dict[str, Any] = {"hashing": self.columns, "dtype": np.float64, "n_jobs": self.n_jobs}
        bags: list[tuple[BagOfWords, Any]] = [
            (BagOfWords(tokens="mail", ngram_range=self.words, **options), _marked_text)
        ]
        if self.letters is not None:
            bags.append((BagOfWords(analyzer="char_wb", ngram_range=self.letters, **options), _plain_text))
        return bags


def _only(X: sp.csr_array, columns: np.ndarray) -> sp.csr_array:
    """The given columns of a matrix."""
    place = np.full(X.shape[1], -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    index = place[X.indices]
    kept = index >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[X.indptr]
    return sp.csr_array((X.data[kept], index[kept], ends), shape=(X.shape[0], len(columns)))


def _unit(X: sp.csr_array, length: float) -> sp.csr_array:
    sizes = np.diff(X.indptr)
    X.data = np.repeat(length / np.sqrt(np.maximum(sizes, 1)), sizes)
    return X


def _plain_text(mail: Mail) -> str:
    return f"{mail.subject}\n{mail.body[:MAX_LETTERS]}"


def _marked_text(mail: Mail) -> str:
    """Fields are marked for the tokeniser: their words bear their name."""
    fields = {"subject": mail.subject, "part": " ".join(mail.kinds), **(mail.headers or {})}
    marked = "".join(f"\x1e{name}:\x1f{text}" for name, text in fields.items() if text)
    return f"{marked}\x1e\x1f{mail.subject}\n{mail.body[:MAX_WORDS]}"


def _whole(analyze: Any, text: str) -> Iterable[tuple[str, tuple[str]]]:
    return [(term, (term,)) for term in analyze(text)]


def _words_of_pieces(analyze: Any, text: str) -> Iterable[tuple[str, tuple[str]]]:
    """Pieces of letters, each with the word that it stands in."""
    for word in dict.fromkeys(text.lower().split()):
        for piece in analyze(word):
            yield piece, (word.strip(".,;:!?()[]<>\"'*") or word,)
