#!/usr/bin/env python3
"""Compares token vectors of tiny random late-interaction models with sentence-transformers' MultiVectorEncoder.

For developers. Needs sentence-transformers 6, which the tests do not need.

    python3 tests/reference/compare_late_interaction.py --program build/bert-infer --count 8 --seed 0

Each seed makes a model in the form of Stanford's ColBERT, one of PyLate's and one of MultiVectorEncoder's, with random
settings. The program's vectors of queries and documents must differ from the reference's in float64 by at most 1e-6 of
the largest value, or by at most twice the reference's error in float32. Also compares the scores of rerank.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file
from sentence_transformers import MultiVectorEncoder

WORDS = "the fox dog jumped over a lazy quick brown run walk sea hill is and or not with".split()
MARKS = list("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~")
TEXTS = ["the quick brown fox jumped over the lazy dog.", "a hill, a sea; (not) the dog!", "run", "",
         "the fox is over the hill and the sea and the dog is not with the fox, or is it? walk & run - quick " * 3]


def write_encoder(directory: Path, draw: random.Random, seed: int, markers: list[str]) -> int:
    torch.manual_seed(seed)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *markers, *WORDS, *MARKS]
    (directory / "vocab.txt").write_text("\n".join(words) + "\n")
    heads = draw.choice([1, 2, 4])
    width = heads * draw.choice([8, 12, 16])
    config = transformers.BertConfig(vocab_size=len(words), hidden_size=width, num_attention_heads=heads,
                                     num_hidden_layers=draw.choice([1, 2, 3]), intermediate_size=draw.choice([32, 50]),
                                     max_position_embeddings=64, initializer_range=0.3)
    model = transformers.BertModel(config, add_pooling_layer=draw.choice([True, False]))
    model.save_pretrained(directory)
    transformers.BertTokenizerFast(str(directory / "vocab.txt")).save_pretrained(directory)
    return width


def stanford(directory: Path, draw: random.Random, seed: int) -> None:
    width = write_encoder(directory, draw, seed, ["[unused0]", "[unused1]"])
    file = directory / "model.safetensors"
    tensors = {f"bert.{name}": value for name, value in load_file(file).items()}
    tensors["linear.weight"] = torch.randn(draw.choice([6, 16]), width)
    save_file(tensors, file, {"format": "pt"})
    config = json.loads((directory / "config.json").read_text())
    config["architectures"] = ["HF_ColBERT"]
    (directory / "config.json").write_text(json.dumps(config))
    if draw.random() < 0.8:
        metadata = {"query_token_id": "[unused0]", "doc_token_id": "[unused1]", "query_maxlen": draw.choice([16, 32]),
                    "doc_maxlen": draw.choice([24, 60]), "mask_punctuation": draw.choice([True, False]),
                    "attend_to_mask_tokens": draw.choice([True, False])}
        (directory / "artifact.metadata").write_text(json.dumps(metadata))


def write_dense(directory: Path, width: int, draw: random.Random, kind: str) -> dict:
    folder = directory / "1_Dense"
    folder.mkdir()
    out = draw.choice([6, 16])
    bias = draw.random() < 0.3
    config = {"in_features": width, "out_features": out, "bias": bias,
              "activation_function": "torch.nn.modules.linear.Identity"}
    if kind.startswith("sentence"):
        config["module_input_name"] = "token_embeddings"
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {"linear.weight": torch.randn(out, width)}
    if bias:
        tensors["linear.bias"] = torch.randn(out)
    save_file(tensors, folder / "model.safetensors")
    return {"idx": 1, "name": "1", "path": "1_Dense", "type": kind}


def pylate(directory: Path, draw: random.Random, seed: int) -> None:
    markers = draw.choice([["[Q] ", "[D] "], ["[unused0]", "[unused1]"]])
    width = write_encoder(directory, draw, seed, markers)
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
               write_dense(directory, width, draw, "pylate.models.Dense.Dense")]
    (directory / "modules.json").write_text(json.dumps(modules))
    (directory / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 63, "do_lower_case": False}))
    config = {"model_type": "ColBERT", "prompts": {}, "similarity_fn_name": "MaxSim",
              "query_prefix": markers[0], "document_prefix": markers[1],
              "query_length": draw.choice([12, 32]), "document_length": draw.choice([20, 60]),
              "attend_to_expansion_tokens": draw.choice([True, False]),
              "do_query_expansion": draw.choice([True, True, False])}
    if draw.random() < 0.5:
        config["skiplist_words"] = draw.sample(MARKS + WORDS, 8)
    (directory / "config_sentence_transformers.json").write_text(json.dumps(config))


def multi_vector(directory: Path, draw: random.Random, seed: int) -> None:
    width = write_encoder(directory, draw, seed, [])
    package = "sentence_transformers."
    modules = [{"idx": 0, "name": "0", "path": "", "type": package + "base.modules.transformer.Transformer"},
               write_dense(directory, width, draw, package + "base.modules.dense.Dense"),
               {"idx": 2, "name": "2", "path": "2_Mask",
                "type": package + "multi_vector_encoder.modules.multi_vector_mask.MultiVectorMask"},
               {"idx": 3, "name": "3", "path": "3_Normalize", "type": package + "base.modules.normalize.Normalize"}]
    (directory / "modules.json").write_text(json.dumps(modules))
    for folder, config in (("2_Mask", {"skiplist_words": draw.sample(MARKS, 10),
                                       "skiplist_tasks": draw.choice([["document"], ["query", "document"]]),
                                       "keep_only_token_ids": None}),
                           ("3_Normalize", {"module_input_name": "token_embeddings"})):
        (directory / folder).mkdir()
        (directory / folder / "config.json").write_text(json.dumps(config))
    length = draw.choice([10, 24])
    settings = {"transformer_task": "feature-extraction", "max_seq_length": 50,
                "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
                "module_output_name": "token_embeddings",
                "document_length": draw.choice([None, 18, 40]), "query_length": None,
                "query_expansion": draw.choice([None, {"strategy": "fixed", "attend": False, "length": length},
                                                {"strategy": "min", "attend": True, "length": length,
                                                 "token": "[SEP]"},
                                                {"strategy": "min", "attend": False, "length": length}])}
    (directory / "sentence_bert_config.json").write_text(json.dumps(settings))
    config = {"model_type": "MultiVectorEncoder", "prompts": {"query": draw.choice(["", "the quick "]),
                                                              "document": draw.choice(["", "a hill: "])},
              "default_prompt_name": None, "similarity_fn_name": draw.choice([None, "maxsim", "meanmaxsim"])}
    (directory / "config_sentence_transformers.json").write_text(json.dumps(config))


def program_vectors(program: Path, directory: Path, role: str, texts: list[str]) -> list[np.ndarray]:
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    command = [program, "embed", "--model", directory, "--kind", "tokens", "--role", role, "--input", "-", "--jsonl"]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr + run.stdout)
    return [np.array(json.loads(line)["vectors"], dtype=np.float32) for line in run.stdout.splitlines()]


def encode(model: MultiVectorEncoder, role: str, texts: list[str]) -> list[np.ndarray]:
    call = model.encode_query if role == "query" else model.encode_document
    return call(texts, convert_to_numpy=True)


def compare(program: Path, directory: Path) -> list[str]:
    single = MultiVectorEncoder(str(directory), device="cpu", local_files_only=True)
    double = MultiVectorEncoder(str(directory), device="cpu", local_files_only=True).double()
    problems = []
    of = {}
    for role in ("query", "document"):
        exact, rounded = encode(double, role, TEXTS), encode(single, role, TEXTS)
        of[role] = exact
        ours = program_vectors(program, directory, role, TEXTS)
        limit = max(max(1e-6 * np.abs(x).max(), 2 * np.abs(x - y).max()) for x, y in zip(exact, rounded))
        for text, x, z in zip(TEXTS, exact, ours):
            if x.shape != z.shape:
                problems.append(f"{role} {text[:30]!r}: {z.shape}, expected {x.shape}")
                continue
            error = np.abs(x - z).max()
            if not error <= limit:
                problems.append(f"{role} {text[:30]!r}: error {error:.3g}, expected at most {limit:.3g}")
    expected = double.similarity(of["query"][:1], of["document"])[0].numpy()
    run = subprocess.run([program, "rerank", "--model", directory, "--format", "json", TEXTS[0], *TEXTS],
                         capture_output=True, text=True, check=True)
    scores = {one["index"]: one["score"] for one in json.loads(run.stdout)["results"]}
    for index, score in scores.items():
        if abs(score - expected[index]) > 2e-6 * max(1, abs(expected[index])):
            problems.append(f"rerank {index}: {score}, expected {expected[index]}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=8, help="seeds, of three models each")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--program", type=Path, default=Path("build/bert-infer"))
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        for make in (stanford, pylate, multi_vector):
            draw = random.Random(f"{make.__name__} {seed}")
            with tempfile.TemporaryDirectory() as folder:
                make(Path(folder), draw, seed)
                problems = compare(options.program, Path(folder))
            print(f"{make.__name__}, seed {seed}:", "FAILED" if problems else "agrees", flush=True)
            for problem in problems:
                print("  " + problem)
            failed += len(problems) > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
