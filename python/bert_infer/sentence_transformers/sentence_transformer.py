"""SentenceTransformer with the interface of sentence-transformers 6."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import Error, InvalidArgumentError, UnsupportedError, notify
from ..model import Model
from ..types import VectorPrecision
from . import mteb_calls, saving
from .base import (
    DENSE_SIMILARITIES,
    BaseModel,
    check_batch_size,
    check_optional,
    given_inputs,
    refuse,
    shows_progress,
    similarity_name,
)
from .roles import for_role
from .tensors import as_tensor, check_device
from .util import vector_scores

if TYPE_CHECKING:
    import os

    from .util import SimilarityFunction


class SentenceTransformer(BaseModel):
    """A model for vectors of texts."""

    model_type = "SentenceTransformer"
    SUPPORTED_SIMILARITY_FN_NAMES = DENSE_SIMILARITIES

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *,
        similarity_fn_name: "str | SimilarityFunction | None" = None,
        truncate_dim: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_name_or_path, **options)
        self._tell_pooling()
        self.similarity_fn_name = similarity_fn_name
        self._files_dim: int | None = self._written("truncate_dim")
        self.truncate_dim = self._files_dim if truncate_dim is None else truncate_dim

    def _tell_pooling(self) -> None:
        """What is done where the model's files do not say how to pool; sentence-transformers logs a warning there."""
        try:
            guess = self.model._engine.undeclared_pooling
        except Error:
            return  # of a model without one vector of a text: encode says so
        if guess:
            notify(guess)

    @property
    def similarity_fn_name(self) -> str:
        """The name of the function of `similarity`; None sets the model's own."""
        return self._similarity_fn_name

    @similarity_fn_name.setter
    def similarity_fn_name(self, value: "str | SimilarityFunction | None") -> None:
        self._similarity_fn_name = similarity_name(value, DENSE_SIMILARITIES) or self.model.similarity_function

    @property
    def truncate_dim(self) -> int | None:
        """The most dimensions of encode's vectors; None: all."""
        return self._truncate_dim

    @truncate_dim.setter
    def truncate_dim(self, value: int | None) -> None:
        self._check_dim(value)
        self._truncate_dim = value

    def _check_dim(self, value: int | None) -> None:
        check_optional("truncate_dim", value)
        if self._files_dim is not None and (value is None or value > self._files_dim):
            raise UnsupportedError(
                f"truncate_dim={value} is not supported, expected at most the {self._files_dim} of the model's files"
            )

    def encode(
        self,
        inputs: "str | Iterable[str] | None" = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: str | None = "sentence_embedding",
        precision: VectorPrecision | None = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: Any = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        pool: dict[str, Any] | None = None,
        chunk_size: int | None = None,
        *,
        sentences: "str | Iterable[str] | None" = None,
        task: str | None = None,
        **options: Any,
    ) -> Any:
        """A vector for each text: an array [texts, size], for a single str [size].

        output_value="token_embeddings": a list of tensors [tokens, hidden]; None: a list of dicts, see _all_outputs;
        for a single str one tensor or dict. convert_to_tensor: a tensor; with
        convert_to_numpy=False a list of tensors. sentences: the name of `inputs` before sentence-transformers 5.4.
        task: the route of a model with several. A call of MTEB has task_metadata, and a loader of texts.
        """
        import numpy as np

        if "task_metadata" in options:
            wrapper = mteb_calls.wrapped(self, "SentenceTransformerEncoderWrapper")
            settings = {"batch_size": batch_size, "show_progress_bar": bool(show_progress_bar)}
            return wrapper.encode(inputs, **settings, **options)
        texts = given_inputs(inputs, sentences)
        check_device(device)
        check_batch_size(batch_size)
        max_length = self._max_length(options)
        refuse(options)
        model = self._route(task)
        common: dict[str, Any] = {
            "prompt": self._prompt(prompt_name, prompt),
            "max_length": max_length,
            "show_progress_bar": shows_progress(show_progress_bar),
        }
        if output_value == "token_embeddings":
            if precision not in (None, "float32"):
                raise UnsupportedError(f"precision={precision!r} of token_embeddings is not supported")
            rows = model.encode(texts, output_value="token_embeddings", **common)
            return [as_tensor(row) for row in rows] if isinstance(rows, list) else as_tensor(rows)
        truncate_dim = self.truncate_dim if truncate_dim is None else truncate_dim
        self._check_dim(truncate_dim)
        if output_value is None:
            listed = [texts] if isinstance(texts, str) else list(texts)
            outputs = self._all_outputs(model, listed, truncate_dim, common)
            return outputs[0] if isinstance(texts, str) else outputs
        if output_value != "sentence_embedding":
            raise UnsupportedError(f"output_value {output_value!r} is not supported")
        vectors = model.encode(
            texts,
            precision=precision or "float32",
            normalize_embeddings=normalize_embeddings,
            truncate_dim=truncate_dim,
            **common,
        )
        if convert_to_tensor:
            return as_tensor(vectors)
        if not convert_to_numpy:
            return as_tensor(vectors) if isinstance(texts, str) else [as_tensor(vector) for vector in vectors]
        return vectors if len(vectors) else np.array([])

    encode_query = for_role(encode, "query")
    encode_document = for_role(encode, "document")

    def encode_multi_process(
        self,
        sentences: Sequence[str],
        pool: dict[str, Any],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        chunk_size: int | None = None,
        show_progress_bar: bool | None = None,
        precision: VectorPrecision = "float32",
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
    ) -> Any:
        """encode; the pool has no effect."""
        return self.encode(
            sentences,
            prompt_name,
            prompt,
            batch_size,
            show_progress_bar,
            precision=precision,
            normalize_embeddings=normalize_embeddings,
            truncate_dim=truncate_dim,
        )

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of each vector with each: [first, second]; a tensor where torch is loaded."""
        return vector_scores(self.similarity_fn_name, embeddings1, embeddings2)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of embeddings1[i] and embeddings2[i]: [vectors]; of two vectors one number."""
        return vector_scores(self.similarity_fn_name, embeddings1, embeddings2, pairwise=True)

    def get_embedding_dimension(self) -> int:
        """The size of encode's vectors."""
        size = self.model.embedding_size()
        return size if self.truncate_dim is None else min(size, self.truncate_dim)

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 5.4

    @contextmanager
    def truncate_embeddings(self, truncate_dim: int | None) -> Iterator[None]:
        """Within this context, encode's vectors have at most so many dimensions."""
        before, self.truncate_dim = self.truncate_dim, truncate_dim
        try:
            yield
        finally:
            self.truncate_dim = before

    truncate_sentence_embeddings = truncate_embeddings

    def smart_batching_collate(self, batch: Sequence[Any]) -> tuple[list[dict[str, Any]], Any]:
        """The features of examples' texts, one dict for each text of an example, and their labels, as tensors."""
        columns = zip(*(example.texts for example in batch), strict=True)
        return [self.preprocess(list(texts)) for texts in columns], as_tensor([example.label for example in batch])

    def __call__(self, input: dict[str, Any]) -> dict[str, Any]:
        """The features of preprocess with tensors: sentence_embedding [texts, size], and of a model with an encoder
        token_embeddings [texts, tokens, hidden], zeros where there is padding. Nothing can be trained by it."""
        import numpy as np

        if set(input) & {"inputs_embeds", "pixel_values"}:
            raise InvalidArgumentError("features without input_ids, expected those of preprocess")
        kept = input["attention_mask"].bool()
        ids = [row[mask].tolist() for row, mask in zip(input["input_ids"], kept, strict=True)]
        found = {**input, "sentence_embedding": as_tensor(self.model.encode_ids(ids))}
        if self.model._engine.attention_layers:
            rows = self.model.hidden_of_ids(ids)
            tokens = np.zeros((*kept.shape, rows[0].shape[1] if rows else 0), dtype=np.float32)
            for row, mask, place in zip(rows, kept.numpy(), tokens, strict=True):
                place[mask] = row
            found["token_embeddings"] = as_tensor(tokens)
        return found

    forward = __call__

    def _settings(self) -> dict[str, Any]:
        own = {"similarity_fn_name": self.similarity_fn_name, "truncate_dim": self.truncate_dim}
        return {**super()._settings(), **own}

    def _modules_without_file(self) -> list[saving.Module]:
        guess = self.model._engine.undeclared_pooling
        if not guess:  # rows of tokens, without an encoder
            return []
        mode = "lasttoken" if "last token" in guess else "mean"
        pooling = {"embedding_dimension": self.model.embedding_size(), "pooling_mode": mode}
        return [saving.encoder("feature-extraction"), ("1_Pooling", saving.POOLING, pooling)]

    def _all_outputs(
        self, model: Model, texts: list[str], truncate_dim: int | None, common: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Of each text its ids, its tokens' vectors and its own, as tensors, not padded. Encodes the texts twice."""
        vectors = model.encode(texts, truncate_dim=truncate_dim, **common)
        rows = model.encode(texts, output_value="token_embeddings", **common)
        given = {}
        if common["prompt"]:
            prompt = model.tokens(common["prompt"])
            given["prompt_length"] = len(prompt["ids"]) - int(prompt["special_tokens_mask"][-1])
        outputs = []
        for text, row, vector in zip(texts, rows, vectors, strict=True):
            tokens = model.tokens(common["prompt"] + text, max_length=common["max_length"])
            ids = as_tensor(tokens["ids"]).long()
            outputs.append(
                {
                    "input_ids": ids,
                    "token_type_ids": as_tensor(tokens["type_ids"]).long(),
                    "attention_mask": ids.new_ones(len(ids)),
                    "modality": "text",
                    **given,
                    "token_embeddings": as_tensor(row),
                    "sentence_embedding": as_tensor(vector),
                }
            )
        return outputs
