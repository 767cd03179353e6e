"""Writes golden vectors, the outputs of forward_pass.py for a few texts, to verify.json next to the weights, for
`bert-infer verify`.

The texts are lower-case ASCII words, digits and separate punctuation, whose WordPiece tokens depend only on vocab.txt.
For other tokenizers there are only sequences of ids. The permitted error is LIMIT times the error of this forward pass
in single precision on the same sequences.
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import ConvertError, quoted
from .forward_pass import Architecture, NoForwardPass, Sequence, Weights, architecture_of, hidden_states, pooled
from .output_directory import OutputDirectory
from .safetensors_file import read_safetensors
from .source_file import SourceFile, confined

GOLDEN = "verify.json"
VERSION = 1
LIMIT = 4
LONGEST = 64  # a sequence of ids has at most so many tokens
MAX_VOCABULARY_BYTES = 64 * 1024 * 1024
PIECE_BYTES = 1024 * 1024

TEXTS: tuple[tuple[str, str | None], ...] = (
    ("a", None),
    ("the dog saw a fox .", None),
    ("where is the book ?", "it is on the table by the window ."),
    ("an unbelievable story of seventeen lighthouses and their keepers", None),
    ("in 1969 two people walked on the moon , and 12 had done so by 1972 .", None),
    ("she said that she would not come ; then she came .", None),
    ("zq xylophonist brrrr", None),
    ("is this good ? no , it is bad .", None),
    (
        "the rain fell all night on the roofs of the town , and in the morning the river had risen to the old bridge , "
        "where the children stood and threw in small pieces of wood to see how fast it ran",
        None,
    ),
    ("bread is made of flour and water", "water is made of bread and flour"),
)


class NoGoldenVectors(Exception):
    """This model has no golden vectors; the message says why."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A sequence and its texts, or None if it has only ids."""

    sequence: Sequence
    text: str | None = None
    pair: str | None = None


def write_golden(
    output: OutputDirectory,
    weights_path: str,
    config: dict[str, Any] | None,
    directory: str,
    on_bytes: Callable[[int], None],
) -> str:
    """Compute and write GOLDEN for the weights at weights_path. Returns a message for the user.

    directory may have vocab.txt. Raises NoGoldenVectors, and then has written nothing.
    """
    if config is None:
        raise NoGoldenVectors("there is no config.json")
    file = SourceFile(weights_path)
    try:
        model = architecture_of(config)
        weights = Weights(read_safetensors(file), on_bytes)
        vocabulary, why_no_texts = read_vocabulary(directory, model)
        cases = text_cases(vocabulary, model) + id_cases(model)
        with np.errstate(all="ignore"):
            content = _content(weights, model, cases, _sha256(file))
    except NoForwardPass as error:
        raise NoGoldenVectors(str(error)) from None
    finally:
        file.close()
    with output.create(GOLDEN) as golden:
        output.write(golden, content)
        output.finish(golden)
    texts = sum(case.text is not None for case in cases)
    return f"{len(cases)} sequences, {texts} of them texts" + (f" ({why_no_texts})" if why_no_texts else "")


def _sha256(file: SourceFile) -> str:
    digest = hashlib.sha256()
    for offset in range(0, file.size, PIECE_BYTES):
        digest.update(file.read(offset, min(PIECE_BYTES, file.size - offset)))
    return digest.hexdigest()


def _content(weights: Weights, model: Architecture, cases: list[Case], digest: str) -> bytes:
    lengths = [len(case.sequence.ids) for case in cases]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    first_tokens, error = [], 0.0
    for x in hidden_states(weights, model, [case.sequence for case in cases]):
        first_tokens.append(x[0][starts])
        error = _larger(error, x)
    limits = {"hidden_states": LIMIT * error}
    pooler = pooled(weights, [rows[starts] for rows in x])
    if pooler is not None:
        limits["pooler_output"] = LIMIT * _larger(0.0, pooler)
    parts = []
    for i, case in enumerate(cases):
        head = {key: text for key, text in (("text", case.text), ("pair", case.pair)) if text is not None}
        head |= {"ids": case.sequence.ids, "type_ids": case.sequence.type_ids}
        arrays = {
            "last_hidden_state": x[0][starts[i] : ends[i]],
            "first_token_by_layer": np.stack([rows[i] for rows in first_tokens]),
        }
        if pooler is not None:
            arrays["pooler_output"] = pooler[0][i]
        members = [json.dumps(head, ensure_ascii=True)[1:-1]]
        members += [f'"{key}": {_array_json(values)}' for key, values in arrays.items()]
        parts.append("{" + ",\n ".join(members) + "}")
    digests = {"result": {"model.safetensors": digest}}
    head = json.dumps({"version": VERSION, "limits": limits, "sha256": digests})[:-1]
    return (head + ', "cases": [\n' + ",\n".join(parts) + "\n]}\n").encode("ascii")


def _larger(error: float, pair: list[np.ndarray]) -> float:
    difference = float(np.abs(pair[0] - pair[1]).max())
    if not np.isfinite(difference):
        raise NoGoldenVectors("the forward pass gives values that are not finite")
    return max(error, difference)


def _array_json(values: np.ndarray) -> str:
    # Ten digits are far more precise than float32, and take half the size of seventeen.
    if values.ndim == 1:
        return "[" + ",".join(f"{value:.10g}" for value in values) + "]"
    return "[" + ",\n  ".join(_array_json(row) for row in values) + "]"


def id_cases(model: Architecture) -> list[Case]:
    """Return sequences of ids: one token, a pair with the first and last ids and every segment, and a long sequence."""
    last = model.vocabulary - 1
    cases = [Case(Sequence([model.vocabulary // 2], [0]))]
    for length in (16, LONGEST):
        length = min(length, model.positions)
        ids = [i * last // max(length - 1, 1) for i in range(length)]
        # Adjacent tokens of the vocabulary are often similar, so the two halves are interleaved.
        ids = ids[::2] + ids[1::2]
        cases.append(Case(Sequence(ids, [i * model.segments // length for i in range(length)])))
    return cases


def read_vocabulary(directory: str, model: Architecture) -> tuple[dict[str, int], str]:
    """Return the tokens of vocab.txt with their ids, or nothing and the reason if it cannot tokenise the texts."""
    path = os.path.join(directory, "vocab.txt")
    if not os.path.lexists(path):
        return {}, "without vocab.txt"
    try:
        file = SourceFile(path, confined(directory, "vocab.txt", quoted(path)))
    except ConvertError as error:
        return {}, str(error)
    try:
        if file.size > MAX_VOCABULARY_BYTES:
            return {}, f"vocab.txt has more than {MAX_VOCABULARY_BYTES} bytes"
        lines = file.read(0, file.size).decode("utf-8", "replace").split("\n")
    finally:
        file.close()
    if lines[-1] == "":
        lines.pop()
    ids = {line.rstrip("\r"): number for number, line in enumerate(lines)}
    missing = [token for token in ("[CLS]", "[SEP]", "[UNK]") if token not in ids]
    if missing:
        return {}, f"vocab.txt has no {missing[0]}"
    if len(lines) > model.vocabulary:
        return {}, f"vocab.txt has {len(lines)} tokens, the model {model.vocabulary}"
    return ids, ""


def text_cases(vocabulary: dict[str, int], model: Architecture) -> list[Case]:
    """Return cases for the TEXTS that fit the positions, or none without a vocabulary."""
    cases = []
    for text, pair in TEXTS if vocabulary else ():
        begin, end = vocabulary["[CLS]"], vocabulary["[SEP]"]
        ids = [begin, *word_pieces(text, vocabulary), end]
        type_ids = [0] * len(ids)
        if pair is not None:
            second = [*word_pieces(pair, vocabulary), end]
            ids += second
            type_ids += [min(1, model.segments - 1)] * len(second)
        if len(ids) <= model.positions:
            cases.append(Case(Sequence(ids, type_ids), text, pair))
    return cases


def word_pieces(text: str, vocabulary: dict[str, int]) -> list[int]:
    """Return the ids of words separated by single spaces. Each piece is the longest that matches. A word without pieces
    is unknown."""
    ids = []
    for word in text.split(" "):
        pieces, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            stop = next((e for e in range(len(word), start, -1) if prefix + word[start:e] in vocabulary), None)
            if stop is None:
                pieces = [vocabulary["[UNK]"]]
                break
            pieces.append(vocabulary[prefix + word[start:stop]])
            start = stop
        ids += pieces
    return ids
