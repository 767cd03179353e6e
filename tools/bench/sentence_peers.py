#!/usr/bin/env python3
"""Compares making vectors of sentences in Python with sentence-transformers on torch, on ONNX Runtime and on
OpenVINO, in float32 and in 8 bits, and with fastembed. The engines take turns: each turn starts a process for each
engine.

  sentence_peers.py --model DIRECTORY [--texts sts,wikitext] [--turns 3] [--threads 2] [--engines NAME,…]

DIRECTORY is a model of sentence-transformers, for fastembed all-MiniLM-L6-v2. The texts are those of STS-B's test part
and 800 lines of WikiText-2, in the folder BERT_TEST_DATA. The Python environment has the package of this project's
build in PYTHONPATH, fastembed, and sentence-transformers with its onnx and openvino extras (transformers below 5.6 for
optimum-intel). An engine that is missing is left out, with a message. The peers' models are exported once, into
--cache.

Prints the median seconds of encode() with a warm model, the median seconds of a whole process that encodes once, and by
how much the vectors differ from torch's. OpenVINO is set to float32, which is not its default on a CPU with AMX. The 8
bits of ONNX Runtime are made by quantize_dynamic. Those of OpenVINO are made by nncf.quantize, with fixed scales of
activations from 300 sentences.
"""

import argparse
import csv
import importlib.metadata
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from turns import in_turns, print_table, run_again

TEXTS = ("sts", "wikitext")


def read_texts(kind):
    folder = Path(os.environ.get("BERT_TEST_DATA", "")) / "text"
    if kind == "wikitext":
        lines = (folder / "wikitext2-valid.txt").read_text(encoding="utf-8").split("\n")
        return [line.strip() for line in lines if len(line.strip()) > 20][:800]
    with open(folder / "stsbenchmark-sts-test.csv", encoding="utf-8") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [text for row in rows if len(row) >= 7 for text in row[5:7]]


def version(package):
    return importlib.metadata.version(package).split("+")[0]


def ours(arguments, **options):
    import bert_infer

    model = bert_infer.Model(arguments.model, threads=arguments.threads, **options)
    return f"bert-infer {bert_infer.__version__}", model.encode


def on_torch(arguments):
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(arguments.threads)
    return f"torch {version('torch')}", SentenceTransformer(arguments.model, device="cpu").encode


def exported(arguments, backend):
    """Returns the directory of a copy of the model with its export for the backend, which is made once."""
    from sentence_transformers import SentenceTransformer

    folder = Path(arguments.cache) / backend
    if not folder.is_dir():
        SentenceTransformer(arguments.model, backend=backend).save_pretrained(str(folder))
    return folder


def on_onnx(arguments, file=None):
    import onnxruntime
    from sentence_transformers import SentenceTransformer

    folder = exported(arguments, "onnx")
    if file and not (folder / "onnx" / file).exists():
        from sentence_transformers import export_dynamic_quantized_onnx_model

        model = SentenceTransformer(str(folder), backend="onnx")
        export_dynamic_quantized_onnx_model(model, "avx512_vnni", str(folder))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    settings = {"session_options": options, "provider": "CPUExecutionProvider"}
    if file:
        settings["file_name"] = f"onnx/{file}"
    model = SentenceTransformer(str(folder), backend="onnx", model_kwargs=settings)
    return f"ONNX Runtime {version('onnxruntime')}", model.encode


def quantize_for_openvino(folder, path):
    import nncf
    import openvino
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder))
    samples = [dict(tokenizer(text, return_tensors="np")) for text in read_texts("sts")[:300]]
    graph = openvino.Core().read_model(str(folder / "openvino/openvino_model.xml"))
    graph = nncf.quantize(graph, nncf.Dataset(samples), model_type=nncf.ModelType.TRANSFORMER)
    openvino.save_model(graph, str(path), compress_to_fp16=False)


def on_openvino(arguments, file=None):
    from sentence_transformers import SentenceTransformer

    folder = exported(arguments, "openvino")
    if file and not (folder / "openvino" / file).exists():
        quantize_for_openvino(folder, folder / "openvino" / file)
    settings = {"ov_config": {"INFERENCE_NUM_THREADS": arguments.threads, "INFERENCE_PRECISION_HINT": "f32"}}
    if file:
        settings["file_name"] = f"openvino/{file}"
    model = SentenceTransformer(str(folder), backend="openvino", model_kwargs=settings)
    return f"OpenVINO {version('openvino')}", model.encode


def on_fastembed(arguments):
    import fastembed

    export = exported(arguments, "onnx")
    folder = Path(arguments.cache) / "fastembed"
    folder.mkdir(exist_ok=True)
    for file in (*export.glob("*.json"), export / "onnx" / "model.onnx"):
        if not (folder / file.name).exists():
            (folder / file.name).symlink_to(file.resolve())
    model = fastembed.TextEmbedding("sentence-transformers/all-MiniLM-L6-v2", specific_model_path=str(folder),
                                    threads=arguments.threads)
    return f"fastembed {version('fastembed')}", lambda texts: list(model.embed(texts))


ENGINES = {
    "torch": on_torch,
    "fastembed": on_fastembed,
    "onnx": on_onnx,
    "openvino": on_openvino,
    "bert-infer": ours,
    "onnx-int8": lambda arguments: on_onnx(arguments, "model_qint8_avx512_vnni.onnx"),
    "openvino-int8": lambda arguments: on_openvino(arguments, "openvino_model_qint8.xml"),
    "bert-infer-int8": lambda arguments: ours(arguments, precision="int8"),
}


def encode_once(arguments):
    """Runs one engine on one kind of texts in this process. Saves the vectors, prints the time of each of two calls."""
    import numpy as np

    name, encode = ENGINES[arguments.engine](arguments)
    texts = read_texts(arguments.texts)
    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        vectors = np.asarray(encode(texts))
        seconds.append(time.perf_counter() - begin)
    np.save(arguments.out, vectors)
    print(json.dumps({"name": name, "first": seconds[0], "second": seconds[1]}))


def run(arguments, engine, texts, out):
    begin = time.perf_counter()
    found = run_again("--engine", engine, "--texts", texts, "--out", out, "--model", arguments.model,
                      "--threads", arguments.threads, "--cache", arguments.cache)
    whole = time.perf_counter() - begin
    return {"name": found["name"], "encode": min(found["first"], found["second"]), "process": whole - found["second"]}


def compare(arguments, texts):
    import numpy as np

    def unit(vectors):
        vectors = vectors.astype(np.float64)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    with tempfile.TemporaryDirectory() as folder:
        outs = {engine: f"{folder}/{engine}.npy" for engine in arguments.engines}
        runs = {engine: lambda engine=engine: run(arguments, engine, texts, outs[engine]) for engine in outs}
        found = in_turns(runs, arguments.turns, warm_up=1)  # the first turn exports the peers' models
        vectors = {engine: unit(np.load(outs[engine])) for engine in found}

    def row(engine):
        encode, process = (statistics.median(one[what] for one in found[engine]) for what in ("encode", "process"))
        difference = f"{np.abs(vectors[engine] - vectors['torch']).max():.1e}" if "torch" in vectors else "-"
        return [found[engine][0]["name"] + (", int8" if "int8" in engine else ""), f"{encode:.3f}", f"{process:.2f}",
                difference]

    print(f"\n{texts}, {len(read_texts(texts))} texts, {arguments.threads} threads\n")
    print_table(["engine", "encode, s", "whole process, s", "largest difference from torch"], map(row, found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", default=",".join(TEXTS))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--engines", type=lambda names: names.split(","), default=list(ENGINES))
    parser.add_argument("--cache", default=str(Path(__file__).parents[2] / "build/peers-sentences"))
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    unknown = [name for name in arguments.engines if name not in ENGINES]
    unknown += [name for name in arguments.texts.split(",") if name not in TEXTS]
    if unknown:
        parser.error(f"unknown '{unknown[0]}', expected engines of {', '.join(ENGINES)}, texts of {', '.join(TEXTS)}")
    if arguments.engine:
        encode_once(arguments)
    else:
        for texts in arguments.texts.split(","):
            compare(arguments, texts)


if __name__ == "__main__":
    main()
