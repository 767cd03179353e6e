#!/usr/bin/env python3
"""Compares bert-infer with other engines on the same random model of BERT-base's shape and the same ids.

Each engine has its own process, and they take turns: one forward pass each, repeatedly, while SIGSTOP stops the others,
so that a slow minute of the machine affects all equally. It prints the median milliseconds of wall time, their ratio to
bert-infer's, the resident memory, the mean difference of the first text's vectors from torch's in float64, and how much
a text's vectors differ between a batch and the text alone.

It compares the engines that this Python has (peer_engines.py), and reports the others as skipped:

    python3 -m venv build/peers
    build/peers/bin/pip install torch transformers onnx onnxscript onnxruntime openvino nncf ctranslate2 sympy
    build/peers/bin/python tools/bench/peers.py --threads 2
    build/peers/bin/python tools/bench/peers.py --threads 2 --precision int8

The texts of a batch have equal lengths, so no engine pads them, except in the batch `mix`. Its texts are sorted by
length. bert-infer gets them in batches of 2,048 tokens. The others get them one by one, or in batches of 512 or 2,048
padded tokens: the fastest of the three is shown.
"""

import argparse
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

from peer_engines import ENGINES, VOCAB
from turns import in_turns, print_table

BATCHES = {"1x8": (1, 8), "1x16": (1, 16), "1x32": (1, 32), "1x128": (1, 128), "1x512": (1, 512), "8x128": (8, 128),
           "32x32": (32, 32)}
PADDED_TOKENS = (1, 512, 2048)


# ---- A worker: reads commands as `bench worker` does. ----

def read_texts(path):
    return [[int(word) for word in line.split()] for line in pathlib.Path(path).read_text().splitlines()]


def padded_batches(texts, most_tokens):
    """Returns the texts in batches whose padded size is at most `most_tokens`, or one batch if all have one length."""
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


def difference_alone(run, batches):
    """Returns the largest difference of a text's vectors between the largest batch and the text alone. Takes the text
    that the batch pads most."""
    ids, mask = max(batches, key=lambda batch: batch[0].size)
    row = int(mask.sum(1).argmin())
    length = int(mask[row].sum())
    together = run(ids, mask)[row][:length].copy()
    return float(abs(together - run(ids[row : row + 1, :length], mask[row : row + 1, :length])[0]).max())


def serve(engine, args):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries that print must not write into the answers
    run, title = ENGINES[args.precision][engine](args.model, args.threads, args.cache, args.precision)
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
                first = outputs[0][0].copy()
            answer = f"{min(ways):.4f}"
        elif command == "first":
            answer = " ".join(f"{value:.9g}" for value in first.ravel().tolist())
        elif command == "alone":
            answer = f"{difference_alone(run, loaded[words[0]][-1]):.9g}"
        elif command == "memory":
            answer = f"0 {resident_mib():.1f}"
        else:
            raise SystemExit(f"peers.py: unknown command '{command}'")
        answers.write(answer + "\n")
        answers.flush()


# ---- The controller decides which worker runs. ----

class Worker:
    def __init__(self, title, command, environment=None):
        self.title = title
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})

    def ask(self, command):
        self.process.send_signal(signal.SIGCONT)
        self.send(command)
        return self.answer()

    def send(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"'{self.title}' has ended")
        return line.strip()

    def milliseconds(self, batch):
        """Returns the time of one forward pass, and stops the process afterwards."""
        answer = float(self.ask(f"run {batch}"))
        self.stop()
        return answer

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


def make_model(build, model):
    """Writes the random model of BERT-base's shape, if it does not exist."""
    if not (model / "model.safetensors").exists():
        subprocess.run([str(build / "tools/bench/bench"), "make-model", str(model)], check=True)


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


def start_worker(engine, precision, args):
    """Returns a worker for the engine. Returns None, with a message, if this Python does not have the engine."""
    command = [sys.executable, __file__, "--serve", engine, "--precision", precision, "--model", str(args.model),
               "--threads", str(args.threads), "--cache", str(args.cache)]
    threads = {"OMP_NUM_THREADS": str(args.threads), "MKL_NUM_THREADS": str(args.threads)}
    worker = Worker(engine, command, threads)
    try:
        worker.title = worker.answer()
    except RuntimeError:
        worker.process.wait()
        print(f"SKIPPED {engine}: it does not start here (its own message is above)", file=sys.stderr)
        return None
    worker.stop()
    return worker


def start_workers(args):
    """Starts bert-infer with weights as stored and packed, and then the engines that this Python has."""
    ours = [str(args.build / "tools/bench/bench"), "worker", str(args.model), str(args.threads)]
    workers = [Worker("bert-infer", ours + ["native", args.precision]),
               Worker("bert-infer, packed weights", ours + ["packed", args.precision])]
    if args.openblas:
        workers.append(Worker("bert-infer on OpenBLAS", ours + ["openblas", args.precision]))
    engines = args.engines or list(ENGINES[args.precision])
    return workers + [worker for worker in (start_worker(e, args.precision, args) for e in engines) if worker]


def measure(workers, paths, args):
    """Returns {batch: {worker: [milliseconds]}}."""
    for worker in workers:
        for name, path in paths.items():
            worker.ask(f"load {name} {path}")
        worker.stop()
    times = {}
    for name in paths:
        runs = {worker.title: lambda worker=worker, name=name: worker.milliseconds(name) for worker in workers}
        repeats, warm_up = (3, 0) if name == "mix" else (args.repeats, args.warm_up)
        times[name] = in_turns(runs, repeats, warm_up)
        print(f"peers.py: {name} done", file=sys.stderr)
    return times


def compare_vectors(workers, paths, args):
    """Returns {worker: (mean difference of the first text's vectors from torch's in float64, largest difference of a
    text's vectors between a batch and the text alone)}."""
    one = args.cache / "one.ids"  # the first text alone
    one.write_text(next(iter(paths.values())).read_text().split("\n", 1)[0] + "\n")
    batch = "mix" if "mix" in paths else max(paths, key=lambda name: BATCHES[name][0])

    def vectors(worker):
        worker.ask(f"load one {one}")
        worker.ask("run one")
        return [float(word) for word in worker.ask("first").split()]

    reference = start_worker("torch", "float64", args)
    expected = None
    if reference is not None:
        expected = vectors(reference)
        reference.end()
    differences = {}
    for worker in workers:
        error = math.nan
        if expected is not None:
            error = statistics.fmean(abs(a - b) for a, b in zip(vectors(worker), expected))
        differences[worker.title] = (error, float(worker.ask(f"alone {batch}")))
        worker.stop()
    return differences


def print_report(workers, times, differences, args):
    def show(value):
        return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"

    medians = {name: {t: statistics.median(ms) for t, ms in of.items()} for name, of in times.items()}
    resident = {w.title: float(w.ask("memory").split()[1]) for w in workers}
    header = [f"{args.precision}, median ms"] + list(times)
    header += ["resident MiB", "mean difference from float64", "largest difference, in a batch and alone"]
    print(f"Threads: {args.threads}; {args.repeats} turns; load average now {os.getloadavg()[0]:.1f}\n")
    titles = [worker.title for worker in workers]
    print_table(header, ([t, *(show(medians[name][t]) for name in times), f"{resident[t]:.0f}",
                          *(f"{difference:.1e}" for difference in differences[t])] for t in titles))
    for base in titles[:2]:
        print()
        print_table([f"times {base}", *times],
                    ([t, *(f"{medians[name][t] / medians[name][base]:.2f}" for name in times)] for t in titles[2:]))


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
    parser.add_argument("--precision", default="float32", choices=list(ENGINES), help="float64 is the reference's own")
    parser.add_argument("--engines", nargs="*", help="names in peer_engines.py (default: all of the precision)")
    parser.add_argument("--openblas", action="store_true", help="also bert-infer on OpenBLAS")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.model = (args.model or args.build / "tools/bench/models/base-f32").resolve()
    args.cache = (args.cache or args.build / "bench-results/peers").resolve()
    if args.serve:
        serve(args.serve, args)
        return
    args.cache.mkdir(parents=True, exist_ok=True)
    make_model(args.build, args.model)
    workers = start_workers(args)
    try:
        paths = make_texts(args.cache, args.batches)
        times = measure(workers, paths, args)
        print_report(workers, times, compare_vectors(workers, paths, args), args)
    finally:
        for worker in workers:
            worker.end()


if __name__ == "__main__":
    main()
