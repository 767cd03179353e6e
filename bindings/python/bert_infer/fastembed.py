"""A drop-in for fastembed: has its classes with their signatures, without ONNX Runtime.

    from bert_infer.fastembed import TextEmbedding

Models are loaded from the hub in their own files, not as fastembed's exports. A vector is made as the model's files
say, as in sentence-transformers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from .errors import InvalidArgumentError, NotFoundError, UnsupportedError, checked_path
from .model import Model
from .runs import Texts, checked_pairs, results, vector_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .types import FloatArray

__all__ = [
    "LateInteractionTextEmbedding",
    "ModelSource",
    "PoolingType",
    "SparseEmbedding",
    "SparseTextEmbedding",
    "TextCrossEncoder",
    "TextEmbedding",
]

# Arguments of the constructors that have no effect on the engine's results.
WITHOUT_EFFECT = {"providers", "lazy_load", "enable_cpu_mem_arena"}

# Names that stand for a calculation of fastembed.
ALGORITHMS = {
    "qdrant/bm25": "counts words, without an encoder",
    "qdrant/bm42-all-minilm-l6-v2-attentions": "weights words by an encoder's attention",
    "qdrant/minicoil-v1": "weights words by small vectors of their own",
}


@dataclass(frozen=True)
class ModelSource:
    """The place of a model: its name on the hub."""

    hf: str | None = None
    url: str | None = None


class PoolingType(str, Enum):
    """How the vectors of a text's tokens become one."""

    CLS = "CLS"
    MEAN = "MEAN"
    LAST_TOKEN = "LAST_TOKEN"
    DISABLED = "DISABLED"


# The engine's names of these kinds. None, for DISABLED, leaves what the model's own files say.
POOLING = {"CLS": "cls", "MEAN": "mean", "LAST_TOKEN": "lasttoken", "DISABLED": None}


@dataclass(frozen=True)
class Custom:
    """A model that add_custom_model has named."""

    source: str
    pooling: str | None = None
    normalization: bool | None = None
    dim: int | None = None


def _source(sources: Any) -> str:
    if not sources.hf:
        raise UnsupportedError(f"sources.url={sources.url!r} is not supported, expected sources.hf")
    return str(sources.hf)


def _load(
    name: str, cache_dir: str | None, threads: int | None, options: dict[str, Any], task: str | None = None
) -> Model:
    options = dict(options)
    if name.lower() in ALGORITHMS:
        raise UnsupportedError(f"the model {name!r} {ALGORITHMS[name.lower()]}: use fastembed's own")
    directory = options.pop("specific_model_path", None)
    local_files_only = bool(options.pop("local_files_only", False))
    for option, value in options.items():
        if getattr(value, "value", value) not in (None, False, "auto", "cpu") and option not in WITHOUT_EFFECT:
            raise UnsupportedError(f"{option}={value!r} is not supported")
    return Model(
        directory or name,
        threads=threads or 0,
        cache_folder=cache_dir,
        local_files_only=local_files_only,
        task=task,
    )


class AnyModel:
    """Replaces the model lists of fastembed's classes. There is no list here: a model is a name on the hub."""

    _custom: dict[str, Custom] = {}  # by its name in lower case
    model: Model

    @classmethod
    def list_supported_models(cls) -> list[dict[str, Any]]:
        """Raises an error, because there is no list of models."""
        raise UnsupportedError(
            "list_supported_models is not supported: there is no list, any encoder of the hub is loaded by its name"
        )

    @classmethod
    def _add(cls, name: str, custom: Custom) -> None:
        if name.lower() in cls._custom:
            raise InvalidArgumentError(f"the model {name!r} was added before, expected another name")
        cls._custom[name.lower()] = custom

    def _tokens(self, texts: Iterable[Any]) -> int:
        return sum(len(self.model.tokens(text)["ids"]) for text in texts)


class TextEmbedding(AnyModel):
    """A model that makes vectors of texts, with fastembed's interface."""

    _custom: dict[str, Custom] = {}

    @classmethod
    def add_custom_model(
        cls,
        model: str,
        pooling: Any,
        normalization: bool,
        sources: Any,
        dim: int,
        model_file: str = "onnx/model.onnx",
        description: str = "",
        license: str = "",
        size_in_gb: float = 0.0,
        additional_files: list[str] | None = None,
        output_name: str | None = None,
    ) -> None:
        """Makes `model` a name for the model of sources.hf, which is a directory or a name on the hub.

        pooling, normalization: replace those of the model's files; PoolingType.DISABLED leaves the files' pooling. dim:
        the size of a vector. The model's own files are read, so model_file and additional_files have no effect.
        """
        if output_name is not None:
            raise UnsupportedError(f"output_name={output_name!r} is not supported: pooling says what a vector is")
        name = getattr(pooling, "value", pooling)
        if name not in POOLING:
            raise InvalidArgumentError(f"pooling {name!r}, expected one of {', '.join(POOLING)}")
        cls._add(model, Custom(_source(sources), POOLING[name], normalization, dim))

    def __init__(
        self,
        model_name: str = "BAAI/bge-small-en-v1.5",
        cache_dir: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.model_name = model_name
        custom = self._custom.get(checked_path("model_name", model_name).lower())
        self.model = _load(custom.source if custom else model_name, cache_dir, threads, options)
        self._pooling = custom
        if custom and custom.dim != self.embedding_size:
            found = f"its vectors have {self.embedding_size}"
            raise InvalidArgumentError(f"dim {custom.dim} of {model_name!r}, but {found}")

    @property
    def embedding_size(self) -> int:
        """The size of a vector."""
        return self.model.embedding_size()

    @classmethod
    def get_embedding_size(cls, model_name: str) -> int:
        """Returns the size of a model's vectors. Loads the model."""
        custom = cls._custom.get(model_name.lower())
        return Model(custom.source if custom else model_name).embedding_size()

    def embed(
        self, documents: "str | Iterable[str]", batch_size: int = 256, parallel: int | None = None, **options: Any
    ) -> "Iterator[FloatArray]":
        """Yields the vector of each document, [size] each. No prompt is put before a document."""
        _check_options(options)
        texts = [documents] if isinstance(documents, str) else documents
        if self._pooling is None:
            return self.model.encode_stream(texts, prompt="")
        return self._pooled(texts, self._pooling)

    def _pooled(self, texts: Iterable[str], custom: Custom) -> "Iterator[FloatArray]":
        run = self.model._options(None, "", None, 0)
        if custom.pooling:
            run.set_pooling(custom.pooling)
        run.normalize = custom.normalization
        for block in vector_blocks(self.model._engine, Texts(texts), run):
            yield from block

    def query_embed(self, query: "str | Iterable[str]", **options: Any) -> "Iterator[FloatArray]":
        """Does the same as `embed`."""
        return self.embed(query, **options)

    def passage_embed(self, texts: Iterable[str], **options: Any) -> "Iterator[FloatArray]":
        """Does the same as `embed`."""
        return self.embed(texts, **options)

    def token_count(self, texts: "str | Iterable[str]", batch_size: int = 1024, **options: Any) -> int:
        """Returns the number of tokens of all texts together, special tokens included."""
        _check_options(options)
        return self._tokens([texts] if isinstance(texts, str) else texts)


@dataclass
class SparseEmbedding:
    """A sparse vector over the vocabulary: the weights that are not 0, and their token ids in ascending order."""

    values: "FloatArray"
    indices: "NDArray[np.int64]"

    def as_object(self) -> "dict[str, NDArray[Any]]":
        """Returns the fields as a dict."""
        return {"values": self.values, "indices": self.indices}

    def as_dict(self) -> dict[int, float]:
        """Returns the weights by token id."""
        return dict(zip(self.indices.tolist(), self.values.tolist(), strict=True))

    @classmethod
    def from_dict(cls, data: dict[int, float]) -> "SparseEmbedding":
        """Makes an embedding from weights by token id."""
        import numpy as np

        return cls(np.array(list(data.values()), dtype=np.float64), np.array(list(data), dtype=np.int64))


class SparseTextEmbedding(AnyModel):
    """A model for sparse vectors, made by its own files or by its masked-LM head (SPLADE), with fastembed's
    interface."""

    def __init__(
        self,
        model_name: str = "prithivida/Splade_PP_en_v1",
        cache_dir: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.model_name = model_name
        self._loaded = partial(_load, model_name, cache_dir, threads, options)
        self.model = self._loaded()
        self._query_model: Model | None = None

    def embed(
        self, documents: "str | Iterable[str]", batch_size: int = 256, parallel: int | None = None, **options: Any
    ) -> Iterator[SparseEmbedding]:
        """Yields each document's vector. With a masked-LM head a weight is log(1 + the token's largest positive
        logit)."""
        _check_options(options)
        return self._vectors(self.model, documents)

    def _vectors(self, model: Model, texts: "str | Iterable[str]") -> Iterator[SparseEmbedding]:
        run = model._options(None, "", None, 0)
        run.set_kinds(False, True, False)
        for result in results(model._engine, Texts(texts), run):
            yield SparseEmbedding(result.sparse_weights(), result.sparse_ids().astype("int64"))

    def query_embed(self, query: "str | Iterable[str]", **options: Any) -> Iterator[SparseEmbedding]:
        """Yields each query's vector, by the model's route "query" if it has one; the route may have no encoder."""
        _check_options(options)
        if self._query_model is None:
            try:
                self._query_model = self._loaded(task="query")
            except NotFoundError:  # it has no routes
                self._query_model = self.model
        return self._vectors(self._query_model, query)

    def passage_embed(self, texts: Iterable[str], **options: Any) -> Iterator[SparseEmbedding]:
        """Does the same as `embed`."""
        return self.embed(texts, **options)

    def token_count(self, texts: "str | Iterable[str]", batch_size: int = 1024, **options: Any) -> int:
        """Returns the number of tokens of all texts together, special tokens included."""
        _check_options(options)
        return self._tokens([texts] if isinstance(texts, str) else texts)


class LateInteractionTextEmbedding(AnyModel):
    """A late-interaction model (ColBERT), with fastembed's interface."""

    def __init__(
        self,
        model_name: str = "colbert-ir/colbertv2.0",
        cache_dir: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.model_name = model_name
        self.model = _load(model_name, cache_dir, threads, options)

    @property
    def embedding_size(self) -> int:
        """The size of a token's vector."""
        return self.model.token_vector_size()

    @classmethod
    def get_embedding_size(cls, model_name: str) -> int:
        """Returns the size of a model's token vectors. Loads the model."""
        return Model(model_name).token_vector_size()

    def embed(
        self, documents: "str | Iterable[str]", batch_size: int = 256, parallel: int | None = None, **options: Any
    ) -> "Iterator[FloatArray]":
        """Yields the vectors of each document's tokens, [vectors, size] each."""
        _check_options(options)
        return iter(self.model.encode_tokens([documents] if isinstance(documents, str) else documents))

    def query_embed(self, query: "str | Iterable[str]", **options: Any) -> "Iterator[FloatArray]":
        """Yields the vectors of each query's tokens, [vectors, size] each."""
        _check_options(options)
        return iter(self.model.encode_tokens([query] if isinstance(query, str) else query, role="query"))

    def passage_embed(self, texts: Iterable[str], **options: Any) -> "Iterator[FloatArray]":
        """Does the same as `embed`."""
        return self.embed(texts, **options)

    def token_count(
        self,
        texts: "str | Iterable[str]",
        batch_size: int = 1024,
        is_doc: bool = True,
        include_extension: bool = False,
        **options: Any,
    ) -> int:
        """Returns the number of tokens of all texts together, special tokens included. The marker of a role and a
        query's masks are not counted, so is_doc has no effect."""
        _check_options({**options, "include_extension": include_extension or None})
        return self._tokens([texts] if isinstance(texts, str) else texts)


class TextCrossEncoder(AnyModel):
    """A classifier of pairs of query and document, with fastembed's interface."""

    _custom: dict[str, Custom] = {}

    @classmethod
    def add_custom_model(
        cls,
        model: str,
        sources: Any,
        model_file: str = "onnx/model.onnx",
        description: str = "",
        license: str = "",
        size_in_gb: float = 0.0,
        additional_files: list[str] | None = None,
    ) -> None:
        """Makes `model` a name for the model of sources.hf. The model's own files are read, so model_file has no
        effect."""
        cls._add(model, Custom(_source(sources)))

    def __init__(
        self, model_name: str, cache_dir: str | None = None, threads: int | None = None, **options: Any
    ) -> None:
        self.model_name = model_name
        custom = self._custom.get(checked_path("model_name", model_name).lower())
        self.model = _load(custom.source if custom else model_name, cache_dir, threads, options)

    def rerank(self, query: str, documents: Iterable[str], batch_size: int = 64, **options: Any) -> Iterator[float]:
        """Yields the logit of each document for the query, in the order of the documents."""
        return self.rerank_pairs(((query, document) for document in documents), batch_size, **options)

    def rerank_pairs(
        self, pairs: Iterable[tuple[str, str]], batch_size: int = 64, parallel: int | None = None, **options: Any
    ) -> Iterator[float]:
        """Yields the logit of each pair, in the order of the pairs."""
        _check_options(options)
        for score in self.model.pair_scores(pairs, activated=False, prompt=""):
            yield float(score[0])

    def token_count(self, pairs: Iterable[tuple[str, str]], batch_size: int = 1024, **options: Any) -> int:
        """Returns the number of tokens of all pairs together, special tokens included."""
        _check_options(options)
        return self._tokens(checked_pairs(pairs))


def _check_options(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if value is not None:
            raise UnsupportedError(f"{name}={value!r} is not supported")
