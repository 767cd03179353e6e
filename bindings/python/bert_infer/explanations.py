"""Explains scores, shows what each layer predicts, and changes parts of a model."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from . import _engine
from .asynchronous import twin
from .errors import InvalidArgumentError, check_integer, check_text, checked_list, shown
from .experiments import Experiment, ExperimentModel
from .runs import Pair
from .vectors import rows_of

Ablation = Literal["zero", "mean"]


def _pair_of(text: "str | Pair", max_length: int | None) -> tuple[str, str | None]:
    if max_length is not None:
        check_integer("max_length", max_length, 1)
    if isinstance(text, str):
        return text, None
    if isinstance(text, tuple) and len(text) == 2 and all(isinstance(part, str) for part in text):
        return text
    raise TypeError(f"found {type(text).__name__}, expected a str or a tuple of two")


class ExplanationModel(ExperimentModel):
    """The part of Model that explains its answers. A text may also be a pair, a tuple of two texts."""

    def explain_similarity(
        self,
        a: str,
        b: str,
        *,
        kind: Literal["dense", "sparse", "tokens"] = "dense",
        pooling: str | None = None,
        max_length: int | None = None,
    ) -> Experiment:
        """Explains the similarity of two texts: as a sum of terms, or by leaving out each word.

        kind: "token pairs", "entries", "matches" or "words left out". For "words left out", not_additive says why the
        score is not a sum. score: the similarity. remainder: the score minus the sum of its terms. first and second:
        dicts for the two texts, with "words", "tokens" (the rows of pairs), "groups" (words, and tokens that belong to
        no word) and, for "words left out", "without": the score without each word.
        pairs: the terms, [tokens of a, tokens of b]. group_pairs: their sums, [groups of a, groups of b]. For sparse
        vectors the result has the vocabulary's entries and their terms instead. With kind="tokens" a is a query and b a
        document.
        """
        if kind not in ("dense", "sparse", "tokens"):
            raise InvalidArgumentError(f"kind: found {kind!r}, expected 'dense', 'sparse' or 'tokens'")
        for what, text in (("a", a), ("b", b), ("pooling", pooling or "")):
            check_text(what, text)
        _pair_of(a, max_length)
        return Experiment(_engine.explain_similarity(self._engine, a, b, kind, pooling, max_length))

    def explain_labels(self, text: "str | Pair", *, top_k: int = 1, max_length: int | None = None) -> Experiment:
        """Returns a classifier's scores without each word of the text.

        labels and scores: in the order of the model's outputs. without: the scores without each word, [words, labels].
        remainders: the scores minus the sum of what each word's absence takes away, [labels]. top_k: how many labels
        are drawn.
        """
        check_integer("top_k", top_k, 1)
        return Experiment(_engine.explain_labels(self._engine, *_pair_of(text, max_length), top_k, max_length))

    def fill_mask_layers(self, text: "str | Pair", *, top_k: int = 3, max_length: int | None = None) -> Experiment:
        """Returns the words that each layer would predict for the masks of a text, by the masked-LM head on the layer's
        vectors.

        words, ids and scores: the best words of each layer and mask, [layers + 1, masks, top_k]. last_word: the
        probability that each layer gives the last layer's word, [masks, layers + 1]. Layer 0 is the embeddings.
        """
        check_integer("top_k", top_k, 1)
        return Experiment(_engine.layer_words(self._engine, *_pair_of(text, max_length), top_k, max_length))

    def head_importance(
        self, text: "str | Pair", *, ablation: Ablation = "zero", max_length: int | None = None
    ) -> Experiment:
        """Returns how much the model's answer loses without each attention head.

        answer: what is measured: the score of a classifier's best label, the probability of the best word for the first
        mask, or the cosine of the text's vector with itself. whole: the answer with all heads. loss: [layers, heads].
        """
        return Experiment(_engine.head_importance(self._engine, *_pair_of(text, max_length), ablation, max_length))

    def intervene(
        self,
        *,
        without_heads: "Iterable[tuple[int, int]]" = (),
        ablation: Ablation = "zero",
        patches: "Iterable[tuple[int, int, Sequence[float]]]" = (),
    ) -> Self:
        """Returns a model with the same weights, whose every forward pass is changed. This model stays as it is.

        without_heads: (layer, head) of attention heads whose outputs are replaced by zeros or, with ablation="mean", by
        their mean over the text's tokens. patches: (layer, position, vector): after this layer (0: the embeddings) the
        token at this position gets this vector, such as another text's hidden state. All numbers count from 0. If a
        changed model is changed again, the new changes come after the earlier ones.
        """
        heads, given = [], []
        for i, one in enumerate(checked_list("without_heads", without_heads, "tuples (layer, head)")):
            layer, head = _parts(f"without_heads[{i}]", one, ("layer", "head"))
            heads.append((operator.index(layer), operator.index(head)))
        for i, one in enumerate(checked_list("patches", patches, "tuples (layer, position, vector)")):
            layer, position, vector = _parts(f"patches[{i}]", one, ("layer", "position", "vector"))
            row = rows_of(f"patches[{i}], its vector", vector)
            given.append((operator.index(layer), operator.index(position), tuple(row.ravel().tolist())))
        changed = object.__new__(type(self))
        changed.__dict__.update(self.__dict__)
        change = (tuple(heads), ablation, tuple(given))
        changed._engine = _engine.intervene(self._engine, *change)
        changed._source = replace(self._source, interventions=(*self._source.interventions, change))
        return changed

    # Each method as a coroutine, which runs in a thread.
    aexplain_similarity = twin(explain_similarity)
    aexplain_labels = twin(explain_labels)
    afill_mask_layers = twin(fill_mask_layers)
    ahead_importance = twin(head_importance)


def _parts(name: str, value: Any, names: tuple[str, ...]) -> list[Any]:
    """Returns the parts of a tuple as a list. Raises an error unless the first two parts are integers from 0."""
    parts = list(value) if isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0 else []
    if isinstance(value, (str, bytes)) or len(parts) != len(names):
        raise InvalidArgumentError(f"{name}: found {shown(value)}, expected ({', '.join(names)})")
    for part, what in zip(parts[:2], names, strict=False):
        check_integer(f"{name}, its {what}", part, 0)
    return parts
