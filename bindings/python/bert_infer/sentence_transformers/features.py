"""The part of SentenceTransformer beside `encode`: compares vectors, and makes tensors of ids and of token vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from ..errors import InvalidArgumentError
from ..model import Model
from .base import DENSE_SIMILARITIES, BaseModel, similarity_name
from .tensors import as_tensor
from .util import vector_scores

if TYPE_CHECKING:
    from torch import Tensor

    from .annotations import ArrayLike, Scores, TensorLike
    from .util import SimilarityFunction


class WithFeatures(BaseModel):
    """The part of SentenceTransformer that compares vectors and returns the features of a forward pass."""

    _similarity_fn_name: str

    @property
    def similarity_fn_name(self) -> str:
        """The name of the function of `similarity`; None sets the model's own."""
        return self._similarity_fn_name

    @similarity_fn_name.setter
    def similarity_fn_name(self, value: "str | SimilarityFunction | None") -> None:
        self._similarity_fn_name = similarity_name(value, DENSE_SIMILARITIES) or self.model.similarity_function

    @overload
    def similarity(self, embeddings1: "ArrayLike", embeddings2: "ArrayLike") -> "Scores": ...

    @overload
    def similarity(self, embeddings1: "TensorLike", embeddings2: "TensorLike") -> "Tensor": ...

    def similarity(self, embeddings1: "ArrayLike | TensorLike", embeddings2: "ArrayLike | TensorLike") -> "Scores":
        """Returns the similarity of each vector with each: [first, second]; a tensor if torch is loaded."""
        return vector_scores(self.similarity_fn_name, embeddings1, embeddings2)

    @overload
    def similarity_pairwise(self, embeddings1: "ArrayLike", embeddings2: "ArrayLike") -> "Scores": ...

    @overload
    def similarity_pairwise(self, embeddings1: "TensorLike", embeddings2: "TensorLike") -> "Tensor": ...

    def similarity_pairwise(
        self, embeddings1: "ArrayLike | TensorLike", embeddings2: "ArrayLike | TensorLike"
    ) -> "Scores":
        """Returns the similarity of embeddings1[i] and embeddings2[i]: [vectors], or one number for two single
        vectors."""
        return vector_scores(self.similarity_fn_name, embeddings1, embeddings2, pairwise=True)

    def smart_batching_collate(self, batch: Sequence[Any]) -> tuple[list[dict[str, Any]], Any]:
        """Returns the examples' features, one dict for each text of an example, and their labels, as tensors."""
        columns = zip(*(example.texts for example in batch), strict=True)
        return [self.preprocess(list(texts)) for texts in columns], as_tensor([example.label for example in batch])

    def __call__(self, input: dict[str, Any]) -> dict[str, Any]:
        """Adds tensors to the features of `preprocess`: sentence_embedding, [texts, size], and for a model with an
        encoder token_embeddings, [texts, tokens, hidden], with zeros for padding. The tensors cannot be used for
        training."""
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

    def _all_outputs(
        self, model: Model, texts: list[str], truncate_dim: int | None, common: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Returns each text's ids, token vectors and vector, as tensors without padding. Encodes the texts twice."""
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
