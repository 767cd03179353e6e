#!/usr/bin/env python3
"""Checks that the server keeps to --memory-limit, for a request of 550 short texts and for mixed requests of clients.

    memory_limit.py PROGRAM SECONDS [MODEL]

MODEL is a directory; the default is the built-in model. Exits with 1 if a request fails, or if the process's anonymous
memory exceeds the limit in one of a hundred samples per second."""

import json
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request

LIMIT = 256  # MiB


def anonymous(process: int) -> float:
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:")) / 1024


def main() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    model = [f"--model=m={sys.argv[3]}"] if len(sys.argv) > 3 else []
    command = [sys.argv[1], "serve", *model, "--listen", address, "--memory-limit", str(LIMIT)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    most, failures, is_over = 0.0, [], threading.Event()

    def watch() -> None:
        nonlocal most
        while not is_over.wait(0.01):
            most = max(most, anonymous(server.pid))

    def embed(texts: list[str]) -> None:
        body = json.dumps({"input": texts, "truncate": True, "encoding_format": "base64"}).encode()
        try:
            with urllib.request.urlopen(f"http://{address}/v1/embeddings", body, timeout=120) as answer:
                if len(json.load(answer)["data"]) != len(texts):
                    failures.append("an answer of another size")
        except OSError as error:
            failures.append(str(error))

    def mixed(end: float, seed: int) -> None:
        dice = random.Random(seed)
        while time.monotonic() < end:
            embed(["river stone " * dice.choice((1, 5, 20, 400)) for _ in range(dice.choice((1, 1, 8, 40)))])

    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://{address}/ready").close()
                break
            except OSError:
                time.sleep(0.1)
        watcher = threading.Thread(target=watch)
        watcher.start()
        embed([f"a short text with the number {i}" for i in range(550)])
        after_one = most
        end = time.monotonic() + float(sys.argv[2])
        clients = [threading.Thread(target=mixed, args=(end, seed)) for seed in range(6)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        is_over.set()
        watcher.join()
    finally:
        server.terminate()
        server.wait()
    if most > LIMIT:
        failures.append("more than the limit")
    print(f"limit {LIMIT} MiB: at most {after_one:.0f} MiB in a request of 550 texts, "
          f"{most:.0f} in mixed ones", *failures,
          sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
