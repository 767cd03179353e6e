#!/usr/bin/env python3
"""Measures how the time of a forward pass falls with the number of threads, and how many texts a second several
processes encode side by side. It uses the random model of BERT-base's shape with packed weights, and prints the
machine's ceilings too.

    tools/bench/scaling.py [--threads 1,2,4,8] [--precision float32] [--batches 1x8 1x32 …] [--repeats 7]

The first table has the median time of a pass in milliseconds. For the largest batch it also has the pass's speed as a
share of the tighter of two ceilings: the multiply-adds that registers can do, and the time to read the weights once.
"not divided" is the share of a pass on one thread that more threads do not shorten. It is computed from the times on
one and on two threads (Amdahl's law). For the second table several processes run side by side, and the largest number
of threads is divided among them. The script needs nothing but Python.
"""

import argparse
import os
import statistics
import subprocess
import time
from pathlib import Path

from peers import BATCHES, Worker, make_model, make_texts
from turns import in_turns, print_table

LAYERS, HIDDEN, INTERMEDIATE = 12, 768, 3072
WEIGHTS = LAYERS * (4 * HIDDEN * HIDDEN + 2 * HIDDEN * INTERMEDIATE)


def start(args, model, threads):
    return Worker(f"{threads}", [str(args.build / "tools/bench/bench"), "worker", str(model), str(threads), "packed",
                                 args.precision])


def efficiency(batch, milliseconds, ceilings, precision):
    """Returns the time that the tighter ceiling allows, divided by the time that a pass took."""
    texts, tokens = BATCHES[batch]
    operations = 2 * WEIGHTS * texts * tokens + 4 * LAYERS * HIDDEN * texts * tokens * tokens
    bytes_read = WEIGHTS * {"float32": 4, "bfloat16": 2, "int8": 1}[precision]
    return max(operations / (1e9 * ceilings[0]), bytes_read / (1e9 * ceilings[1])) / (1e-3 * milliseconds)


def time_threads(args, model, paths):
    """Returns {threads: {batch: milliseconds}}."""
    workers = {threads: start(args, model, threads) for threads in args.threads}
    medians = {threads: {} for threads in args.threads}
    for worker in workers.values():
        for batch, path in paths.items():
            worker.ask(f"load {batch} {path}")
        worker.stop()
    for batch in paths:
        runs = {t: lambda worker=worker, batch=batch: worker.milliseconds(batch) for t, worker in workers.items()}
        for threads, times in in_turns(runs, args.repeats, warm_up=2).items():
            medians[threads][batch] = statistics.median(times)
    for worker in workers.values():
        worker.end()
    return medians


def texts_per_second(args, model, processes, batch, path):
    """Returns the texts a second of several processes. Each runs the batch again when all have ended it."""
    workers = [start(args, model, max(args.threads) // processes) for _ in range(processes)]
    for worker in workers:
        worker.ask(f"load {batch} {path}")
    times = []
    for _ in range(args.repeats + 2):
        begin = time.perf_counter()
        for worker in workers:
            worker.send(f"run {batch}")
        for worker in workers:
            worker.answer()
        times.append(time.perf_counter() - begin)
    for worker in workers:
        worker.end()
    return processes * BATCHES[batch][0] / statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top = Path(__file__).resolve().parents[2]
    cpus = len(os.sched_getaffinity(0))
    powers = [1 << i for i in range(cpus.bit_length()) if 1 << i <= cpus]
    parser.add_argument("--build", type=Path, default=top / "build")
    parser.add_argument("--threads", type=lambda text: [int(one) for one in text.split(",")], default=powers)
    parser.add_argument("--precision", default="float32", choices=["float32", "bfloat16", "int8"])
    parser.add_argument("--batches", nargs="+", choices=list(BATCHES),
                        default=["1x8", "1x32", "1x128", "8x128", "32x32"])
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    args.build = args.build.resolve()
    model = args.build / "tools/bench/models/base-f32"
    make_model(args.build, model)
    folder = args.build / "bench-results"
    folder.mkdir(exist_ok=True)
    paths = make_texts(folder, args.batches)
    ceilings = {}
    for threads in args.threads:
        command = [args.build / "tools/bench/bench", "ceilings", str(threads)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        ceilings[threads] = [float(one) for one in answer.split()]
    medians = time_threads(args, model, paths)
    largest = max(args.batches, key=lambda batch: BATCHES[batch][0] * BATCHES[batch][1])
    rows = [[str(t), f"{ceilings[t][0]:.0f}", f"{ceilings[t][1]:.1f}", *(f"{ms:.2f}" for ms in medians[t].values()),
             f"{efficiency(largest, medians[t][largest], ceilings[t], args.precision):.2f}"] for t in args.threads]
    print_table([f"{args.precision}, threads", "GFLOP/s", "GB/s", *(f"{batch}, ms" for batch in paths),
                 f"of the ceiling, {largest}"], rows)
    if {1, 2} <= set(args.threads):
        shares = [2 * medians[2][batch] / medians[1][batch] - 1 for batch in paths]
        print("\nnot divided: " + ", ".join(f"{batch} {share:.3f}" for batch, share in zip(paths, shares)) + "\n")
    rows = [(p, [texts_per_second(args, model, p, batch, paths[batch]) for batch in paths])
            for p in args.threads if max(args.threads) % p == 0]
    print_table([f"processes of {max(args.threads)} threads", *(f"{batch}, texts/s" for batch in paths)],
                ([str(p), *(f"{one:.0f}" for one in rates)] for p, rates in rows))


if __name__ == "__main__":
    main()
