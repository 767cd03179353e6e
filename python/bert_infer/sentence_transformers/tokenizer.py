"""A model's tokenizer with the methods of transformers' that tools call: to count tokens, to split texts."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import UnsupportedError
from ..model import Model
from ..tasks import Pair
from .tensors import as_tensor

# Arguments of __call__ that mean nothing here: there is no other output, and a fast tokenizer is what this is.
WITHOUT_EFFECT = {"return_attention_mask", "return_token_type_ids", "verbose"}


class Tokenizer:
    """The engine's tokenizer. Ids are those of the model's own files."""

    def __init__(self, model: Model, max_length: int | None = None) -> None:
        self._model = model
        self.model_max_length = max_length or model.max_length

    def __call__(
        self,
        text: "str | Pair | Sequence[str | Pair]",
        *,
        add_special_tokens: bool = True,
        padding: bool | str = False,
        truncation: bool = False,
        max_length: int | None = None,
        return_tensors: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """input_ids, token_type_ids and attention_mask of a text, or lists of them.

        return_tensors: "np" arrays, "pt" tensors, [texts, tokens]; they need `padding` where texts differ in length.
        """
        for name in options:
            if name not in WITHOUT_EFFECT:
                raise UnsupportedError(f"{name} of the tokenizer is not supported")
        if padding not in (False, True, "longest", "do_not_pad"):
            raise UnsupportedError(f"padding={padding!r} is not supported, expected True or False")
        is_single = isinstance(text, (str, tuple))
        limit = (max_length or self.model_max_length) if truncation else None
        texts: Sequence[Any] = [text] if is_single else text
        rows = [self._row(one, add_special_tokens, limit) for one in texts]
        if padding in (True, "longest"):
            longest = max((len(row["input_ids"]) for row in rows), default=0)
            for row in rows:
                missing = longest - len(row["input_ids"])
                row["input_ids"] += [self.pad_token_id] * missing
                row["token_type_ids"] += [0] * missing
                row["attention_mask"] += [0] * missing
        columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
        if return_tensors is None:
            return rows[0] if is_single else columns
        return {name: _array(values, return_tensors) for name, values in columns.items()}

    def encode(self, text: "str | Pair", *, add_special_tokens: bool = True, **options: Any) -> Any:
        """The ids of a text."""
        return self(text, add_special_tokens=add_special_tokens, **options)["input_ids"]

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, without special ones."""
        return [self._model.token(token_id) for token_id in self.encode(text, add_special_tokens=False)]

    def decode(self, token_ids: "Iterable[int]", skip_special_tokens: bool = False) -> str:
        """The text of ids."""
        return self._model.decode([int(one) for one in token_ids], skip_special_tokens=skip_special_tokens)

    def batch_decode(self, sequences: "Iterable[Iterable[int]]", skip_special_tokens: bool = False) -> list[str]:
        """The text of each sequence of ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    def convert_ids_to_tokens(self, ids: "int | Iterable[int]") -> "str | list[str]":
        """The token of an id, or those of several."""
        return self._model.token(ids) if isinstance(ids, int) else [self._model.token(int(one)) for one in ids]

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """The number of tokens that belong to no text."""
        return self._model.added_special_tokens(pair=pair)

    @property
    def pad_token_id(self) -> int:
        """Of a token that the model never reads."""
        return self._model.pad_token_id

    def _row(self, text: "str | Pair", add_special_tokens: bool, limit: int | None) -> dict[str, list[int]]:
        if limit is not None and not add_special_tokens:
            limit += self.num_special_tokens_to_add(not isinstance(text, str))
        tokens = self._model.tokens((text[0], text[1]) if not isinstance(text, str) else text, max_length=limit or 0)
        kept = tokens["special_tokens_mask"] == 0 if not add_special_tokens else slice(None)
        ids = tokens["ids"][kept].tolist()
        return {
            "input_ids": ids,
            "token_type_ids": tokens["type_ids"][kept].tolist(),
            "attention_mask": [1] * len(ids),
        }


def _array(values: list[list[int]], kind: str) -> Any:
    import numpy as np

    if kind not in ("np", "pt"):
        raise UnsupportedError(f"return_tensors={kind!r}, expected 'np' or 'pt'")
    array = np.array(values, dtype=np.int64)
    return array if kind == "np" else as_tensor(array)
