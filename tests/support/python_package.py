"""Helps the tests of the Python package: writes small models with a head, and runs the program on the same texts."""

import json
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest import TestCase

from bert_infer import Experiment
from support import look_alike_tokenizers, look_alike_weights, transcripts

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "fox", "quick", "brown", "jumps", "over", "lazy", "dog"]


def temporary_directory(test: TestCase) -> Path:
    """Makes a folder that is removed at the end of the test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return Path(folder.name)


def check_shown(test: TestCase, experiment: Experiment, command: str, *arguments: str) -> None:
    """Asserts that an experiment's text is the program's, and that its page needs no other file."""
    test.assertEqual(experiment.text + "\n", program(command, *arguments).decode())
    test.assertTrue(experiment.html.startswith("<!DOCTYPE html>"))
    test.assertTrue(experiment.svg.startswith("<svg"))
    shown = experiment._repr_html_()
    test.assertTrue(shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;'), shown[:80])
    test.assertNotIn("<svg", shown)


def write_model(
    folder: Path, architecture: str, labels: Sequence[str] = (), files: dict[str, object] | None = None
) -> str:
    """Writes a BERT of random weights with the head of this class. `files`: further JSON files by name."""
    hidden = look_alike_weights.HIDDEN
    config = {
        "model_type": "bert",
        "architectures": [architecture],
        "vocab_size": len(WORDS),
        "hidden_size": hidden,
        "num_hidden_layers": look_alike_weights.LAYERS,
        "num_attention_heads": look_alike_weights.HEADS,
        "intermediate_size": look_alike_weights.INTERMEDIATE,
        "max_position_embeddings": 64,
        "id2label": {str(i): label for i, label in enumerate(labels)} or {"0": "LABEL_0", "1": "LABEL_1"},
    }
    shapes = {f"bert.{name}": shape for name, shape in look_alike_weights.bert_encoder(config).items()}
    pooler = look_alike_weights.dense("pooler.dense", hidden, hidden)
    shapes |= {f"bert.{name}": shape for name, shape in pooler.items()}
    head = {"BertForQuestionAnswering": ("qa_outputs", 2)}.get(architecture, ("classifier", len(labels)))
    if architecture != "BertModel":
        shapes |= look_alike_weights.dense(*head, hidden)
    look_alike_tokenizers.write_json(folder / "config.json", config)
    look_alike_weights.write_safetensors(folder / "model.safetensors", shapes, seed=7)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    for name, content in ({"tokenizer_config.json": {"do_lower_case": True}} | (files or {})).items():
        look_alike_tokenizers.write_json(folder / name, content)
    return str(folder)


def write_sentence_model(folder: Path, **settings: object) -> str:
    """Writes a BERT of random weights with sentence-transformers' files: mean pooling, Normalize, and
    config_sentence_transformers.json."""
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    files = {
        "modules.json": [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for i, (path, kind) in enumerate(modules)
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True},
        "config_sentence_transformers.json": settings,
    }
    return write_model(folder, "BertModel", files=files)


def write_m3_model(folder: Path) -> str:
    """Writes a BERT of random weights in BGE-M3's form, with the heads of token vectors and lexical weights as the
    converter writes them."""
    directory = write_sentence_model(folder)
    for seed, (head, outputs) in enumerate((("colbert_linear", 8), ("sparse_linear", 1))):
        settings = {"in_features": 8, "out_features": outputs, "activation_function": "torch.nn.Identity"}
        look_alike_tokenizers.write_json(folder / head / "config.json", settings)
        shapes = look_alike_weights.dense("linear", outputs, 8)
        look_alike_weights.write_safetensors(folder / head / "model.safetensors", shapes, seed=seed)
    return directory


def write_sparse_routes(folder: Path, encoder: Path) -> str:
    """Writes the Router of an inference-free SPLADE model. Documents go through this masked LM and two logarithms. In a
    query, a token's weight is its id."""
    shutil.copytree(encoder, folder / "document", ignore=shutil.ignore_patterns("modules.json"))
    words = (encoder / "vocab.txt").read_bytes()
    (folder / "query").mkdir()
    (folder / "query" / "vocab.txt").write_bytes(words)
    count = words.count(b"\n")
    header = json.dumps({"weight": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}).encode()
    header += b" " * (-len(header) % 8)
    weights = struct.pack(f"<{count}f", *range(count))
    (folder / "query" / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + weights)
    kinds = "sentence_transformers.sparse_encoder.models."
    routes = {
        "types": {
            "query": kinds + "SparseStaticEmbedding",
            "document": kinds + "MLMTransformer",
            "pooling": kinds + "SpladePooling",
        },
        "structure": {"query": ["query"], "document": ["document", "pooling"]},
        "parameters": {"default_route": "document"},
    }
    look_alike_tokenizers.write_json(folder / "router_config.json", routes)
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Router"}]
    look_alike_tokenizers.write_json(folder / "modules.json", modules)
    pooling = {"pooling_strategy": "max", "activation_function": "log1p_relu"}
    look_alike_tokenizers.write_json(folder / "pooling" / "config.json", pooling)
    return str(folder)


def program(*arguments: str, text: str | None = None) -> bytes:
    """Runs the program and returns its standard output."""
    command = [str(transcripts.PROGRAM), *arguments]
    done = subprocess.run(command, input=None if text is None else text.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr.decode()}")
    return done.stdout


def program_json(*arguments: str) -> dict:
    """Runs the program with --format json and returns its output as JSON."""
    return json.loads(program(*arguments, "--format", "json"))
