#!/usr/bin/env python3
"""Compares finding entities by labels in Python with gliner on torch and on ONNX Runtime.

The engines take turns, each in a process of its own. Also prints which entities int8 weights lose and find.

  label_peers.py --data TOKENIZERS [--turns 5] [--threads 2] [--engines ours,torch,onnx] [--cache DIRECTORY]

A model of deberta-v3-base's shape with random weights and GLiNER's layers of width 512 is made once, in --cache, with
the tokenizer all-MiniLM-L6-v2.tokenizer.json of the folder TOKENIZERS. The Python environment needs gliner and onnx,
and in PYTHONPATH the package of this project's build. Prints the median seconds for 8 texts of 128 words and 10 labels.
"""

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path

from turns import in_turns, print_table, run_again

LABELS = ["person", "city", "date", "company", "e-mail address", "country", "product", "law", "animal", "chemical"]
WORDS = ("the a of in London Paris Ada Lovelace wrote letters to Charles Babbage about an engine that could compute "
         "numbers and in 1843 she published notes which many readers found remarkable during long evenings").split(" ")
THRESHOLD = 0.7


def make_model(directory, data):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
    from gliner.config import UniEncoderSpanConfig
    from gliner.model import UniEncoderSpanGLiNER
    from reference import gliner_models
    from transformers import DebertaV2Config

    tokenizer = gliner_models.tokenizer_of("deberta", data)
    tokenizer.add_tokens(["[FLERT]", "<<ENT>>", "<<SEP>>"], special_tokens=True)
    vocab = len(tokenizer)
    encoder = DebertaV2Config(vocab_size=vocab, hidden_size=768, num_hidden_layers=12, num_attention_heads=12,
                              intermediate_size=3072, relative_attention=True, pos_att_type=["p2c", "c2p"],
                              position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True,
                              position_biased_input=False, max_relative_positions=-1, type_vocab_size=0)
    config = UniEncoderSpanConfig(model_name="microsoft/deberta-v3-base", hidden_size=512, vocab_size=vocab,
                                  class_token_index=vocab - 2, encoder_config=encoder.to_dict())
    model = UniEncoderSpanGLiNER(config, tokenizer=tokenizer, backbone_from_pretrained=False)
    gliner_models.randomize(model.model, 1)
    model.eval()
    model.save_pretrained(directory, safe_serialization=True)
    model.export_to_onnx(directory)


def open_engine(name, directory, threads):
    if name.startswith("ours"):
        from bert_infer import Model
        from bert_infer.gliner import GLiNER

        model = GLiNER(Model(directory, threads=threads, precision="int8" if name == "ours-int8" else "stored"))
        return lambda texts: model.inference(texts, LABELS, threshold=THRESHOLD)
    import onnxruntime
    import torch
    from gliner import GLiNER as Reference

    torch.set_num_threads(threads)
    options = {}
    if name == "onnx":
        session = onnxruntime.SessionOptions()
        session.intra_op_num_threads = threads
        options = {"runtime": "onnxruntime", "session_options": session}
    model = Reference.from_pretrained(str(directory), local_files_only=True, **options)
    return lambda texts: model.inference(texts, LABELS, threshold=THRESHOLD, batch_size=8)


def run_engine(name, directory, threads):
    """Prints the seconds of the fastest of three calls, and the entities."""
    draw = random.Random(3)
    texts = [" ".join(draw.choice(WORDS) for _ in range(128)) for _ in range(8)]
    find = open_engine(name, directory, threads)
    find(texts[:1])
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        found = find(texts)
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": min(seconds),
                      "entities": [[[e["start"], e["end"], e["label"]] for e in one] for one in found]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--engines", default="ours,torch,onnx,ours-int8")
    parser.add_argument("--cache", type=Path, default=Path("gliner-base"))
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.engine:
        run_engine(arguments.engine, arguments.cache, arguments.threads)
        return
    if not (arguments.cache / "model.onnx").exists():
        make_model(arguments.cache, arguments.data)
    shared = ("--data", arguments.data, "--cache", arguments.cache, "--threads", arguments.threads)
    answers = in_turns({name: lambda name=name: run_again("--engine", name, *shared)
                        for name in arguments.engines.split(",")}, arguments.turns)
    seconds = {name: statistics.median(one["seconds"] for one in of_turns) for name, of_turns in answers.items()}
    entities = {name: {(i, *entity) for i, one in enumerate(of_turns[-1]["entities"]) for entity in one}
                for name, of_turns in answers.items()}
    print_table(["engine", "s", "times the first", "entities"],
                ([name, f"{of_name:.3f}", f"{of_name / next(iter(seconds.values())):.2f}", str(len(entities[name]))]
                 for name, of_name in seconds.items()))
    if "ours" in entities and "ours-int8" in entities:
        lost, found = entities["ours"] - entities["ours-int8"], entities["ours-int8"] - entities["ours"]
        all_ = len(entities["ours"])
        print(f"int8 weights of the encoder: of {all_} entities {len(lost)} lost, {len(found)} more found")


if __name__ == "__main__":
    main()
