"""SentenceTransformer with the interface of sentence-transformers 6."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from ..errors import Error, UnsupportedError, notify
from ..types import VectorPrecision
from . import mteb_calls, saving
from .base import (
    DENSE_SIMILARITIES,
    check_optional,
    given_inputs,
    refuse,
    shows_progress,
)
from .embedder import Embedder
from .features import WithFeatures
from .roles import for_role
from .tensors import as_tensor

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from ..types import FloatArray
    from .annotations import Embeddings, EncodeOptions, Outputs
    from .util import SimilarityFunction


# Models for which sentence-transformers leaves the prompt out of the pooling.
INSTRUCTOR = ("hkunlp/instructor-base", "hkunlp/instructor-large", "hkunlp/instructor-xl")


class SentenceTransformer(Embedder, WithFeatures):
    """A model that makes vectors of texts."""

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
        """Issues a Notice if the model's files do not say how to pool; sentence-transformers logs a warning then."""
        try:
            guess = self.model._engine.undeclared_pooling
        except Error:
            return  # the model gives no single vector of a text; encode raises an error then
        if guess:
            notify(guess)

    def _prompt(self, name: str | None, text: str | None) -> str:
        prompt = super()._prompt(name, text)
        model = str(self._name)
        if prompt and model in INSTRUCTOR:
            raise UnsupportedError(f"a prompt of {model} is not supported: its tokens would have to be left out of the "
                                   "pooling")
        if prompt and "/" in model and "instructor" in model.split("/")[1].lower():
            notify("instructor models leave the prompt out of the pooling, which is not supported: it is pooled")
        return prompt

    @property
    def truncate_dim(self) -> int | None:
        """The most dimensions of the vectors of `encode`; None: all."""
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

    @overload
    def encode(
        self,
        inputs: "str | Iterable[str]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["sentence_embedding"] = ...,
        precision: Literal["float32"] | None = ...,
        convert_to_numpy: Literal[True] = ...,
        convert_to_tensor: Literal[False] = ...,
        **options: "Unpack[EncodeOptions]",
    ) -> "FloatArray": ...

    @overload
    def encode(
        self,
        inputs: "str | Iterable[str]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["sentence_embedding"] = ...,
        precision: Literal["int8", "binary"],
        convert_to_numpy: Literal[True] = ...,
        convert_to_tensor: Literal[False] = ...,
        **options: "Unpack[EncodeOptions]",
    ) -> "NDArray[np.int8]": ...

    @overload
    def encode(
        self,
        inputs: "str | Iterable[str]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["sentence_embedding"] = ...,
        precision: Literal["uint8", "ubinary"],
        convert_to_numpy: Literal[True] = ...,
        convert_to_tensor: Literal[False] = ...,
        **options: "Unpack[EncodeOptions]",
    ) -> "NDArray[np.uint8]": ...

    @overload
    def encode(
        self,
        inputs: "str | Iterable[str]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["sentence_embedding"] = ...,
        precision: VectorPrecision | None = ...,
        convert_to_numpy: bool = ...,
        convert_to_tensor: Literal[True],
        **options: "Unpack[EncodeOptions]",
    ) -> "Tensor": ...

    @overload
    def encode(
        self,
        inputs: "str",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["sentence_embedding"] = ...,
        precision: VectorPrecision | None = ...,
        convert_to_numpy: Literal[False],
        convert_to_tensor: Literal[False] = ...,
        **options: "Unpack[EncodeOptions]",
    ) -> "Tensor": ...

    @overload
    def encode(
        self,
        inputs: "list[str] | tuple[str, ...] | NDArray[np.str_]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["sentence_embedding"] = ...,
        precision: VectorPrecision | None = ...,
        convert_to_numpy: Literal[False],
        convert_to_tensor: Literal[False] = ...,
        **options: "Unpack[EncodeOptions]",
    ) -> "list[Tensor]": ...

    @overload
    def encode(
        self,
        inputs: "str",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["token_embeddings"],
        **options: "Unpack[EncodeOptions]",
    ) -> "Tensor": ...

    @overload
    def encode(
        self,
        inputs: "list[str] | tuple[str, ...] | NDArray[np.str_]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: Literal["token_embeddings"],
        **options: "Unpack[EncodeOptions]",
    ) -> "list[Tensor]": ...

    @overload
    def encode(
        self,
        inputs: "str",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: None,
        **options: "Unpack[EncodeOptions]",
    ) -> "Outputs": ...

    @overload
    def encode(
        self,
        inputs: "list[str] | tuple[str, ...] | NDArray[np.str_]",
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        *,
        output_value: None,
        **options: "Unpack[EncodeOptions]",
    ) -> "list[Outputs]": ...

    @overload
    def encode(
        self,
        inputs: "str | Iterable[str] | None" = ...,
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        batch_size: int = ...,
        show_progress_bar: bool | None = ...,
        output_value: str | None = ...,
        precision: VectorPrecision | None = ...,
        convert_to_numpy: bool = ...,
        convert_to_tensor: bool = ...,
        device: object = ...,
        normalize_embeddings: bool = ...,
        truncate_dim: int | None = ...,
        pool: dict[str, object] | None = ...,
        chunk_size: int | None = ...,
        *,
        sentences: "str | Iterable[str] | None" = ...,
        task: str | None = ...,
        **options: object,
    ) -> "Embeddings": ...

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
        device: object = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        pool: dict[str, object] | None = None,
        chunk_size: int | None = None,
        *,
        sentences: "str | Iterable[str] | None" = None,
        task: str | None = None,
        **options: Any,
    ) -> "Embeddings":
        """Returns a vector for each text: an array [texts, size], or [size] for a single str.

        output_value: "token_embeddings": a list of tensors [tokens, hidden]; None: a list of dicts, see _all_outputs.
        For a single str it is one tensor or one dict. convert_to_tensor: the result is a tensor; with
        convert_to_numpy=False it is a list of tensors. sentences: the name of `inputs` before sentence-transformers
        5.4. task: the route of a model with several routes. MTEB calls this with task_metadata and a loader of texts.
        """
        import numpy as np

        if "task_metadata" in options:
            wrapper = mteb_calls.wrapped(self, "SentenceTransformerEncoderWrapper")
            settings = {"batch_size": batch_size, "show_progress_bar": bool(show_progress_bar)}
            by_mteb: FloatArray = wrapper.encode(inputs, **settings, **options)
            return by_mteb
        texts = given_inputs(inputs, sentences, batch_size, device)
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
            return as_tensor(vectors if len(vectors) else np.array([], dtype=np.float32))
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
        """Calls `encode`; the pool has no effect."""
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

    def get_embedding_dimension(self) -> int:
        """Returns the size of the vectors of `encode`."""
        size = self.model.embedding_size()
        return size if self.truncate_dim is None else min(size, self.truncate_dim)

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 5.4

    @contextmanager
    def truncate_embeddings(self, truncate_dim: int | None) -> Iterator[None]:
        """Limits the vectors of `encode` to this many dimensions within a `with` block."""
        before, self.truncate_dim = self.truncate_dim, truncate_dim
        try:
            yield
        finally:
            self.truncate_dim = before

    truncate_sentence_embeddings = truncate_embeddings

    def _settings(self) -> dict[str, Any]:
        own = {"similarity_fn_name": self.similarity_fn_name, "truncate_dim": self.truncate_dim}
        return {**super()._settings(), **own}

    def _modules_without_file(self) -> list[saving.Module]:
        guess = self.model._engine.undeclared_pooling
        if not guess:  # a static model
            return []
        mode = "lasttoken" if "last token" in guess else "mean"
        pooling = {"embedding_dimension": self.model.embedding_size(), "pooling_mode": mode}
        return [saving.encoder("feature-extraction"), ("1_Pooling", saving.POOLING, pooling)]
