#!/usr/bin/env python3
"""Prints the results of tools/bench/run.sh as one Markdown report: tables of medians with their efficiencies, and the
targets with the measured values. Needs only the standard library.

    python3 tools/bench/report.py build/bench-results
"""

import argparse
import json
import pathlib
import re
import statistics

MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
SUFFIX = re.compile(r"/(iterations:\d+|repeats:\d+|min_time:[\d.]+|manual_time|real_time|process_time)")
ROWS = (1, 8, 16, 32, 128, 1024)
SHAPES = ("2304x768", "768x768", "3072x768", "768x3072")
BATCHES = ("1x8", "1x16", "1x32", "1x128", "1x512", "8x128", "32x32", "mix")


class Results:
    """Reads the benchmarks of one program: the milliseconds of each repetition, and the medians of the counters."""

    def __init__(self, path):
        self.context = {}
        self.times = {}
        self.counters = {}
        if not path.exists():
            return
        document = json.loads(path.read_text())
        self.context = document["context"]
        runs = {}
        for run in document["benchmarks"]:
            if run["run_type"] == "iteration" and not run.get("error_occurred"):
                runs.setdefault(SUFFIX.sub("", run["name"]), []).append(run)
        known = {"iterations", "real_time", "cpu_time", "threads", "repetitions", "repetition_index", "family_index",
                 "per_family_instance_index"}
        for name, group in runs.items():
            self.times[name] = [run["real_time"] * MILLISECONDS[run["time_unit"]] for run in group]
            self.counters[name] = {
                key: [run[key] for run in group]
                for key, value in group[0].items()
                if isinstance(value, (int, float)) and key not in known
            }

    def __contains__(self, name):
        return name in self.times

    def ms(self, name):
        return statistics.median(self.times[name])

    def counter(self, name, key):
        return statistics.median(self.counters[name][key])

    def best(self, name, key):
        return max(self.counters[name][key]) if name in self else None


def table(header, rows):
    rows = [row for row in rows if any(cell != "-" for cell in row[1:])]
    if not rows:
        return
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def embed_lines(process):
    """Returns the runs over many lines, by their number of lines."""
    names = (name for name in process.times if name.startswith("memory/embed-lines/"))
    return sorted(names, key=lambda name: int(name.split("/")[-1]))


def milliseconds(value):
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}"


def percent(value):
    return f"{100 * value:.0f} %"


def isa_of(provider, best_isa):
    provider = provider.removesuffix("-packed")
    return {"avx2": "avx2", "avxvnni": "avx2"}.get(provider, best_isa if provider == "openblas" else "avx512")


def efficiency(results, name, provider, threads, best_isa):
    """Returns the share of the tighter ceiling, of the ceilings that were measured in the whole run."""
    flops = results.best(f"ceiling/fma/{isa_of(provider, best_isa)}/{threads}", "GFLOP/s")
    read = results.best(f"ceiling/read/{threads}", "GB/s")
    if not flops or not read:
        return results.counter(name, "efficiency")
    return max(results.counter(name, "GFLOP/s") / flops, results.counter(name, "GB/s") / read)


def cell(results, name, provider, threads, best_isa):
    if name not in results:
        return "-"
    return f"{milliseconds(results.ms(name))} ({percent(efficiency(results, name, provider, threads, best_isa))})"


def ratio(results, numerator, denominator):
    if numerator not in results or denominator not in results:
        return "-"
    return f"{results.ms(numerator) / results.ms(denominator):.2f}"


def print_context(results):
    context = next((r.context for r in results.values() if r.context), {})
    print("# Benchmarks of one run\n")
    for key in ("cpu", "isa", "compiler", "commit", "date"):
        print(f"- {key}: {context.get(key, 'unknown')}")
    print(f"- CPUs: {context.get('num_cpus', '?')}")
    loads = ", ".join(f"{r.context['load_avg'][0]:.1f}" for r in results.values() if r.context.get("load_avg"))
    print(f"- load average when each program began: {loads}\n")


def share_ceilings(results):
    """Gives every program the ceilings of the whole run. A ceiling is the best sample of any program."""
    samples = {}
    for r in results.values():
        for name in [n for n in r.times if n.startswith("ceiling/")]:
            for unit, values in r.counters[name].items():
                samples.setdefault(name, {}).setdefault(unit, []).extend(values)
    for r in results.values():
        for name, units in samples.items():
            r.times[name] = []
            r.counters[name] = units


def print_ceilings(r):
    print("## Ceilings\n")
    rows = []
    for name in sorted(n for n in r.times if n.startswith("ceiling/")):
        unit = "GB/s" if "/read/" in name else "GFLOP/s"
        rows.append([f"`{name}`", f"{r.best(name, unit):.1f} {unit}", f"{r.counter(name, unit):.1f}"])
    table(["", "best sample", "median sample"], rows)


def print_gemm(r, best_isa):
    providers = [p for p in ("avx512", "avx2", "openblas") if any(f"/{p}/" in n for n in r.times)]
    print("## Matrix products\n\nMilliseconds (share of the tighter ceiling: multiply-adds, or weights read once).\n")
    for kind, shapes in (("All products of a forward pass", ["bert-base"]), ("One product", SHAPES)):
        for threads in (1, 2):
            rows = []
            for shape in shapes:
                for count in ROWS:
                    def name(provider, s=shape, c=count, t=threads):
                        shape_and_rows = f"gemms/{s}/{c}" if s == "bert-base" else f"gemm/{c}x{s}"
                        return f"{shape_and_rows}/f32/{provider}/{t}"

                    label = f"{count} rows" if shape == "bert-base" else f"{count}x{shape}"
                    rows.append([label] + [cell(r, name(p), p, threads, best_isa) for p in providers] +
                                [ratio(r, name("openblas"), name(best_isa))])
            print(f"{kind}, f32, {threads} thread{'s' if threads > 1 else ''}:\n")
            table([""] + providers + [f"openblas / {best_isa}"], rows)
    rows = []
    for shape in SHAPES:
        for count in (8, 1024):
            rows.append([f"{count}x{shape}"] +
                        [cell(r, f"gemm/{count}x{shape}/{t}/{best_isa}/2", best_isa, 2, best_isa)
                         for t in ("f32", "f16", "bf16")])
    print(f"Weights of 16 bits, {best_isa}, 2 threads:\n")
    table(["", "f32", "f16", "bf16"], rows)


def print_encode(r, best_isa):
    print("## Encoder, BERT-base's shape\n\nMilliseconds (share of the tighter ceiling; 8-bit products may exceed "
          "that of float32).\n")
    for dtype, threads in (("f32", 2), ("f32", 1), ("bf16", 2), ("bfloat16", 2), ("bfloat16", 1), ("int8", 2),
                           ("int8", 1)):
        isas = ("avx512bf16", "avx512vnni", "avx512", "avxvnni", "avx2")
        names = [n + packed for n in isas for packed in ("-packed", "")]
        providers = [p for p in (*names, "openblas")
                     if any(f"/{dtype}/{p}/{threads}" in n for n in r.times)]
        rows = []
        for batch in BATCHES:
            rows.append([batch] + [
                cell(r, f"encode/bert-base/{batch}/{dtype}/{p}/{threads}", p, threads, best_isa) for p in providers])
        print(f"{dtype}, {threads} thread{'s' if threads > 1 else ''}:\n")
        table([""] + providers, rows)


def print_rest(tokenize, process):
    print("## Tokenizer\n")
    table(["", "MB/s", "million tokens/s"],
          [[f"`{n}`", f"{tokenize.counter(n, 'MB/s'):.1f}", f"{tokenize.counter(n, 'Mtokens/s'):.1f}"]
           for n in sorted(tokenize.times) if n.startswith("tokenize/")])
    print("## Processes\n")
    rows = []
    for model in ("builtin", "minilm", "bert-base", "bert-base-int8"):
        start, forward = f"start/{model}", f"forward/{model}"
        if start in process:
            rows.append([model, milliseconds(process.ms(start)), milliseconds(process.counter(start, "cpu_ms")),
                         milliseconds(process.ms(forward)), f"{process.counter(start, 'peak_MiB'):.0f}",
                         f"{process.counter(start, 'file_MiB'):.0f}"])
    table(["start", "whole process, ms", "of it CPU time, ms", "one forward pass, ms", "peak MiB", "file MiB"], rows)
    lines = embed_lines(process)
    table(["", "peak MiB", "lines/s"],
          [[f"`{n}`", f"{process.counter(n, 'peak_MiB'):.1f}", f"{process.counter(n, 'lines/s'):.0f}"] for n in lines])
    second = "memory/second-process/"
    table(["a second process on the same model", "MiB of its own", "MiB shared"],
          [[n.removeprefix(second), f"{process.counter(n, 'private_MiB'):.1f}",
            f"{process.counter(n, 'shared_MiB'):.0f}"] for n in process.times if n.startswith(second)])


def print_targets(gemm, encode, tokenize, process, best_isa):
    rows = []

    def target(what, must, reached, met):
        rows.append([what, must, reached, "yes" if met else "no"])

    for isa in ("avx512", "avx2"):
        for name, must in ((f"gemms/bert-base/1024/f32/{isa}/2", 0.88),):
            if name in gemm:
                share = efficiency(gemm, name, isa, 2, best_isa)
                target(f"products at 8x128, {isa}, 2 threads", f"{percent(must)} of the FMA peak", percent(share),
                       share >= must)
        name = f"encode/bert-base/8x128/f32/{isa}/2"
        if name in encode and isa == best_isa:
            share = efficiency(encode, name, isa, 2, best_isa)
            target(f"end to end 8x128, {isa}, 2 threads", "80 % of the FMA peak", percent(share), share >= 0.8)
    name = f"encode/bert-base/1x8/f32/{best_isa}/2"
    read = encode.best("ceiling/read/2", "GB/s")
    if name in encode and read:
        times = read / encode.counter(name, "GB/s")
        target("end to end 1x8, 2 threads", "1.3 times the weights' bytes / read bandwidth", f"{times:.2f} times",
               times <= 1.3)
    alone, whole = "gemms/bert-base/1024/f32/openblas/2", "encode/bert-base/8x128/f32/openblas/2"
    if alone in encode and whole in encode:
        share = encode.counter(whole, "GFLOP/s") / encode.counter(alone, "GFLOP/s")
        target("end to end 8x128 on OpenBLAS, 2 threads", "85 % of its products alone", percent(share), share >= 0.85)
        own = f"encode/bert-base/8x128/f32/{best_isa}/2"
        if own in encode:
            share = encode.counter(own, "GFLOP/s") / encode.counter(alone, "GFLOP/s")
            target(f"end to end 8x128, {best_isa}, 2 threads", "85 % of OpenBLAS's products alone", percent(share),
                   share >= 0.85)
    pairs = [(n, n.replace(f"/{best_isa}/", "/openblas/"))
             for n in gemm.times if n.startswith("gemm") and f"/{best_isa}/" in n]
    pairs = [(own, other) for own, other in pairs if other in gemm]
    if pairs:
        slower = [own for own, other in pairs if gemm.ms(own) >= gemm.ms(other)]
        target("faster than OpenBLAS in every shape", f"{len(pairs)} of {len(pairs)}", f"{len(pairs) - len(slower)}",
               not slower)
    if "tokenize/english/1" in tokenize:
        speed = tokenize.counter("tokenize/english/1", "MB/s")
        target("tokenizer, English, 1 thread", "20 MB/s", f"{speed:.0f} MB/s", speed >= 20)
    for model, passes, more_ms, more_mb in (("bert-base", 2, 50, 100), ("bert-base-int8", 1, 40, 30)):
        if f"start/{model}" not in process:
            continue
        limit = passes * process.ms(f"forward/{model}") + more_ms
        start = process.ms(f"start/{model}")
        target(f"start, {model}", f"{passes} forward pass{'es' if passes > 1 else ''} + {more_ms} ms = {limit:.0f} ms",
               f"{start:.0f} ms", start <= limit)
        room = process.counter(f"start/{model}", "file_MiB") + more_mb * 1e6 / 2**20
        peak = process.counter(f"start/{model}", "peak_MiB")
        target(f"resident, {model}", f"the file + {more_mb} MB = {room:.0f} MiB", f"{peak:.0f} MiB", peak <= room)
    lines = embed_lines(process)
    if len(lines) == 2:
        more = process.counter(lines[1], "peak_MiB") - process.counter(lines[0], "peak_MiB")
        counts = [n.split("/")[-1] for n in lines]
        target(f"memory of {counts[1]} lines beyond that of {counts[0]}", "20 MB", f"{more * 1.048576:.1f} MB",
               more * 1.048576 <= 20)
    for model, most in (("bert-base", 30), ("bert-base-int8", 10)):
        if f"memory/second-process/{model}" in process:
            own = process.counter(f"memory/second-process/{model}", "private_MiB") * 1.048576
            target(f"a second process's own memory, {model}", f"{most} MB", f"{own:.1f} MB", own <= most)
    print("## Targets\n")
    table(["target", "required", "measured", "met"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, help="folder of gemm.json and the others")
    folder = parser.parse_args().results
    results = {name: Results(folder / f"{name}.json") for name in ("gemm", "encode", "tokenize", "process")}
    if not any(r.times for r in results.values()):
        parser.exit(1, f"report.py: no results in '{folder}'; run tools/bench/run.sh\n")
    share_ceilings(results)
    best_isa = "avx512" if any("/avx512/" in n for r in results.values() for n in r.times) else "avx2"
    print_context(results)
    print_targets(*results.values(), best_isa)
    print_ceilings(results["gemm"])
    print_gemm(results["gemm"], best_isa)
    print_encode(results["encode"], best_isa)
    print_rest(results["tokenize"], results["process"])


if __name__ == "__main__":
    main()
