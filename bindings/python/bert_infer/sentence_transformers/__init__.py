"""A drop-in for sentence-transformers: has its classes with their signatures.

    from bert_infer.sentence_transformers import SentenceTransformer

Vectors are numpy arrays, and sparse vectors are arrays of scipy. torch is not needed; it is imported only for
convert_to_tensor=True and for arguments that are tensors. The engine refuses, with an error that names it, what it
cannot do: other devices, modules built in Python, options for torch. docs/results/arguments.md lists the arguments.
"""

from . import util
from .cross_encoder import CrossEncoder
from .examples import InputExample
from .multi_vector_encoder import MultiVectorEncoder
from .sentence_transformer import SentenceTransformer
from .sparse_encoder import SparseEncoder
from .util import SimilarityFunction, quantize_embeddings

__version__ = "6.2.0"  # of sentence-transformers, whose interface this is

__all__ = [
    "CrossEncoder",
    "InputExample",
    "MultiVectorEncoder",
    "SentenceTransformer",
    "SimilarityFunction",
    "SparseEncoder",
    "quantize_embeddings",
    "util",
]
