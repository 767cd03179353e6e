"""A model's tokenizer with the methods of transformers' tokenizers that tools call to count tokens and split texts."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import UnsupportedError
from ..model import Model
from ..runs import Pair
from .tensors import as_tensor, check_device

# Arguments of __call__ that have no effect: the output always has these parts, and the tokenizer always is a fast one.
WITHOUT_EFFECT = {"return_attention_mask", "return_token_type_ids", "verbose"}
SPECIAL_TOKENS = ("pad", "mask", "unk", "cls", "sep")


class Encoding(dict[str, Any]):
    """The result of a tokenizer. The entries are attributes too; `to` accepts only the CPU."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name!r}, expected one of {', '.join(self)}") from None

    def to(self, device: Any) -> "Encoding":
        """Returns the encoding. Raises an error unless the device is the CPU."""
        check_device(device)
        return self


class Tokenizer:
    """The engine's tokenizer. Ids are those of the model's own files."""

    is_fast = True
    padding_side = truncation_side = "right"

    def __init__(self, model: Model, max_length: int | None = None) -> None:
        self._model = model
        self.model_max_length = max_length or model.max_length
        self.name_or_path: str = model.describe()["source"]

    def __call__(
        self,
        text: "str | Pair | Sequence[str | Pair]",
        *,
        add_special_tokens: bool = True,
        padding: bool | str = False,
        truncation: bool | str = False,
        max_length: int | None = None,
        return_tensors: str | None = None,
        return_offsets_mapping: bool = False,
        return_special_tokens_mask: bool = False,
        **options: Any,
    ) -> Encoding:
        """Returns input_ids, token_type_ids and attention_mask of a text, or lists of them for several. If requested,
        also offset_mapping, the place of each token in the text, and special_tokens_mask, 1 for special tokens.

        return_tensors: "np" for arrays, "pt" for tensors, [texts, tokens]; needs `padding` if the texts differ in
        length.
        """
        for name in options:
            if name not in WITHOUT_EFFECT:
                raise UnsupportedError(f"{name} of the tokenizer is not supported")
        if padding not in (False, True, "longest", "do_not_pad"):
            raise UnsupportedError(f"padding={padding!r} is not supported, expected True or False")
        if truncation not in (False, True, "longest_first", "do_not_truncate"):
            raise UnsupportedError(f"truncation={truncation!r} is not supported, expected True or False")
        truncation = truncation not in (False, "do_not_truncate")
        is_single = isinstance(text, (str, tuple))
        limit = (max_length or self.model_max_length) if truncation else None
        texts: Sequence[Any] = [text] if is_single else text
        further = {"offset_mapping": return_offsets_mapping, "special_tokens_mask": return_special_tokens_mask}
        asked = [name for name, is_asked in further.items() if is_asked]
        rows = [self._row(one, add_special_tokens, limit) for one in texts]
        if asked:
            for one, row in zip(texts, rows, strict=True):
                places, special = self._model.token_places(one, add_special_tokens=add_special_tokens, max_length=limit)
                found: dict[str, list[Any]] = {"offset_mapping": places, "special_tokens_mask": special}
                row |= {name: found[name] for name in asked}
        if padding in (True, "longest"):
            filling = {"input_ids": self.pad_token_id, "token_type_ids": 0, "attention_mask": 0}
            filling |= {"offset_mapping": (0, 0), "special_tokens_mask": 1}
            longest = max((len(row["input_ids"]) for row in rows), default=0)
            for row in rows:
                missing = longest - len(row["input_ids"])
                for name, values in row.items():
                    values += [filling[name]] * missing
        columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
        if return_tensors is None:
            return Encoding(rows[0] if is_single else columns)
        return Encoding({name: _array(values, return_tensors) for name, values in columns.items()})

    def encode(self, text: "str | Pair", *, add_special_tokens: bool = True, **options: Any) -> Any:
        """Returns the ids of a text."""
        return self(text, add_special_tokens=add_special_tokens, **options)["input_ids"]

    def tokenize(self, text: str) -> list[str]:
        """Returns the tokens of a text, without special tokens."""
        return [self._model.token(token_id) for token_id in self.encode(text, add_special_tokens=False)]

    def decode(self, token_ids: "Iterable[int]", skip_special_tokens: bool = False) -> str:
        """Returns the text of token ids."""
        return self._model.decode([int(one) for one in token_ids], skip_special_tokens=skip_special_tokens)

    def batch_decode(self, sequences: "Iterable[Iterable[int]]", skip_special_tokens: bool = False) -> list[str]:
        """Returns the text of each sequence of ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    def convert_ids_to_tokens(self, ids: "int | Iterable[int]") -> "str | list[str]":
        """Returns the token of an id, or the tokens of several ids."""
        return self._model.token(ids) if isinstance(ids, int) else [self._model.token(int(one)) for one in ids]

    def num_special_tokens_to_add(self, pair: bool = False) -> int:
        """Returns how many special tokens are added to a text, or to a pair."""
        return self._model.added_special_tokens(pair=pair)

    def convert_tokens_to_ids(self, tokens: "str | Iterable[str]") -> "int | None | list[int | None]":
        """Returns the id of a token, or the ids of several; a token that is not in the vocabulary has the unknown
        token's id."""
        if not isinstance(tokens, str):
            return [self._id(token) for token in tokens]
        return self._id(tokens)

    @property
    def vocab_size(self) -> int:
        """The largest id plus one."""
        return self._model.vocabulary_size

    def __len__(self) -> int:
        return self.vocab_size

    def get_vocab(self) -> dict[str, int]:
        """Returns the ids by token."""
        tokens = ((self._model.token(token_id), token_id) for token_id in range(self.vocab_size))
        return {token: token_id for token, token_id in tokens if token}

    @property
    def vocab(self) -> dict[str, int]:
        """The ids by token, as in `get_vocab`."""
        return self.get_vocab()

    @property
    def all_special_ids(self) -> list[int]:
        """The ids of the special tokens that the model has."""
        return sorted({token_id for token_id in self._model.special_tokens.values() if token_id is not None})

    @property
    def all_special_tokens(self) -> list[str]:
        """The special tokens that the model has."""
        return [self._model.token(token_id) for token_id in self.all_special_ids]

    def __getattr__(self, name: str) -> Any:
        """Returns pad_token and pad_token_id, and the same attributes for cls, sep, mask and unk."""
        kind, separator, rest = name.partition("_token")
        if not separator or rest not in ("", "_id") or kind not in SPECIAL_TOKENS:
            raise AttributeError(f"{name!r} is not an attribute of this tokenizer")
        token_id = self._model.special_tokens[kind]
        return token_id if rest or token_id is None else self._model.token(token_id)

    def _id(self, token: str) -> int | None:
        found = self._model.token_id(token)
        return self._model.special_tokens["unk"] if found is None else found

    def _row(self, text: "str | Pair", add_special_tokens: bool, limit: int | None) -> dict[str, list[Any]]:
        ids, types = self._model.token_ids(text, add_special_tokens=add_special_tokens, max_length=limit)
        return {"input_ids": ids, "token_type_ids": types, "attention_mask": [1] * len(ids)}


def _array(values: list[list[Any]], kind: str) -> Any:
    import numpy as np

    if kind not in ("np", "pt"):
        raise UnsupportedError(f"return_tensors={kind!r}, expected 'np' or 'pt'")
    array = np.array(values, dtype=np.int64)
    return array if kind == "np" else as_tensor(array)
