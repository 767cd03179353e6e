"""SparseEncoder with the interface of sentence-transformers 6.

Vectors are sparse tensors if torch is loaded, otherwise scipy.sparse arrays in CSR form.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgumentError
from . import mteb_calls, saving
from .base import (
    DENSE_SIMILARITIES,
    BaseModel,
    check_optional,
    given_inputs,
    refuse,
    shows_progress,
    similarity_name,
)
from .roles import for_role
from .sparse_rows import as_rows, as_sparse_tensor, sparse_scores, sparse_scores_pairwise
from .tensors import is_tensor, torch_is_loaded

if TYPE_CHECKING:
    import os

    from .util import SimilarityFunction


class SparseEncoder(BaseModel):
    """A model that makes sparse vectors of texts."""

    model_type = "SparseEncoder"
    SUPPORTED_SIMILARITY_FN_NAMES = DENSE_SIMILARITIES

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *,
        similarity_fn_name: "str | SimilarityFunction | None" = None,
        max_active_dims: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_name_or_path, **options)
        self.model.sparse_size()  # which says so if the model makes no sparse vectors
        self.similarity_fn_name = similarity_fn_name
        check_optional("max_active_dims", max_active_dims)
        self.max_active_dims: int | None = max_active_dims or self._written("max_active_dims")

    @property
    def similarity_fn_name(self) -> str:
        """The name of the function of `similarity`; None sets the model's own."""
        return self._similarity_fn_name

    @similarity_fn_name.setter
    def similarity_fn_name(self, value: "str | SimilarityFunction | None") -> None:
        name = similarity_name(value, DENSE_SIMILARITIES) or self._written("similarity_fn_name")
        self._similarity_fn_name = name or "dot"

    def encode(
        self,
        inputs: "str | Iterable[str] | None" = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        convert_to_tensor: bool = True,
        convert_to_sparse_tensor: bool = True,
        save_to_cpu: bool = False,
        device: Any = None,
        max_active_dims: int | None = None,
        pool: dict[str, Any] | None = None,
        chunk_size: int | None = None,
        *,
        sentences: "str | Iterable[str] | None" = None,
        task: str | None = None,
        **options: Any,
    ) -> Any:
        """Returns a sparse vector for each text: without torch a CSR array [texts, size], or [1, size] for a single
        str.

        If torch is loaded, the result is that of sentence-transformers: a sparse tensor [texts, size], or [size] for a
        single str; with convert_to_sparse_tensor=False it is dense; with convert_to_tensor=False it is a list of
        vectors. sentences: the name of `inputs` before sentence-transformers 5.4. task: the route of a model with
        several routes. MTEB calls this with task_metadata and a loader of texts.
        """
        import numpy as np

        if "task_metadata" in options:
            settings = {"batch_size": batch_size, "show_progress_bar": bool(show_progress_bar)}
            return mteb_calls.wrapped(self, "SparseEncoderWrapper").encode(inputs, **settings, **options)
        texts = given_inputs(inputs, sentences, batch_size, device)
        max_length = self._max_length(options)
        refuse(options)
        model = self._route(task)
        most = max_active_dims if max_active_dims is not None else self.max_active_dims
        check_optional("max_active_dims", most)
        vectors = model.encode_sparse(
            [texts] if isinstance(texts, str) else texts,
            prompt=self._prompt(prompt_name, prompt),
            max_active_dims=most,
            max_length=min(max_length, model.max_length) if model is not self.model else max_length,
            show_progress_bar=shows_progress(show_progress_bar),
        )
        ids = np.concatenate([np.empty(0, np.int32), *(vector[0] for vector in vectors)])
        weights = np.concatenate([np.empty(0, np.float32), *(vector[1] for vector in vectors)])
        starts = np.cumsum([0, *(len(vector[0]) for vector in vectors)])
        shape = (len(vectors), model.sparse_size())
        rows = import_module("scipy.sparse").csr_array((weights, ids, starts), shape=shape)
        if not torch_is_loaded():
            return rows
        tensor = as_sparse_tensor(rows)
        tensor = tensor if convert_to_sparse_tensor else tensor.to_dense()
        if isinstance(texts, str):
            return tensor[0]
        return tensor if convert_to_tensor else list(tensor)

    encode_query = for_role(encode, "query")
    encode_document = for_role(encode, "document")

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Returns the similarity of each vector with each: [first, second]; a tensor if torch is loaded."""
        return sparse_scores(self.similarity_fn_name, embeddings1, embeddings2)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Returns the similarity of embeddings1[i] and embeddings2[i]: [vectors]."""
        return sparse_scores_pairwise(self.similarity_fn_name, as_rows(embeddings1), as_rows(embeddings2))

    @staticmethod
    def sparsity(embeddings: Any) -> dict[str, float]:
        """Returns the mean number of weights that are not 0, and the mean share of weights that are 0."""
        rows = as_rows(embeddings)
        vectors, size = rows.shape
        if not vectors or not size:
            return {"active_dims": 0.0, "sparsity_ratio": 1.0}
        active = rows.count_nonzero() / vectors
        return {"active_dims": float(active), "sparsity_ratio": float(1 - active / size)}

    @staticmethod
    def intersection(embeddings_1: Any, embeddings_2: Any) -> Any:
        """Returns the products of one vector's weights with the weights of another vector, or of each of several."""
        one, others = as_rows(embeddings_1), as_rows(embeddings_2)
        if one.shape[0] != 1 or one.shape[1] != others.shape[1]:
            raise InvalidArgumentError(f"vectors of shapes {one.shape} and {others.shape}, expected one of equal size")
        sparse = import_module("scipy.sparse")
        products = sparse.vstack([others[[i]].multiply(one) for i in range(others.shape[0])], format="csr")
        if not is_tensor(embeddings_1) and not is_tensor(embeddings_2):
            return products
        tensor = as_sparse_tensor(products)
        return tensor[0] if embeddings_2.ndim == 1 else tensor

    def decode(self, embeddings: Any, top_k: int | None = None) -> "list[Any]":
        """Returns the (token, weight) pairs of each vector, largest first; for a single vector, its pairs."""
        check_optional("top_k", top_k)
        if not hasattr(embeddings, "ndim") and not isinstance(embeddings, (list, tuple)):
            raise TypeError(f"embeddings: found {type(embeddings).__name__}, expected sparse vectors")
        if getattr(embeddings, "ndim", 2) not in (1, 2):
            raise InvalidArgumentError(f"embeddings of {embeddings.ndim} dimensions, expected [size] or [rows, size]")
        rows = as_rows(embeddings)
        decoded = []
        for i in range(rows.shape[0]):
            row = rows[[i]]
            pairs = sorted(zip(row.indices.tolist(), row.data.tolist(), strict=True), key=lambda pair: -pair[1])
            decoded.append([(self.model.token(index), weight) for index, weight in pairs[:top_k]])
        return decoded[0] if getattr(embeddings, "ndim", 2) == 1 else decoded

    def get_embedding_dimension(self) -> int:
        """Returns the number of entries of the vocabulary."""
        return self.model.sparse_size()

    get_sentence_embedding_dimension = get_embedding_dimension  # its name before sentence-transformers 5.4

    def _settings(self) -> dict[str, Any]:
        own = {"similarity_fn_name": self.similarity_fn_name, "max_active_dims": self.max_active_dims}
        return {**super()._settings(), **own}

    def _modules_without_file(self) -> list[saving.Module]:
        pooling = {"pooling_strategy": "max", "activation_function": "relu"}
        return [saving.encoder("fill-mask"), ("1_SpladePooling", saving.SPLADE, pooling)]
