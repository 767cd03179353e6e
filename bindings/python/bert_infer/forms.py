"""Makes other forms of a model: distils a static model, and compares two forms on the same texts."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _engine
from .asynchronous import twin
from .errors import InvalidArgumentError, check_integer, check_text, checked_list
from .explanations import ExplanationModel

if TYPE_CHECKING:
    from os import PathLike


class FormModel(ExplanationModel):
    """The part of Model that makes and compares other forms of a model."""

    def distill(
        self, directory: "str | PathLike[str]", *, dimensions: int | None = None, sif_coefficient: float = 1e-4
    ) -> dict[str, Any]:
        """Writes a static model, a table with a vector for each token, into a new directory in model2vec's form.

        A token's vector is the encoder's output for that token alone, reduced to its principal components. dimensions:
        the number of components; by default 256, or the hidden size if that is smaller. sif_coefficient: the c in c /
        (c + the token's probability), by which a vector is multiplied. Returns tokens (how many have a vector),
        vocabulary, dimensions, and explained_variance, the share of the variance that the components keep.
        """
        if dimensions is not None:
            check_integer("dimensions", dimensions, 1)
        return _engine.distill(self._engine, os.fspath(directory), dimensions, float(sif_coefficient))

    def compare(
        self,
        reference: "FormModel",
        texts: "Iterable[str] | None" = None,
        *,
        pairs: "Iterable[tuple[str, str, float]]" = (),
        labels: "Iterable[str]" = (),
        threshold: float = 0.5,
    ) -> dict[str, Any]:
        """Compares this model with another form of it, such as its source with `precision="stored"`, on the same texts.

        texts: None: a hundred English sentences of the package. pairs: (text, text, score); the scores, given by
        people, are correlated with the cosines. labels, threshold: for models that read labels.

        cosines: of each text's two vectors, [texts]. least_similar: the index of the text with the least cosine.
        neighbours_kept: the share of each text's nearest texts, `neighbours` of them in the reference, that stay among
        the nearest. loss: for each layer, the mean distance of its output from the reference's output for the same
        input, relative to the norm, [layers + 1], the embeddings first. distance: the same distance, including what
        earlier layers cause. largest_difference: the largest difference of two numbers. coarse_rows: for each layer,
        the rows that 8 bits represent badly. spearman, reference_spearman: the rank correlations of the pairs. labels:
        a dict of the labels that are lost, found and changed.
        """
        if not isinstance(reference, FormModel):
            raise InvalidArgumentError(f"reference: found {type(reference).__name__}, expected a Model")
        given = _engine.sample_texts() if texts is None else checked_list("texts", texts, "texts")
        for i, text in enumerate(given):
            check_text(f"texts[{i}]", text)
        rated = [(a, b, float(score)) for a, b, score in pairs]
        names = checked_list("labels", labels, "labels")
        return _engine.compare(self._engine, reference._engine, given, rated, names, float(threshold))

    # Each method as a coroutine, which runs in a thread.
    adistill = twin(distill)
    acompare = twin(compare)
