"""SparseEncoder with the interface of sentence-transformers 6, for bert_infer.sentence_transformers.

Vectors are scipy.sparse arrays in CSR form, or sparse tensors of torch for convert_to_tensor=True.
"""

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from .errors import InvalidArgumentError, NotFoundError, UnsupportedError
from .model import Model

FUNCTIONS = ("dot", "cosine", "euclidean", "manhattan")


def is_torch(value: Any) -> bool:
    """Without importing torch."""
    return type(value).__module__.split(".")[0] == "torch"


def as_rows(value: Any) -> Any:
    """A scipy CSR array [vectors, size] of a sparse array, a tensor, or a list of either."""
    import numpy as np

    sparse = import_module("scipy.sparse")
    if isinstance(value, (list, tuple)):
        return sparse.vstack([as_rows(one) for one in value], format="csr")
    if is_torch(value):
        value = value.to_dense().cpu().numpy()
    if not sparse.issparse(value):
        return sparse.csr_array(np.atleast_2d(value))
    return sparse.csr_array(value if value.ndim == 2 else value.reshape(1, -1))


class SparseEncoder:
    """A model for sparse vectors of texts. A model with a route for each task is loaded once for each that is used."""

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str]",
        *,
        device: Any = None,
        prompts: dict[str, str] | None = None,
        default_prompt_name: str | None = None,
        revision: str | None = None,
        similarity_fn_name: str | None = None,
        max_active_dims: int | None = None,
        threads: int = 0,
        **options: Any,
    ) -> None:
        for name, value in {"device": None if str(device) == "cpu" else device, **options}.items():
            if value:
                raise UnsupportedError(f"{name}={value!r} is not supported")
        self._loading: dict[str, Any] = {"revision": revision or "main", "threads": threads}
        self._name = model_name_or_path
        self.model = Model(model_name_or_path, **self._loading)
        self._routes: dict[str | None, Model] = {None: self.model}
        self.prompts = {"query": "", "document": "", **self.model.prompts, **(prompts or {})}
        self.default_prompt_name = default_prompt_name or self.model.default_prompt_name
        self.similarity_fn_name = similarity_fn_name or self.model.similarity_function
        if self.similarity_fn_name not in FUNCTIONS:
            raise UnsupportedError(f"similarity_fn_name {similarity_fn_name!r}, expected one of {', '.join(FUNCTIONS)}")
        self.max_active_dims = max_active_dims
        self.max_seq_length = self.model.max_length

    def encode(
        self,
        inputs: "str | Iterable[str]",
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        convert_to_tensor: bool = False,
        convert_to_sparse_tensor: bool = True,
        save_to_cpu: bool = False,
        device: Any = None,
        max_active_dims: int | None = None,
        *,
        task: str | None = None,
        **options: Any,
    ) -> Any:
        """A vector for each text: a CSR array [texts, size]; for a single str [1, size].

        convert_to_tensor: a tensor of torch, [texts, size], for a single str [size]; not a sparse one with
        convert_to_sparse_tensor=False. task: the route of a model with several.
        """
        import numpy as np

        for name, value in {"device": None if str(device) == "cpu" else device, **options}.items():
            if value is not None:
                raise UnsupportedError(f"{name}={value!r} is not supported")
        if batch_size <= 0:
            raise InvalidArgumentError(f"batch_size {batch_size}, expected a positive number")
        model = self._route(task)
        most = max_active_dims if max_active_dims is not None else self.max_active_dims
        if most is not None and most <= 0:
            raise InvalidArgumentError(f"max_active_dims {most}, expected a positive number")
        vectors = model.encode_sparse(
            [inputs] if isinstance(inputs, str) else inputs,
            prompt=self._prompt(prompt_name, prompt),
            max_active_dims=most,
            max_length=min(self.max_seq_length, model.max_length),
            show_progress_bar=bool(show_progress_bar),
        )
        ids = np.concatenate([np.empty(0, np.int32), *(vector[0] for vector in vectors)])
        weights = np.concatenate([np.empty(0, np.float32), *(vector[1] for vector in vectors)])
        starts = np.cumsum([0, *(len(vector[0]) for vector in vectors)])
        shape = (len(vectors), model.sparse_size())
        rows = import_module("scipy.sparse").csr_array((weights, ids, starts), shape=shape)
        if not convert_to_tensor:
            return rows
        torch = import_module("torch")
        places = torch.as_tensor(np.stack(rows.nonzero()) if rows.nnz else np.empty((2, 0), np.int64)).long()
        tensor = torch.sparse_coo_tensor(places, torch.as_tensor(rows.data), rows.shape).coalesce()
        tensor = tensor if convert_to_sparse_tensor else tensor.to_dense()
        return tensor[0] if isinstance(inputs, str) else tensor

    def encode_query(self, inputs: "str | Iterable[str]", prompt_name: str | None = None, **options: Any) -> Any:
        """encode by the route "query", with the prompt "query" if none is given."""
        return self._encode_as("query", inputs, prompt_name, options)

    def encode_document(self, inputs: "str | Iterable[str]", prompt_name: str | None = None, **options: Any) -> Any:
        """encode by the route "document", with the prompt "document" if none is given."""
        return self._encode_as("document", inputs, prompt_name, options)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of each vector with each: [first, second]; a tensor if the arguments are tensors."""
        import numpy as np

        a, b = as_rows(embeddings1).astype(np.float64), as_rows(embeddings2).astype(np.float64)
        dots = (a @ b.T).toarray()
        if self.similarity_fn_name == "dot":
            scores = dots
        elif self.similarity_fn_name == "manhattan":
            scores = -np.array([[abs(a[[i]] - b[[j]]).sum() for j in range(b.shape[0])] for i in range(a.shape[0])])
        else:
            squares_a, squares_b = ((x * x).sum(axis=1) for x in (a, b))
            if self.similarity_fn_name == "cosine":
                norms = np.sqrt(np.outer(squares_a, squares_b))
                scores = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
            else:
                scores = -np.sqrt(np.maximum(squares_a[:, None] + squares_b[None, :] - 2 * dots, 0))
        scores = scores.astype(np.float32)
        return import_module("torch").as_tensor(scores) if is_torch(embeddings1) or is_torch(embeddings2) else scores

    def decode(self, embeddings: Any, top_k: int | None = None) -> "list[Any]":
        """The (token, weight) pairs of each vector, the largest first; of a vector of one dimension its pairs."""
        if top_k is not None and top_k <= 0:
            raise InvalidArgumentError(f"top_k {top_k}, expected a positive number")
        rows = as_rows(embeddings)
        decoded = []
        for i in range(rows.shape[0]):
            row = rows[[i]]
            pairs = sorted(zip(row.indices.tolist(), row.data.tolist(), strict=True), key=lambda pair: -pair[1])
            decoded.append([(self.model.token(index), weight) for index, weight in pairs[:top_k]])
        return decoded[0] if getattr(embeddings, "ndim", 2) == 1 else decoded

    def get_embedding_dimension(self) -> int:
        """The number of entries of the vocabulary."""
        return self.model.sparse_size()

    def _encode_as(self, task: str, inputs: Any, prompt_name: str | None, options: dict[str, Any]) -> Any:
        if prompt_name is None and options.get("prompt") is None:
            prompt_name = task
        return self.encode(inputs, prompt_name, task=task, **options)

    def _route(self, task: str | None) -> Model:
        if task not in self._routes:
            try:
                self._routes[task] = Model(self._name, task=task, **self._loading)
            except NotFoundError:  # it has no routes
                self._routes[task] = self.model
        return self._routes[task]

    def _prompt(self, name: str | None, text: str | None) -> str:
        if text is not None:
            return text
        name = name if name is not None else self.default_prompt_name
        if not name:
            return ""
        if name not in self.prompts:
            raise InvalidArgumentError(f"prompt name {name!r}, expected one of {', '.join(self.prompts)}")
        return self.prompts[name]
