"""Makes random models by the names that sentence-transformers' own tests and documentation load, in a cache of the
hub's layout, because the tests run without a network. The tokenizer is that of all-MiniLM-L6-v2, which equals that of
bert-base-uncased.

    python suite_models.py CACHE MINILM
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Router, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling, StaticEmbedding
from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
)

REVISION = "0" * 40
# For each model of the tests, the models of the documentation that it replaces.
DOCUMENTED = {
    "cross-encoder-testing/reranker-bert-tiny-gooaq-bce": (
        "cross-encoder/ms-marco-MiniLM-L6-v2", "cross-encoder/stsb-distilroberta-base"),
    "sparse-encoder-testing/splade-bert-tiny-nq": ("naver/splade-cocondenser-ensembledistil", "naver/splade-v3"),
    "lightonai/LateOn": (
        "lightonai/GTE-ModernColBERT-v1", "lightonai/mLateOn", "mixedbread-ai/mxbai-edge-colbert-v0-32m",
        "answerdotai/answerai-colbert-small-v1"),
}


def folder_of(cache: Path, name: str) -> Path:
    """Makes the cache's folder of this model and the file that names its revision, and returns the folder."""
    model = cache / f"models--{name.replace('/', '--')}"
    (model / "refs").mkdir(parents=True, exist_ok=True)
    (model / "refs" / "main").write_text(REVISION)
    folder = model / "snapshots" / REVISION
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def save_transformer(folder: Path, model: Any, tokenizer: Any) -> str:
    """Writes the model and its tokenizer in transformers' form."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def make(cache: Path, minilm: str) -> None:
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(minilm, model_max_length=512)
    tiny = {"vocab_size": len(tokenizer), "hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    tiny |= {"intermediate_size": 512}
    with tempfile.TemporaryDirectory() as scratch:
        encoder = save_transformer(Path(scratch) / "encoder", BertModel(BertConfig(**tiny)), tokenizer)
        masked = save_transformer(Path(scratch) / "masked", BertForMaskedLM(BertConfig(**tiny)), tokenizer)
        scorer = save_transformer(
            Path(scratch) / "scorer", BertForSequenceClassification(BertConfig(**tiny, num_labels=1)), tokenizer
        )
        dense = SentenceTransformer(modules=[Transformer(encoder), Pooling(128, "mean")])
        dense.save_pretrained(str(folder_of(cache, "sentence-transformers-testing/stsb-bert-tiny-safetensors")))
        reranker = CrossEncoder(scorer)
        reranker.save_pretrained(str(folder_of(cache, "cross-encoder-testing/reranker-bert-tiny-gooaq-bce")))
        fill_mask = Transformer(masked, transformer_task="fill-mask")
        splade = SparseEncoder(modules=[fill_mask, SpladePooling("max")])
        splade.save_pretrained(str(folder_of(cache, "sparse-encoder-testing/splade-bert-tiny-nq")))
        weights = SparseStaticEmbedding(tokenizer=tokenizer, frozen=False)
        torch.nn.init.uniform_(weights.weight, 0.0, 2.0)
        router = Router.for_query_document([weights], [fill_mask, SpladePooling("max")])
        inference_free = SparseEncoder(modules=[router], similarity_fn_name="dot")
        name = "sparse-encoder-testing/inference-free-splade-bert-tiny-nq"
        inference_free.save_pretrained(str(folder_of(cache, name)))
    static = StaticEmbedding(tokenizer, embedding_dim=1024)
    name = "sentence-transformers/static-retrieval-mrl-en-v1"
    SentenceTransformer(modules=[static]).save_pretrained(str(folder_of(cache, name)))
    distil = DistilBertModel(DistilBertConfig(vocab_size=len(tokenizer), dim=768, hidden_dim=768, n_layers=6))
    save_transformer(folder_of(cache, "distilbert/distilbert-base-uncased"), distil, tokenizer)
    bert = BertModel(BertConfig(vocab_size=len(tokenizer), num_hidden_layers=1))
    for name in ("google-bert/bert-base-uncased", "bert-base-uncased"):
        save_transformer(folder_of(cache, name), bert, tokenizer)
    shutil.copytree(minilm, folder_of(cache, "sentence-transformers/all-MiniLM-L6-v2"), dirs_exist_ok=True)
    MultiVectorEncoder(minilm).save_pretrained(str(folder_of(cache, "lightonai/LateOn")))
    for name, others in DOCUMENTED.items():
        for other in others:
            shutil.copytree(folder_of(cache, name), folder_of(cache, other), dirs_exist_ok=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2])
