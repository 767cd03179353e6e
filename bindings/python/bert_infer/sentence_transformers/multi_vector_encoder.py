"""MultiVectorEncoder with the interface of sentence-transformers 6: late interaction, with a vector for each token."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InvalidArgumentError, UnsupportedError
from . import mteb_calls
from .base import BaseModel, given_inputs, refuse, shows_progress, similarity_name
from .roles import for_role
from .tensors import as_tensor, torch_is_loaded
from .util import SimilarityFunction

if TYPE_CHECKING:
    import os


class MultiVectorEncoder(BaseModel):
    """A late-interaction model. Its files say which prefix queries and documents have, and which tokens have
    vectors."""

    model_type = "MultiVectorEncoder"
    SUPPORTED_SIMILARITY_FN_NAMES = ("maxsim", "meanmaxsim")
    _search: Any = None  # MTEB's search, which `index` sets

    def __init__(
        self,
        model_name_or_path: "str | os.PathLike[str] | None" = None,
        *,
        similarity_fn_name: "str | SimilarityFunction | None" = None,
        **options: Any,
    ) -> None:
        super().__init__(model_name_or_path, **options)
        for name, prompt in (options.get("prompts") or {}).items():
            if prompt != self.model.prompts.get(name, ""):
                raise UnsupportedError(f"prompts[{name!r}]={prompt!r} is not supported, expected the model's own")
        own = "meanmaxsim" if self.model.divides_max_sim else "maxsim"
        self.similarity_fn_name = similarity_name(similarity_fn_name, ("maxsim", "meanmaxsim")) or own

    def encode(
        self,
        inputs: "str | Iterable[str] | None" = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: str | None = "token_embeddings",
        convert_to_numpy: bool | None = None,
        device: Any = None,
        normalize_embeddings: bool = False,
        pool: dict[str, Any] | None = None,
        chunk_size: int | None = None,
        token_pooling: Any = None,
        task: str | None = None,
        *,
        sentences: "str | Iterable[str] | None" = None,
        **options: Any,
    ) -> Any:
        """Returns the vectors of each text, [vectors, size] each, or one array for a single str. Texts are documents by
        default.

        convert_to_numpy: arrays or tensors; by default tensors if torch is loaded, as in sentence-transformers, else
        arrays. Prompts other than those of the model's files are refused.
        """
        import numpy as np

        texts = given_inputs(inputs, sentences, batch_size, device)
        role: Literal["query", "document"] = "query" if task == "query" else "document"
        is_own = prompt_name == role if prompt is None else prompt == self.prompts.get(role)
        if is_own:  # the model puts this prompt before the text anyway
            prompt_name = prompt = None
        refuse({"prompt_name": prompt_name, "prompt": prompt, "token_pooling": token_pooling, **options})
        if output_value != "token_embeddings":
            raise UnsupportedError(f"output_value {output_value!r} is not supported")
        if task not in (None, "query", "document"):
            raise InvalidArgumentError(f"task {task!r}, expected 'query' or 'document'")
        rows = self.model.encode_tokens(
            texts,
            role=role,
            show_progress_bar=shows_progress(show_progress_bar),
        )
        listed: list[Any] = rows if isinstance(rows, list) else [rows]
        if normalize_embeddings:
            lengths = [np.linalg.norm(row, axis=1, keepdims=True) for row in listed]
            listed = [row / np.maximum(length, 1e-12) for row, length in zip(listed, lengths, strict=True)]
        if torch_is_loaded() if convert_to_numpy is None else not convert_to_numpy:
            listed = [as_tensor(row) for row in listed]
        return listed if isinstance(rows, list) else listed[0]

    encode_query = for_role(encode, "query")
    encode_document = for_role(encode, "document")

    def similarity(self, embeddings1: Any, embeddings2: Any, **options: Any) -> Any:
        """Returns the score of each query with each document: [queries, documents]; a tensor if torch is loaded.

        options: options of util.maxsim.
        """
        return SimilarityFunction.to_similarity_fn(self.similarity_fn_name)(embeddings1, embeddings2, **options)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any, **options: Any) -> Any:
        """Returns the score of query i with document i: [queries]. options: options of util.maxsim."""
        pairwise = SimilarityFunction.to_similarity_pairwise_fn(self.similarity_fn_name)
        return pairwise(embeddings1, embeddings2, **options)

    def index(self, corpus: Any, **options: Any) -> None:
        """Stores the documents of a retrieval task. MTEB calls this before `search`."""
        self._search = mteb_calls.wrapped(self, "MultiVectorWrapper")
        self._search.index(corpus, **options)

    def search(self, queries: Any, **options: Any) -> Any:
        """Returns the scores of the stored documents for each query, for MTEB."""
        return self._search.search(queries, **options)

    def get_embedding_dimension(self) -> int:
        """Returns the size of a token's vector."""
        return self.model.token_vector_size()

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "similarity_fn_name": self.similarity_fn_name}
