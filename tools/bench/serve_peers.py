#!/usr/bin/env python3
"""Compares the throughput of `bert-infer serve` with other servers of embeddings, on texts of mixed lengths in float32.

    tools/bench/serve_peers.py MINILM [--infinity PROGRAM] [--rounds N] [--build DIRECTORY]

Each server gets two threads, and 32 clients of `bench load`. A client asks for a text's embedding, in OpenAI's form, as
soon as its last request is answered. The loads take turns. PROGRAM is infinity-emb's server (infinity_emb of its
package). ONNX Runtime is called in this process, without HTTP: it takes the next 32 texts of a queue at a time, padded
to the longest of them, with the `tokenizers` package and mean pooling. Needs numpy, onnx, onnxruntime, tokenizers and
torch.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from peer_engines import make_onnxruntime
from serve import Bench, free_port, report, text, wait_until_ready

CLIENTS = 32
SECONDS = 10


# Returns texts of 1 to 180 words. Short ones are more frequent. The order mixes the lengths.
def mixed_texts() -> list[str]:
    return [text(round(180 ** ((i * 37 % 128) / 127)), i) for i in range(128)]


@contextmanager
def infinity(program: str, model: Path):
    port = free_port()
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    command = [program, "v2", "--model-id", model, "--served-model-name", "m", "--engine", "torch", "--device", "cpu",
               "--dtype", "float32", "--batch-size", str(CLIENTS), "--host", "127.0.0.1", "--port", str(port),
               "--log-level", "error"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    try:
        wait_until_ready(server, f"http://127.0.0.1:{port}/health")
        yield f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def padded_queue(model: Path, folder: Path, texts: list[str]) -> Callable[[], float]:
    """Returns a function that measures the texts a second of ONNX Runtime behind a padded first-come queue."""
    import numpy as np
    import tokenizers

    run, _ = make_onnxruntime(model, 2, folder, "float32")
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()

    def embed(batch: list[str]) -> np.ndarray:
        encodings = tokenizer.encode_batch(batch)
        ids, mask = (np.array([getattr(one, name) for one in encodings], dtype=np.int64)
                     for name in ("ids", "attention_mask"))
        sums = (run(ids, mask) * mask[:, :, None]).sum(1)
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    def measure() -> float:
        begin, done = time.monotonic(), 0
        while time.monotonic() - begin < SECONDS:
            embed([texts[(done + i) % len(texts)] for i in range(CLIENTS)])
            done += CLIENTS
        return done / (time.monotonic() - begin)

    return measure


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares bert-infer serve with other servers.")
    parser.add_argument("minilm", type=Path)
    parser.add_argument("--infinity")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build")
    options = parser.parse_args()
    texts = mixed_texts()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(options, folder)
        bodies = folder / "mixed.jsonl"
        bodies.write_text("".join(json.dumps({"model": "m", "input": one}) + "\n" for one in texts))

        def load(address: str) -> float:
            result = bench.load(address, bodies, "--path", "/embeddings", "--clients", CLIENTS, "--seconds", SECONDS)
            if set(result["status"]) != {"200"}:
                raise RuntimeError(f"{address} answered {result['status']}")
            return result["good_per_second"]

        def compare(what: str, measure: Callable[[], float], most: float) -> None:
            measure(), load(own)
            pairs = [(load(own), measure()) for _ in range(options.rounds)]
            ours, theirs = zip(*pairs)
            ratio = median(one / other for one, other in pairs)
            report(f"mixed lengths: texts a second, by those of {what}",
                   f"{median(ours):.0f} and {median(theirs):.0f}: {ratio:.2f}", f"≥ {most}", ratio >= most)

        print("| what | found | expected | met |\n|---|---|---|---|")
        with bench.server(options.minilm, "--threads", "2") as (own, _):
            compare("ONNX Runtime behind a padded first-come queue", padded_queue(options.minilm, folder, texts), 2.0)
            if options.infinity:
                with infinity(options.infinity, options.minilm) as address:
                    compare("infinity-emb", lambda: load(address), 1.3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
