#!/usr/bin/env python3
"""Tests clients that disconnect, flood, send garbage and read slowly, beside one that must get its answers:

    hostile_clients.py PROGRAM SECONDS [SEED]

Starts PROGRAM's server with the built-in model. Exits with 1 if it ends, answers the good client wrongly or in more
than 10 seconds, keeps connections or texts afterwards, or gains more than 64 MiB of memory in the second half."""

import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TEXT = "a text that is embedded "


def request(path: str, body: bytes, more: str = "") -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def connect(path: str, timeout: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(timeout)
    connection.connect(path)
    return connection


def ask(path: str, sent: bytes) -> tuple[int, bytes]:
    with connect(path, 10) as connection:
        connection.sendall(sent)
        received = b""
        while b"\r\n\r\n" not in received:
            more = connection.recv(65536)
            if not more:
                raise ConnectionError("closed before an answer")
            received += more
        head, body = received.split(b"\r\n\r\n", 1)
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        while len(body) < length:
            body += connection.recv(65536)
        return int(head.split()[1]), body


def attack(path: str, dice: random.Random) -> None:
    texts = json.dumps({"inputs": [TEXT * dice.randrange(1, 60) for _ in range(dice.randrange(1, 200))]}).encode()
    with connect(path, 0.5) as connection:
        match dice.randrange(8):
            case 0:  # closes before the answer
                connection.sendall(request("/embed", texts))
            case 1:  # closes within the body
                connection.sendall(request("/embed", texts)[: dice.randrange(1, len(texts))])
            case 2:  # sends garbage
                connection.sendall(dice.randbytes(dice.randrange(1, 5000)))
                connection.recv(1000)
            case 3:  # sends a request with changed bytes
                sent = bytearray(request("/v1/embeddings", b'{"input": ["a", "b"], "encoding_format": "base64"}'))
                for _ in range(dice.randrange(1, 6)):
                    sent[dice.randrange(len(sent))] = dice.randrange(256)
                connection.sendall(sent)
                connection.recv(1000)
            case 4:  # sends many requests at once and reads few answers
                connection.sendall(request("/embed", b'{"inputs": "a"}') * dice.randrange(2, 100))
                connection.recv(1000)
            case 5:  # does not read a large answer
                connection.sendall(request("/embed_all", texts))
                time.sleep(dice.random())
            case 6:  # sends single bytes
                for byte in request("/embed", b'{"inputs": "a"}')[: dice.randrange(40)]:
                    connection.sendall(bytes([byte]))
                    time.sleep(0.01)
            case 7:  # sends contradicting heads and lengths, and chunks
                fields = ["Transfer-Encoding: chunked", "Content-Length: 5", "Content-Length: -1",
                          "Expect: 100-continue", "Content-Encoding: gzip", "x: " + "y" * dice.randrange(20000),
                          "Connection: upgrade"]
                head = "\r\n".join(dice.sample(fields, dice.randrange(len(fields))))
                connection.sendall(request("/embed", b"5\r\nhello\r\nffffffffffffffffff\r\n", head + "\r\n"))
                connection.recv(1000)


def attack_until(end: float, path: str, seed: int) -> None:
    dice = random.Random(seed)
    while time.monotonic() < end:
        try:
            attack(path, dice)
        except OSError:
            pass


def metric(path: str, name: str) -> float:
    lines = ask(path, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")[1].decode().splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(name))


def main() -> int:
    program, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "server")
        with open(Path(folder) / "log", "w+") as log:
            command = [program, "serve", "--listen", f"unix:{path}", "--queue-texts", "4096"]
            server = subprocess.Popen(command, stderr=log)
            try:
                return watch(server, path, seconds, seed)
            finally:
                server.terminate()
                server.wait()


def watch(server: subprocess.Popen, path: str, seconds: float, seed: int) -> int:
    good = request("/embed", json.dumps({"inputs": TEXT}).encode())
    while server.poll() is None:
        try:
            status, expected = ask(path, good)
            if status == 200:
                break
        except OSError:
            time.sleep(0.05)
    begin = time.monotonic()
    attackers = [threading.Thread(target=attack_until, args=(begin + seconds, path, seed + i)) for i in range(12)]
    for attacker in attackers:
        attacker.start()
    problems, answers, refused, slowest, middle, most = [], 0, 0, 0.0, 0.0, 0.0
    while time.monotonic() < begin + seconds and not problems:
        asked = time.monotonic()
        try:
            status, body = ask(path, good)
        except OSError as error:
            problems.append(f"no answer: {error}")
            break
        slowest = max(slowest, time.monotonic() - asked)
        answers, refused = answers + (status == 200), refused + (status == 429)
        if status not in (200, 429) or status == 200 and body != expected:
            problems.append(f"another answer: {status} {body[:200]!r}")
        memory = metric(path, 'bert_memory_bytes{kind="anonymous"}') / 2**20
        if time.monotonic() < begin + seconds / 2:
            middle = max(middle, memory)
        most = max(most, memory)
    for attacker in attackers:
        attacker.join()
    if most > middle + 64:
        problems.append(f"memory grew from {middle:.0f} to {most:.0f} MiB")
    for _ in range(300):  # until abandoned texts are dropped and sockets are closed
        left = metric(path, "te_queue_size"), metric(path, "bert_connections")
        if left <= (0, 1):
            break
        time.sleep(0.1)
    else:
        problems.append(f"{left[0]:.0f} texts and {left[1]:.0f} connections are left")
    if server.poll() is not None:
        problems.append(f"the server ended with {server.returncode}")
    print(f"seed {seed}: {answers} answers and {refused} refusals of the good client, the slowest after "
          f"{slowest:.2f} s; at most {most:.0f} MiB", *problems, sep="\n")
    return 1 if problems or answers == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
