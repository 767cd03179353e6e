#!/usr/bin/env python3
"""Compares bert-infer with other engines on the same random model of BERT-base's shape and the same ids.

Each engine has its own process, and they take turns: one forward pass each, repeatedly, while SIGSTOP stops the others,
so that a slow minute of the machine affects all equally. It prints the median milliseconds of wall time, their ratio to
bert-infer's, the resident memory, and the largest difference of the first vector from torch's.

It compares the engines that this Python has, and reports the others as skipped:

    python3 -m venv build/peers
    build/peers/bin/pip install torch transformers onnx onnxscript onnxruntime openvino ctranslate2 sympy
    build/peers/bin/python tools/bench/peers.py --threads 2

The engines at their best: torch with sdpa attention; ONNX Runtime and OpenVINO on torch's export (ONNX Runtime's after
its own transformer optimizer; OpenVINO with the LATENCY hint and one stream); CTranslate2 with its own conversion.
Texts of one batch are of equal length, so that nobody pads, except in the mix, which the others get sorted, in batches
of 512 or 2,048 padded tokens, whichever is faster for them; bert-infer gets the same texts, sorted, by 2,048 tokens.
"""

import argparse
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

BATCHES = {"1x8": (1, 8), "1x16": (1, 16), "1x32": (1, 32), "1x128": (1, 128), "1x512": (1, 512), "8x128": (8, 128),
           "32x32": (32, 32)}
VOCAB = 30522
HEADS = 12
HIDDEN = 768
PADDED_TOKENS = (512, 2048)
EXPORT = "model.onnx"


# ---- Engines. Each returns a function from a padded batch (int64 ids and mask) to the token vectors. ----

def torch_model(model_dir, attention):
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    try:
        model = transformers.AutoModel.from_pretrained(model_dir, attn_implementation=attention)
    except ValueError:  # a family without this attention
        model = transformers.AutoModel.from_pretrained(model_dir, attn_implementation="eager")
    return torch, model.eval()


def export_onnx(model_dir, cache):
    """torch's export, once, for the engines that read it."""
    path = cache / EXPORT
    if path.exists():
        return path
    torch, model = torch_model(model_dir, "eager")
    ids = torch.ones(2, 16, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "sequence"} for name in names + ["last_hidden_state"]}
    axes["pooler_output"] = {0: "batch"}
    options = {"dynamo": False} if "dynamo" in torch.onnx.export.__code__.co_varnames else {}
    partial = cache / ("partial-" + EXPORT)
    with torch.inference_mode():
        torch.onnx.export(model, (ids, torch.ones_like(ids), torch.zeros_like(ids)), str(partial), input_names=names,
                          output_names=["last_hidden_state", "pooler_output"], dynamic_axes=axes, opset_version=17,
                          **options)
    partial.rename(path)
    return path


def make_torch(model_dir, threads, _cache):
    torch, model = torch_model(model_dir, "sdpa")
    torch.set_num_threads(threads)

    def run(ids, mask):
        with torch.inference_mode():
            ids = torch.from_numpy(ids)
            # A mask of ones only costs time: without one torch uses its faster path.
            mask = None if mask.all() else torch.from_numpy(mask)
            return model(input_ids=ids, attention_mask=mask).last_hidden_state.numpy()

    return run, f"torch {torch.__version__}"


def make_onnxruntime(model_dir, threads, cache):
    import numpy as np
    import onnxruntime

    plain = export_onnx(model_dir, cache)
    fused = cache / "fused.onnx"
    if not fused.exists():
        from onnxruntime.transformers import optimizer

        optimized = optimizer.optimize_model(str(plain), model_type="bert", num_heads=HEADS, hidden_size=HIDDEN)
        print(f"peers.py: onnxruntime's optimizer fused {optimized.get_fused_operator_statistics()}", file=sys.stderr)
        optimized.save_model_to_file(str(fused))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(fused), options, providers=["CPUExecutionProvider"])
    kinds = {entry.name: np.int32 if "int32" in entry.type else np.int64 for entry in session.get_inputs()}

    def run(ids, mask):
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return session.run(None, {name: given[name].astype(kind, copy=False) for name, kind in kinds.items()})[0]

    return run, f"ONNX Runtime {onnxruntime.__version__}"


def make_openvino(model_dir, threads, cache):
    import numpy as np
    import openvino

    settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads,
                "INFERENCE_PRECISION_HINT": "f32"}
    request = openvino.Core().compile_model(str(export_onnx(model_dir, cache)), "CPU", settings).create_infer_request()

    def run(ids, mask):
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        request.infer(given, share_inputs=True)
        return request.get_output_tensor(0).data

    return run, f"OpenVINO {openvino.__version__.split('-')[0]}"


def make_ctranslate2(model_dir, threads, cache):
    import ctranslate2
    import numpy as np

    converted = cache / "ctranslate2"
    if not converted.exists():
        import transformers

        transformers.logging.set_verbosity_error()
        ctranslate2.converters.TransformersConverter(str(model_dir)).convert(str(converted))
    encoder = ctranslate2.Encoder(str(converted), device="cpu", compute_type="float32", intra_threads=threads,
                                  inter_threads=1)

    def run(ids, mask):
        batch = [row[: int(ones.sum())].tolist() for row, ones in zip(ids, mask)]
        return np.array(encoder.forward_batch(batch).last_hidden_state)

    return run, f"CTranslate2 {ctranslate2.__version__}"


ENGINES = {"torch": make_torch, "onnxruntime": make_onnxruntime, "openvino": make_openvino,
           "ctranslate2": make_ctranslate2}


# ---- A worker: reads commands as bench_worker does. ----

def read_texts(path):
    return [[int(word) for word in line.split()] for line in pathlib.Path(path).read_text().splitlines()]


def padded_batches(texts, most_tokens):
    """Texts as given, in batches whose padded size is at most `most_tokens`; one batch when all have one length."""
    import numpy as np

    groups = [[]]
    for ids in texts:
        longest = max([len(ids)] + [len(other) for other in groups[-1]])
        if most_tokens and groups[-1] and longest * (len(groups[-1]) + 1) > most_tokens:
            groups.append([])
        groups[-1].append(ids)
    batches = []
    for group in groups:
        ids = np.zeros((len(group), max(map(len, group))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(group):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        batches.append((ids, mask))
    return batches


def resident_mib():
    for line in pathlib.Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) / 1024
    return 0


def serve(engine, model_dir, threads, cache):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of libraries is not an answer
    run, title = ENGINES[engine](model_dir, threads, cache)
    answers.write(title + "\n")
    answers.flush()
    loaded, first = {}, None
    for line in sys.stdin:
        command, *words = line.split()
        if command == "load":
            name, path = words
            texts = read_texts(path)
            even = len(set(map(len, texts))) == 1
            sizes = [0] if even else PADDED_TOKENS
            loaded[name] = [padded_batches(texts, most) for most in sizes]
            answer = "ok"
        elif command == "run":
            ways = []
            for batches in loaded[words[0]]:
                start = time.perf_counter()
                outputs = [run(ids, mask) for ids, mask in batches]
                ways.append(1e3 * (time.perf_counter() - start))
                first = outputs[0][0][0]
            answer = f"{min(ways):.4f}"
        elif command == "first":
            answer = " ".join(f"{value:.9g}" for value in first.tolist())
        elif command == "memory":
            answer = f"0 {resident_mib():.1f}"
        else:
            raise SystemExit(f"peers.py: unknown command '{command}'")
        answers.write(answer + "\n")
        answers.flush()


# ---- The controller, which gives the turns. ----

class Worker:
    def __init__(self, title, command, environment=None):
        self.title = title
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})

    def ask(self, command):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"'{self.title}' has ended")
        return line.strip()

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def write_texts(folder, name, texts):
    path = folder / f"{name}.ids"
    path.write_text("".join(" ".join(map(str, ids)) + "\n" for ids in texts))
    return path


def make_texts(folder, names):
    generator = random.Random(1)
    paths = {}
    for name in names:
        if name == "mix":
            lengths = sorted(round(8 * 64 ** generator.random()) for _ in range(256))
        else:
            lengths = [BATCHES[name][1]] * BATCHES[name][0]
        paths[name] = write_texts(folder, name, [[generator.randrange(1000, VOCAB) for _ in range(n)] for n in lengths])
    return paths


def start_workers(args):
    """bert-infer first; then the engines that this Python has."""
    ours = [str(args.build / "tools/bench/bench_worker"), str(args.model), str(args.threads)]
    workers = [Worker("bert-infer", ours + ["native"])]
    if args.openblas:
        workers.append(Worker("bert-infer on OpenBLAS", ours + ["openblas"]))
    for engine in args.engines:
        command = [sys.executable, __file__, "--serve", engine, "--model", str(args.model),
                   "--threads", str(args.threads), "--cache", str(args.cache)]
        threads = {"OMP_NUM_THREADS": str(args.threads), "MKL_NUM_THREADS": str(args.threads)}
        worker = Worker(engine, command, threads)
        try:
            worker.title = worker.answer()
        except RuntimeError:
            worker.process.wait()
            print(f"SKIPPED {engine}: it does not start here (its own message is above)", file=sys.stderr)
            continue
        worker.stop()
        workers.append(worker)
    return workers


def measure(workers, paths, args):
    """{batch: {worker: [milliseconds]}}, and how far each worker's first vector is from the reference's."""
    for worker in workers:
        for name, path in paths.items():
            worker.ask(f"load {name} {path}")
        worker.stop()
    times = {name: {worker.title: [] for worker in workers} for name in paths}
    for name in paths:
        repeats = 3 if name == "mix" else args.repeats
        for turn in range(-args.warm_up if name != "mix" else 0, repeats):
            for worker in workers:
                milliseconds = float(worker.ask(f"run {name}"))
                worker.stop()
                if turn >= 0:
                    times[name][worker.title].append(milliseconds)
        print(f"peers.py: {name} done", file=sys.stderr)
    vectors = {}
    for worker in workers:
        worker.ask(f"run {next(iter(paths))}")
        vectors[worker.title] = [float(word) for word in worker.ask("first").split()]
        worker.stop()
    reference = next((w.title for w in workers if w.title.startswith("torch")), workers[0].title)
    errors = {t: max(abs(a - b) for a, b in zip(v, vectors[reference])) for t, v in vectors.items()}
    return times, errors, reference


def print_report(workers, times, errors, reference, args):
    def show(value):
        return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"

    medians = {name: {t: statistics.median(ms) for t, ms in of.items()} for name, of in times.items()}
    resident = {w.title: float(w.ask("memory").split()[1]) for w in workers}
    header = ["float32, median ms"] + list(times) + ["resident MiB", f"largest difference from {reference}"]
    print(f"Threads: {args.threads}; {args.repeats} turns; load average now {os.getloadavg()[0]:.1f}\n")
    print("| " + " | ".join(header) + " |\n" + "|" + "---|" * len(header))
    for worker in workers:
        t = worker.title
        cells = [show(medians[name][t]) for name in times] + [f"{resident[t]:.0f}", f"{errors[t]:.1e}"]
        print(f"| {t} | " + " | ".join(cells) + " |")
    print("\n| times bert-infer's | " + " | ".join(times) + " |\n|" + "---|" * (len(times) + 1))
    for worker in workers[1:]:
        t = worker.title
        print(f"| {t} | " + " | ".join(f"{medians[n][t] / medians[n][workers[0].title]:.2f}" for n in times) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--build", type=pathlib.Path, default=top / "build",
                        help="build directory with tools/bench's programs")
    parser.add_argument("--model", type=pathlib.Path,
                        help="model directory; default: a random one, made in the build directory")
    parser.add_argument("--cache", type=pathlib.Path, help="where exports are kept; default: in the build directory")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=11, help="turns of each engine and batch (3 for the mix)")
    parser.add_argument("--warm-up", type=int, default=3, help="turns before those that count")
    parser.add_argument("--batches", nargs="+", default=list(BATCHES), choices=list(BATCHES) + ["mix"])
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--openblas", action="store_true", help="also bert-infer on OpenBLAS")
    parser.add_argument("--serve", choices=list(ENGINES), help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.model = (args.model or args.build / "tools/bench/models/base-f32").resolve()
    args.cache = (args.cache or args.build / "bench-results/peers").resolve()
    if args.serve:
        serve(args.serve, args.model, args.threads, args.cache)
        return
    args.cache.mkdir(parents=True, exist_ok=True)
    if not (args.model / "model.safetensors").exists():
        subprocess.run([str(args.build / "tools/bench/bench_make_model"), str(args.model)], check=True)
    workers = start_workers(args)
    try:
        times, errors, reference = measure(workers, make_texts(args.cache, args.batches), args)
        print_report(workers, times, errors, reference, args)
    finally:
        for worker in workers:
            worker.end()


if __name__ == "__main__":
    main()
