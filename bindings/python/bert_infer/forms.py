"""Other forms of a model: a static model distilled from it, and two forms compared on the same texts."""

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
        """Writes a static model into a new directory: a table with a vector for each token, in model2vec's form.

        A token's vector is what the encoder makes of that token alone, reduced to its principal components. dimensions:
        how many; by default 256, or the hidden size. sif_coefficient: c of c / (c + the token's probability), which a
        vector is multiplied by. Returns tokens (with a vector), vocabulary, dimensions, and explained_variance, the
        share that the components keep.
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
        """This model and another form of it, such as its source with `precision="stored"`, on the same texts.

        texts: None: a hundred English sentences of the package's own. pairs: (text, text, score), whose scores by
        people are correlated with the cosines. labels, threshold: for models that read labels.

        cosines: of each text's two vectors, [texts]; least_similar: the index of the text with the least.
        neighbours_kept: the share of the reference's `neighbours` nearest texts that stay nearest. loss: the mean
        distance of each layer's output from the reference's for the same input, relative to its norm, [layers + 1], the
        embeddings first; distance: the same with what earlier layers cause; largest_difference: of two numbers.
        coarse_rows: rows of each layer that 8 bits hardly hold. spearman, reference_spearman: of the pairs. labels: a
        dict of what is lost, found and changed.
        """
        if not isinstance(reference, FormModel):
            raise InvalidArgumentError(f"reference: found {type(reference).__name__}, expected a Model")
        given = _engine.sample_texts() if texts is None else checked_list("texts", texts, "texts")
        for i, text in enumerate(given):
            check_text(f"texts[{i}]", text)
        rated = [(a, b, float(score)) for a, b, score in pairs]
        names = checked_list("labels", labels, "labels")
        return _engine.compare(self._engine, reference._engine, given, rated, names, float(threshold))

    # The same in a thread, for asyncio.
    adistill = twin(distill)
    acompare = twin(compare)
