"""A drop-in for sentence-transformers: SentenceTransformer, CrossEncoder and SparseEncoder with its signatures.

    from bert_infer.sentence_transformers import SentenceTransformer

Vectors are numpy arrays, sparse ones arrays of scipy; torch is not needed. Tensors need it: it is imported only for
convert_to_tensor=True and for arguments that are tensors. What the engine does not do is rejected by name: other
devices, modules built in Python, options for torch.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from .errors import InvalidArgumentError, UnsupportedError
from .model import Model
from .sparse_encoder import SparseEncoder
from .types import VectorPrecision
from .vectors import quantize, similarity, similarity_pairwise

__all__ = ["CrossEncoder", "SentenceTransformer", "SparseEncoder"]

# Arguments of the constructors that cannot change what the engine computes.
WITHOUT_EFFECT = {"backend", "trust_remote_code", "model_card_data", "token", "use_auth_token"}


def _load(name: "str | os.PathLike[str] | None", device: Any, revision: str | None, threads: int, rest: Any) -> Model:
    if name is None:
        raise InvalidArgumentError("no model, expected a directory or a model's name on the hub")
    _check_device(device)
    for option, value in rest.items():
        if value and option not in WITHOUT_EFFECT:
            raise UnsupportedError(f"{option}={value!r} is not supported")
    return Model(name, revision=revision or "main", threads=threads)


def _check_device(device: Any) -> None:
    if device is not None and str(device) != "cpu":
        raise UnsupportedError(f"device {device!r} is not supported, expected 'cpu'")


def _is_tensor(value: Any) -> bool:
    """Without importing torch; of a list of vectors, by its first."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.split(".")[0] == "torch"


def _as_array(value: Any) -> Any:
    import numpy as np

    if isinstance(value, (list, tuple)):
        return np.stack([np.asarray(vector, dtype=np.float32) for vector in value])
    return np.asarray(value, dtype=np.float32)


def _as_tensor(array: Any) -> Any:
    return import_module("torch").as_tensor(array)


class SentenceTransformer:
    """A model for vectors of texts, with the interface of sentence-transformers 6."""

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *,
        device: Any = None,
        prompts: dict[str, str] | None = None,
        default_prompt_name: str | None = None,
        revision: str | None = None,
        similarity_fn_name: str | None = None,
        truncate_dim: int | None = None,
        threads: int = 0,
        **options: Any,
    ) -> None:
        self.model = _load(model_name_or_path, device, revision, threads, options)
        # As there: both always exist, so that neither method falls back to the default prompt.
        self.prompts = {"query": "", "document": "", **self.model.prompts, **(prompts or {})}
        self.default_prompt_name = default_prompt_name or self.model.default_prompt_name
        if self.default_prompt_name is not None:
            self._prompt(self.default_prompt_name, None)
        self.similarity_fn_name = similarity_fn_name or self.model.similarity_function
        self.truncate_dim = truncate_dim
        self.max_seq_length = self.model.max_length
        self.device = "cpu"

    def encode(
        self,
        inputs: "str | Iterable[str] | None" = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: str | None = "sentence_embedding",
        precision: VectorPrecision = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Any = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        *,
        sentences: "str | Iterable[str] | None" = None,
        **options: Any,
    ) -> Any:
        """A vector for each text: an array [texts, size], for a single str [size].

        output_value="token_embeddings": a list of tensors [tokens, hidden]; None: a list of dicts, see _all_outputs;
        for a single str one tensor or dict. convert_to_tensor: a tensor; with
        convert_to_numpy=False a list of tensors. sentences: the name of `inputs` before sentence-transformers 5.4.
        """
        import numpy as np

        texts = sentences if inputs is None else inputs
        if texts is None:
            raise InvalidArgumentError("no texts given")
        _check_device(device)
        for name, value in options.items():
            if value is not None:
                raise UnsupportedError(f"{name}={value!r} is not supported")
        common: dict[str, Any] = {
            "prompt": self._prompt(prompt_name, prompt),
            "max_length": self.max_seq_length,
            "batch_size": batch_size,
            "show_progress_bar": bool(show_progress_bar),
        }
        if output_value == "token_embeddings":
            rows = self.model.encode(texts, output_value="token_embeddings", **common)
            return [_as_tensor(row) for row in rows] if isinstance(rows, list) else _as_tensor(rows)
        truncate_dim = self.truncate_dim if truncate_dim is None else truncate_dim
        if output_value is None:
            outputs = self._all_outputs([texts] if isinstance(texts, str) else list(texts), truncate_dim, common)
            return outputs[0] if isinstance(texts, str) else outputs
        if output_value != "sentence_embedding":
            raise UnsupportedError(f"output_value {output_value!r} is not supported")
        vectors = self.model.encode(
            texts,
            precision=precision,
            normalize_embeddings=normalize_embeddings,
            truncate_dim=truncate_dim,
            **common,
        )
        if convert_to_tensor:
            return _as_tensor(vectors)
        if not convert_to_numpy:
            return _as_tensor(vectors) if isinstance(texts, str) else [_as_tensor(vector) for vector in vectors]
        return vectors if len(vectors) else np.array([])

    def encode_query(self, inputs: Any = None, prompt_name: str | None = None, *rest: Any, **options: Any) -> Any:
        """encode with the prompt "query", if none is given."""
        return self.encode(inputs, self._default("query", prompt_name, rest, options), *rest, **options)

    def encode_document(self, inputs: Any = None, prompt_name: str | None = None, *rest: Any, **options: Any) -> Any:
        """encode with the prompt "document", if none is given."""
        return self.encode(inputs, self._default("document", prompt_name, rest, options), *rest, **options)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of each vector with each: [first, second]; a tensor if the arguments are tensors."""
        scores = similarity(self.similarity_fn_name, _as_array(embeddings1), _as_array(embeddings2))
        return _as_tensor(scores) if _is_tensor(embeddings1) or _is_tensor(embeddings2) else scores

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of embeddings1[i] and embeddings2[i]: [vectors]."""
        scores = similarity_pairwise(self.similarity_fn_name, _as_array(embeddings1), _as_array(embeddings2))
        return _as_tensor(scores) if _is_tensor(embeddings1) or _is_tensor(embeddings2) else scores

    def get_embedding_dimension(self) -> int:
        """The size of encode's vectors."""
        size = self.model.embedding_size()
        return size if self.truncate_dim is None else min(size, self.truncate_dim)

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 5.4

    def get_max_seq_length(self) -> int:
        """The number of tokens to which texts are cut."""
        return self.max_seq_length

    @contextmanager
    def truncate_embeddings(self, truncate_dim: int | None) -> Iterator[None]:
        """Within this context, encode's vectors have at most so many dimensions."""
        before, self.truncate_dim = self.truncate_dim, truncate_dim
        try:
            yield
        finally:
            self.truncate_dim = before

    truncate_sentence_embeddings = truncate_embeddings

    def eval(self) -> "SentenceTransformer":
        """There is no other mode."""
        return self

    def to(self, device: Any) -> "SentenceTransformer":
        """Only the CPU."""
        _check_device(device)
        return self

    def _all_outputs(self, texts: list[str], truncate_dim: int | None, common: dict[str, Any]) -> list[dict[str, Any]]:
        """Of each text its ids, its tokens' vectors and its own, as tensors, not padded. Encodes the texts twice."""
        vectors = self.model.encode(texts, truncate_dim=truncate_dim, **common)
        rows = self.model.encode(texts, output_value="token_embeddings", **common)
        given = {}
        if common["prompt"]:
            prompt = self.model.tokens(common["prompt"])
            given["prompt_length"] = len(prompt["ids"]) - int(prompt["special_tokens_mask"][-1])
        outputs = []
        for text, row, vector in zip(texts, rows, vectors, strict=True):
            tokens = self.model.tokens(common["prompt"] + text, max_length=self.max_seq_length)
            ids = _as_tensor(tokens["ids"]).long()
            outputs.append(
                {
                    "input_ids": ids,
                    "token_type_ids": _as_tensor(tokens["type_ids"]).long(),
                    "attention_mask": ids.new_ones(len(ids)),
                    "modality": "text",
                    **given,
                    "token_embeddings": _as_tensor(row),
                    "sentence_embedding": _as_tensor(vector),
                }
            )
        return outputs

    def _prompt(self, name: str | None, text: str | None) -> str:
        if text is not None:
            return text
        name = name if name is not None else self.default_prompt_name
        if name is None:
            return ""
        if name not in self.prompts:
            raise InvalidArgumentError(f"prompt name {name!r}, expected one of {', '.join(self.prompts)}")
        return self.prompts[name]

    def _default(self, name: str, given: str | None, rest: Sequence[Any], options: dict[str, Any]) -> str | None:
        prompt = rest[0] if rest else options.get("prompt")
        return given if given is not None or prompt is not None else name


class CrossEncoder:
    """A classifier of pairs, with the interface of sentence-transformers 6."""

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *,
        device: Any = None,
        revision: str | None = None,
        max_length: int | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        threads: int = 0,
        **options: Any,
    ) -> None:
        self.model = _load(model_name_or_path, device, revision, threads, options)
        self.num_labels = len(self.model.labels)
        self.max_length = max_length
        self.activation_fn = activation_fn

    def predict(
        self,
        inputs: Any = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        apply_softmax: bool | None = False,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Any = None,
        *,
        sentences: Any = None,
        **options: Any,
    ) -> Any:
        """A score for each pair, [pairs], or with several labels [pairs, labels]; for a single pair without the pairs.

        activation_fn: applied to the logits, as a tensor; by default what the model's files name, else the sigmoid for
        one label and nothing for several.
        """
        import numpy as np

        pairs = sentences if inputs is None else inputs
        _check_device(device)
        for name, value in options.items():
            if value is not None:
                raise UnsupportedError(f"{name}={value!r} is not supported")
        if batch_size <= 0:
            raise InvalidArgumentError(f"batch_size {batch_size}, expected a positive number")
        is_single = len(pairs) == 2 and all(isinstance(text, str) for text in pairs)
        listed = [tuple(pair) for pair in ([pairs] if is_single else pairs)]
        activation = activation_fn or self.activation_fn
        rows = self.model.pair_scores(
            listed,
            activated=activation is None,
            prompt_name=prompt_name,
            prompt=prompt,
            max_length=self.max_length,
            show_progress_bar=bool(show_progress_bar),
        )
        scores = np.stack(rows) if rows else np.zeros((0, self.num_labels), dtype=np.float32)
        if activation is not None:
            scores = np.asarray(activation(_as_tensor(scores)))
        if apply_softmax and self.num_labels > 1:
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores = powers / powers.sum(axis=1, keepdims=True)
        if self.num_labels == 1:
            scores = scores[:, 0]
        result: Any = scores[0] if is_single else scores
        if convert_to_tensor:
            return _as_tensor(result)
        return result if convert_to_numpy or is_single else [_as_tensor(score) for score in result]

    def rank(
        self,
        query: str,
        documents: Sequence[str],
        top_k: int | None = None,
        return_documents: bool = False,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """The documents, best first: dicts of corpus_id, score and, with return_documents, text."""
        if self.num_labels != 1:
            raise InvalidArgumentError(f"rank needs a model with one label; this one has {self.num_labels}")
        scores = self.predict([(query, document) for document in documents], **options)
        ranked: list[dict[str, Any]] = [{"corpus_id": i, "score": float(score)} for i, score in enumerate(scores)]
        if return_documents:
            ranked = [{**one, "text": documents[i]} for i, one in enumerate(ranked)]
        return sorted(ranked, key=lambda one: -one["score"])[:top_k]


def quantize_embeddings(
    embeddings: Any, precision: VectorPrecision, ranges: Any = None, calibration_embeddings: Any = None
) -> Any:
    """As sentence_transformers.util.quantize_embeddings."""
    if ranges is None and calibration_embeddings is not None:
        import numpy as np

        ranges = np.stack((np.min(calibration_embeddings, axis=0), np.max(calibration_embeddings, axis=0)))
    return quantize(_as_array(embeddings), precision, ranges)
