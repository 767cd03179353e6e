"""Tests the command fetch, and serve --fetch, with a hub on localhost: which files are fetched, where they are stored,
how an interrupted fetch continues, and what is sent to which server."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fetch_harness import NAME, PROGRAM, TEXT, FetchCase
from hub_server import Handler, HubServer

WEIGHTS = "model.safetensors"
TOKEN = "hf_secretSECRETsecret"


def skip(test: unittest.TestCase, reason: str) -> None:
    print(f"SKIPPED: {reason}", flush=True)
    test.skipTest(reason)


def make_certificate(test: unittest.TestCase, folder: Path) -> Path:
    """Writes a certificate for 127.0.0.1 and its key into one file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "certificate.pem"
    if shutil.which("openssl") is None:
        skip(test, "no openssl")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file, "-out", folder / "c.pem"],
                   check=True, capture_output=True)
    file.write_bytes(file.read_bytes() + (folder / "c.pem").read_bytes())
    return file


class Tunnel(BaseHTTPRequestHandler):
    """Starts a proxy that answers GET for full addresses, and CONNECT."""

    seen: list[tuple[str, str, str]]

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.append(("GET", self.path, self.headers.get("Authorization", "")))
        host, _, path = self.path.removeprefix("http://").partition("/")
        with socket.create_connection((host.split(":")[0], int(host.split(":")[1]))) as upstream:
            lines = [f"GET /{path} HTTP/1.0"] + [f"{n}: {v}" for n, v in self.headers.items() if n != "Connection"]
            upstream.sendall(("\r\n".join([*lines, "Connection: close"]) + "\r\n\r\n").encode())
            while data := upstream.recv(65536):
                self.wfile.write(data)
        self.close_connection = True

    def do_CONNECT(self) -> None:
        self.seen.append(("CONNECT", self.path, self.headers.get("Authorization", "")))
        host, port = self.path.split(":")
        with socket.create_connection((host, int(port))) as upstream:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")

            def copy(source: socket.socket, target: socket.socket) -> None:
                try:
                    while data := source.recv(65536):
                        target.sendall(data)
                    target.shutdown(socket.SHUT_WR)
                except OSError:
                    pass

            back = threading.Thread(target=copy, args=(upstream, self.connection))
            back.start()
            copy(self.connection, upstream)
            back.join()
        self.close_connection = True


class Fetch(FetchCase):
    def proxy(self) -> tuple[str, list[tuple[str, str, str]]]:
        seen: list[tuple[str, str, str]] = []
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("ThisTunnel", (Tunnel,), {"seen": seen}))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}", seen

    def test_fetches_what_a_model_is_loaded_from_and_nothing_else(self) -> None:
        done = self.fetch(NAME)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.snapshot}\n"), done.stderr)
        self.assertEqual(self.fetched_files(), set(self.model))
        notes = done.stderr.splitlines()
        self.assertEqual(len(notes), len(self.model) + 1)
        self.assertRegex(notes[0], r"^bert-infer: note: fetched '[^']+', [\d.]+ (bytes|KB|MB)$")
        self.assertIn(f"'org/tiny', commit {self.hub.commit}: {len(self.model)} of {len(self.model)} files", notes[-1])
        self.expect_whole()

    def test_keeps_it_as_the_hubs_own_tool_does(self) -> None:
        self.fetch()
        self.assertEqual((self.folder() / "refs" / "main").read_text(), self.hub.commit)
        for path, content in self.model.items():
            link = self.snapshot / path
            self.assertTrue(link.is_symlink(), path)
            self.assertEqual(os.readlink(link), "../" * (2 + path.count("/")) + "blobs/" + self.digest(path))
            self.assertEqual(link.read_bytes(), content)
        self.assertEqual({path.name for path in self.folder().iterdir()}, {"blobs", "refs", "snapshots"})
        self.assertEqual({path.name for path in (self.folder() / "blobs").iterdir()}, set(map(self.digest, self.model)))

    def test_the_hubs_own_tool_reads_what_it_wrote(self) -> None:
        try:
            from huggingface_hub import scan_cache_dir, snapshot_download
        except ImportError:
            skip(self, "no huggingface_hub")
        self.fetch()
        self.assertEqual(snapshot_download(NAME, cache_dir=self.cache, local_files_only=True), str(self.snapshot))
        found = scan_cache_dir(self.cache)
        self.assertEqual((len(found.repos), found.warnings), (1, []))

    def test_a_second_fetch_takes_nothing_twice(self) -> None:
        self.fetch()
        self.hub.requests.clear()
        done = self.fetch(NAME)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1), done.stderr)
        self.assertIn(f"0 of {len(self.model)} files fetched", done.stderr)
        self.assertFalse([path for _, path, _ in self.hub.requests if "/api/" not in path])

    def test_verify_names_what_is_spoiled_and_fetches_it_anew(self) -> None:
        self.fetch()
        weights = self.folder() / "blobs" / self.digest(WEIGHTS)
        content = weights.read_bytes()
        weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        self.assertIn(f"0 of {len(self.model)} files fetched", self.fetch(NAME).stderr)
        done = self.fetch("--verify", NAME)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"'{WEIGHTS}': the SHA-256 of '{weights}' is ", done.stderr)
        self.assertRegex(done.stderr, rf"1 of {len(self.model)} files fetched, .*, {len(self.model) - 1} verified\n")
        self.assertEqual(weights.read_bytes(), content)
        self.expect_whole()

    def test_a_new_commit_takes_only_what_changed(self) -> None:
        self.fetch()
        first = self.snapshot
        self.hub.models[NAME]["vocab.txt"] = self.hub.models[NAME]["vocab.txt"] + b"more\n"
        self.hub.revisions["main"] = "b" * 40
        done = self.fetch(NAME)
        self.assertIn(f"1 of {len(self.model)} files fetched", done.stderr)
        self.assertEqual((self.folder() / "refs" / "main").read_text(), "b" * 40)
        self.assertTrue((self.snapshot / "vocab.txt").read_bytes().endswith(b"more\n"))
        self.assertFalse((first / "vocab.txt").read_bytes().endswith(b"more\n"))

    def test_a_snapshot_that_another_tool_began_gets_what_it_lacks(self) -> None:
        self.fetch()
        (self.snapshot / WEIGHTS).unlink()
        (self.snapshot / "vocab.txt").unlink()
        (self.snapshot / "vocab.txt").symlink_to("nowhere")
        self.assertEqual(self.fetch().returncode, 0)
        self.expect_whole()

    def test_revisions_are_pinned_under_their_names(self) -> None:
        for revision in ("v1.0", "refs/pr/1"):
            self.assertEqual(self.fetch("--quiet", "--revision", revision, NAME).returncode, 0)
            self.assertEqual((self.folder() / "refs" / revision).read_text(), self.hub.commit)
            done = self.run_program("embed", "--model", NAME, "--revision", revision, TEXT)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/revision/refs%2Fpr%2F1", " ".join(path for _, path, _ in self.hub.requests))

    def test_the_next_page_may_be_at_another_address(self) -> None:
        """A mirror's link to the next page may have the address of the mirrored hub."""
        name = self.hub.endpoint.replace("127.0.0.1", "localhost")
        done = self.fetch(HF_ENDPOINT=name, HF_TOKEN=TOKEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_whole()
        pages = [headers for _, path, headers in self.hub.requests if "cursor=" in path]
        self.assertTrue(pages)
        self.assertFalse([headers for headers in pages if "Authorization" in headers])

    def test_a_commit_needs_no_name(self) -> None:
        self.assertEqual(self.fetch("--quiet", "--revision", self.hub.commit, NAME).returncode, 0)
        self.assertEqual(list((self.folder() / "refs").iterdir()), [])
        done = self.run_program("embed", "--model", NAME, "--revision", self.hub.commit, TEXT)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_name_without_an_organisation_is_completed(self) -> None:
        self.hub.models["sentence-transformers/tiny"] = self.hub.models[NAME]
        self.assertEqual(self.fetch("--quiet", "tiny").returncode, 0)
        self.assertEqual(self.vector("tiny"), self.vector(str(self.directory)))
        self.expect_error(self.fetch("--quiet", "absent"), "'absent'", "nor is there 'sentence-transformers/absent'")

    def test_several_names(self) -> None:
        self.hub.models["org/second"] = self.hub.models[NAME]
        done = self.fetch("--quiet", NAME, "org/second")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2), done.stderr)

    def test_names_and_revisions_that_are_none_are_refused_before_any_request(self) -> None:
        for name in ("../x", "/etc/passwd", "org/../x", "a/b/c", ".hidden", "org/", "a b", "a\nb", "a?b", "-x/y",
                     "org//x"):
            with self.subTest(name):
                self.expect_error(self.fetch("--quiet", "--", name), "expected a model's name on the hub")
        for revision in ("../main", "/x", "a//b", "", "a b"):
            with self.subTest(revision):
                self.expect_error(self.fetch("--quiet", "--revision", revision, NAME), "revision")
        self.assertEqual(self.hub.requests, [])
        self.assertEqual(self.fetch("--quiet").returncode, 2)

    def test_shards_and_the_modules_of_a_router(self) -> None:
        types = {"query_0_Encoder": "sentence_transformers.models.Transformer"}
        model = {
            "config.json": b"{}", "modules.json": b'[{"path": "0_Router"}, {"path": "1_Dense"}, {}]',
            "0_Router/router_config.json": json.dumps({"types": types}).encode(),
            "0_Router/query_0_Encoder/config.json": b"{}", "0_Router/query_0_Encoder/vocab.txt": b"a\n",
            "0_Router/query_0_Encoder/model.safetensors": b"query", "0_Router/other/config.json": b"no",
            "1_Dense/config.json": b"{}", "1_Dense/model.safetensors": b"dense", "1_Dense/pytorch_model.bin": b"no",
            "model.safetensors.index.json": b'{"weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}}',
            "m-1.safetensors": b"first", "m-2.safetensors": b"second", "m-3.safetensors": b"no",
            "labels_tokenizer/tokenizer.json": b"{}", "encoder_config/config.json": b"{}", "adapter_config.json": b"{}",
            "sentence_xlnet_config.json": b"", "onnx/config.json": b"no", "training_args.bin": b"no",
            "eval/results.txt": b"no",
        }
        self.hub.models[NAME] = model
        done = self.fetch()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.fetched_files(), {path for path, content in model.items() if content != b"no"})

    def test_weights_to_convert_are_fetched_where_there_are_no_others(self) -> None:
        for weights in ("pytorch_model.bin", "onnx/model.onnx"):
            with self.subTest(weights):
                self.new_cache()
                self.hub.models[NAME] = {"config.json": b"{}", weights: b"torch"}
                done = self.fetch(NAME)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"'{weights}' of 'org/tiny' is not read as it is; convert it by: python3 "
                              "tools/convert_weights.py", done.stderr)
                self.assertEqual(self.fetched_files(), {"config.json", weights})

    def test_a_terminal_gets_a_progress_bar_in_place_of_lines(self) -> None:
        def in_two_parts(handler: Handler, kind: str, _: str) -> bool:
            if kind == "storage":
                body = self.model[WEIGHTS]
                half = len(body) // 2
                handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:half])
                handler.wfile.flush()
                time.sleep(0.3)  # longer than the interval of the progress bar
                handler.wfile.write(body[half:])
            return kind == "storage"

        self.hub.fault = in_two_parts
        for more in ([], ["--quiet"]):
            self.new_cache()
            ours, theirs = os.openpty()
            with subprocess.Popen([PROGRAM, "fetch", *more, NAME], env=self.environment(), stdout=subprocess.DEVNULL,
                                  stderr=theirs) as process:
                os.close(theirs)
                seen = b""
                try:
                    while data := os.read(ours, 65536):
                        seen += data
                except OSError:
                    pass  # the program has ended
            os.close(ours)
            self.assertEqual(process.returncode, 0, seen)
            self.assertNotIn(b"fetched 'config.json'", seen)
            if more:
                self.assertEqual(seen, b"")
            else:
                self.assertRegex(seen.decode(), r"\d+% \[#+\.+\] model\.safetensors, [\d.]+ KB of [\d.]+ KB")
                self.assertIn(b" files fetched, ", seen)

    def test_an_empty_file_and_odd_names_are_fetched(self) -> None:
        self.hub.models[NAME]["merges.txt"] = b""
        self.hub.models[NAME]["a strange näme (1).txt"] = b"x"
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual((self.snapshot / "merges.txt").read_bytes(), b"")


class Resuming(FetchCase):
    def cut(self, count: int) -> None:
        def fault(handler: Handler, kind: str, _: str) -> bool:
            if kind == "storage":
                body = self.model[WEIGHTS][handler.begin():]
                handler.raw(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nContent-Range: bytes %d-%d/%d\r\n\r\n" % (
                    206 if handler.begin() else 200, len(body), handler.begin(), len(self.model[WEIGHTS]) - 1,
                    len(self.model[WEIGHTS])) + body[:count])
            return kind == "storage"
        self.hub.fault = fault

    def ranges(self) -> list[str]:
        return [headers.get("Range", "") for port, _, headers in self.hub.requests if port == self.hub.storage_port]

    def begin(self, count: int = 1000) -> None:
        """Interrupts a fetch, which leaves the first bytes of the weights."""
        self.cut(count)
        self.assertEqual(self.fetch().returncode, 1)
        self.assertEqual(self.incomplete().stat().st_size, count)
        self.hub.fault = None
        self.hub.requests.clear()

    def test_the_next_fetch_asks_for_what_is_missing(self) -> None:
        self.begin()
        done = self.fetch(NAME)
        self.assertEqual((done.returncode, self.ranges()), (0, ["bytes=1000-"]), done.stderr)
        self.assertFalse(self.incomplete().exists())
        self.expect_whole()

    def test_so_does_the_next_try_of_the_same_fetch(self) -> None:
        self.cut(len(self.model[WEIGHTS]) // 3 + 1)
        done = self.fetch("--tries", "4", NAME)
        self.assertEqual((done.returncode, len(self.ranges())), (0, 3), done.stderr)
        self.expect_whole()

    def test_a_server_without_ranges_gives_all_again(self) -> None:
        self.begin()
        self.hub.has_ranges = False
        self.assertEqual(self.fetch().returncode, 0)
        self.expect_whole()

    def test_a_server_without_ranges_that_always_breaks_off_is_given_up(self) -> None:
        """Each connection sends the same first 2 MiB, which is no progress."""
        self.hub.models[NAME][WEIGHTS] = b"x" * (5 << 20)

        def breaks_off(handler: Handler, kind: str, path: str) -> bool:
            if kind == "storage":
                handler.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (5 << 20) + b"x" * (2 << 20))
            return kind == "storage"

        self.hub.fault = breaks_off
        self.expect_error(self.fetch("--quiet", "--tries", "3", NAME), "gave up after 3 tries")

    def test_a_server_without_ranges_that_goes_a_little_further_each_time_is_given_up(self) -> None:
        self.hub.models[NAME][WEIGHTS] = b"x" * (20 << 20)
        reached = [0]

        def breaks_off_later(handler: Handler, kind: str, path: str) -> bool:
            if kind == "storage":
                reached[0] += 1 << 20
                handler.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (20 << 20) + b"x" * reached[0])
            return kind == "storage"

        self.hub.fault = breaks_off_later
        self.expect_error(self.fetch("--quiet", "--tries", "2", NAME), "as the server breaks off and begins again")

    def test_another_range_than_that_asked_for_is_an_error(self) -> None:
        size = len(self.model[WEIGHTS])
        for found in (f"bytes 999-{size - 1}/{size}", f"bytes 1000-{size - 2}/{size}",
                      f"bytes 1000-{size - 1}/{size + 1}", f"bytes 1000-{size - 1}/*", ""):
            with self.subTest(found):
                self.new_cache()
                self.begin()

                def fault(handler: Handler, kind: str, _: str) -> bool:
                    if kind == "storage":
                        handler.answer(206, self.model[WEIGHTS][1000:], Content_Range=found)
                    return kind == "storage"

                self.hub.fault = fault
                self.expect_error(self.fetch(), f"found the range '{found}', expected bytes 1000-{size - 1}/{size}")
                self.expect_nothing_to_load()
                self.hub.fault = None
                self.assertEqual(self.fetch().returncode, 0)
                self.expect_whole()

    def test_spoiled_bytes_of_an_earlier_fetch_are_fetched_anew(self) -> None:
        self.begin()
        self.incomplete().write_bytes(b"x" * 1000)
        done = self.fetch(NAME)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the bytes of an earlier try are not the file's; it is fetched anew", done.stderr)
        self.expect_whole()

    def test_more_bytes_than_the_file_has_are_dropped(self) -> None:
        self.begin()
        self.incomplete().write_bytes(b"x" * (len(self.model[WEIGHTS]) + 1))
        self.assertEqual(self.fetch().returncode, 0)
        self.expect_whole()

    def test_a_link_in_the_place_of_the_unfinished_file_is_not_followed(self) -> None:
        self.begin()
        target = self.cache.parent / "target"
        target.write_bytes(b"mine")
        self.incomplete().unlink()
        self.incomplete().symlink_to(target)
        self.expect_error(self.fetch(), "cannot open")
        self.assertEqual(target.read_bytes(), b"mine")

    def test_a_fetch_that_is_killed_goes_on(self) -> None:
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.new_cache()
                begun, ended = threading.Event(), threading.Event()

                def fault(handler: Handler, kind: str, _: str) -> bool:
                    if kind == "storage":
                        body = self.model[WEIGHTS]
                        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:2000])
                        handler.wfile.flush()
                        begun.set()
                        ended.wait(30)
                        handler.close()
                    return kind == "storage"

                self.hub.fault = fault
                process = subprocess.Popen([PROGRAM, "fetch", "--quiet", NAME], env=self.environment(),
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                self.assertTrue(begun.wait(30))
                end = time.monotonic() + 30
                while not (self.incomplete().exists() and self.incomplete().stat().st_size == 2000):
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                process.send_signal(number)
                _, said = process.communicate(timeout=30)
                ended.set()
                self.assertEqual(process.returncode, -number)
                self.assertEqual(said.count("\n"), 0 if number == signal.SIGKILL else 1)
                self.expect_nothing_to_load()
                self.hub.fault = None
                self.hub.requests.clear()
                self.assertEqual(self.fetch().returncode, 0)
                self.assertEqual(self.ranges(), ["bytes=2000-"])
                self.expect_whole()


class Environment(FetchCase):
    def sent(self) -> dict[int, set[str]]:
        """Returns, for each port, the values of Authorization that were sent to it."""
        ports: dict[int, set[str]] = {}
        for port, _, headers in self.hub.requests:
            ports.setdefault(port, set()).add(headers.get("Authorization", ""))
        return ports

    def test_the_token_goes_to_the_hub_alone(self) -> None:
        file = self.cache.parent / "token"
        file.write_text(TOKEN + "\n")
        home = self.cache.parent / ".cache" / "huggingface"
        home.mkdir(parents=True)
        (home / "token").write_text(TOKEN)
        for variables in ({"HF_TOKEN": TOKEN}, {"HF_TOKEN_PATH": str(file)}, {},
                          {"HF_HOME": str(home), "HOME": "/nonexistent"}):
            with self.subTest(variables):
                shutil.rmtree(self.cache, ignore_errors=True)
                self.hub.requests.clear()
                done = self.fetch(NAME, **variables)
                self.assertEqual(done.returncode, 0, done.stderr)
                sent = self.sent()
                self.assertEqual(sent.pop(self.hub.storage_port), {""})
                self.assertEqual(list(sent.values()), [{f"Bearer {TOKEN}"}])
                self.assertNotIn(TOKEN, done.stdout + done.stderr)

    def test_a_token_is_not_shown_in_an_error(self) -> None:
        self.hub.fault = lambda handler, *_: handler.answer(403) is None
        done = self.fetch(HF_TOKEN=TOKEN)
        self.expect_error(done, "give a token that may read it")
        self.assertNotIn(TOKEN, done.stderr)
        self.expect_error(self.fetch(HF_TOKEN="two words"), "the token of HF_TOKEN has a character")

    def test_a_token_does_not_go_over_http_to_another_machine(self) -> None:
        for endpoint in ("http://hub.invalid", "http://127.0.0.1.invalid", "http://localhost.invalid:80/x"):
            self.expect_error(self.fetch(HF_TOKEN=TOKEN, HF_ENDPOINT=endpoint), "is not sent to", "expected https")
        for endpoint in ("hub.invalid", "ftp://hub.invalid", "http://user@127.0.0.1", "http://", "http://a b"):
            self.expect_error(self.fetch(HF_ENDPOINT=endpoint), "HF_ENDPOINT", "expected an address")

    def test_other_variables_that_are_wrong_are_refused(self) -> None:
        for value in ("0", "-1", "x", "1e3"):
            self.expect_error(self.fetch(HF_HUB_DOWNLOAD_TIMEOUT=value), "HF_HUB_DOWNLOAD_TIMEOUT")
        self.expect_error(self.fetch(HF_HUB_CACHE="", HOME=""), "no cache to fetch into")

    def test_offline_it_opens_no_connection(self) -> None:
        self.expect_error(self.fetch(HF_HUB_OFFLINE="1"), "HF_HUB_OFFLINE is set")
        self.assertEqual(self.hub.requests, [])

    def test_no_other_command_opens_a_connection(self) -> None:
        for command in (["embed", "--model", NAME, TEXT], ["inspect", "--model", NAME],
                        ["tokenize", "--model", NAME, "a"],
                        ["serve", "--model", NAME, "--listen", "127.0.0.1:0"]):
            done = self.run_program(*command)
            self.assertEqual(done.returncode, 1)
            self.assertIn("bert-infer fetch org/tiny", done.stderr)
        self.assertEqual(self.hub.requests, [])

    def test_a_host_that_is_not_there(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
            self.expect_error(self.fetch(HF_ENDPOINT=endpoint), endpoint, "gave up after 1 try")
        self.expect_error(self.fetch(HF_ENDPOINT="http://no-such-host.invalid"), "no-such-host.invalid")

    def test_a_proxy_gets_all_requests_but_those_of_no_proxy(self) -> None:
        proxy, seen = Fetch.proxy(self)  # type: ignore[arg-type]
        self.assertEqual(self.fetch(http_proxy=proxy).returncode, 0)
        self.assertEqual(len(seen), len(self.hub.requests))
        self.assertTrue(all(path.startswith("http://127.0.0.1:") for _, path, _ in seen))
        self.expect_whole()
        self.new_cache()
        seen.clear()
        self.assertEqual(self.fetch(http_proxy=proxy, NO_PROXY="127.0.0.1").returncode, 0)
        self.assertEqual(seen, [])
        self.expect_error(self.fetch(http_proxy="http://127.0.0.1:1"), "gave up after 1 try")

    def test_a_proxy_gets_no_token_in_clear(self) -> None:
        proxy, seen = Fetch.proxy(self)  # type: ignore[arg-type]
        done = self.fetch(http_proxy=proxy, all_proxy=proxy, HF_TOKEN=TOKEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({authorization for _, _, authorization in seen} - {""}, set())
        self.expect_whole()

    def test_https_with_a_certificate_that_is_trusted_and_by_a_proxy(self) -> None:
        certificate = make_certificate(self, self.cache.parent)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        plain, self.hub = self.hub, HubServer(context)
        self.addCleanup(self.hub.close)
        self.hub.models = plain.models
        self.expect_error(self.fetch(), "https://127.0.0.1", "certificate", "SSL_CERT_FILE")
        self.expect_error(self.fetch(SSL_CERT_FILE="/nonexistent"), "SSL_CERT_FILE")
        proxy, seen = Fetch.proxy(self)  # type: ignore[arg-type]
        done = self.fetch(SSL_CERT_FILE=str(certificate), HTTPS_PROXY=proxy, HF_TOKEN=TOKEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({kind for kind, _, _ in seen}, {"CONNECT"})
        self.assertEqual({authorization for _, _, authorization in seen}, {""})
        self.expect_whole()
        # A redirect from https to http is refused.
        self.new_cache()
        self.hub.storage_address = plain.storage_address
        self.expect_error(self.fetch(SSL_CERT_FILE=str(certificate)), "expected https, as the address before it")
        self.expect_nothing_to_load()

    def test_without_the_library_it_says_what_to_install(self) -> None:
        listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
        files = [line.split(" => ")[1] for line in listed.splitlines() if "libcurl.so.4" in line]
        can_mount = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0
        if not files or not can_mount:
            skip(self, "no libcurl to hide, or no namespaces here")
        hide = "".join(f"mount --bind /dev/null {os.path.realpath(file)} && " for file in files)
        done = subprocess.run(["unshare", "--mount", "sh", "-c", f'{hide} exec "$0" fetch {NAME}', PROGRAM],
                              env=self.environment(), capture_output=True, text=True, check=False)
        self.expect_error(done, "fetch needs libcurl: ", "apt install libcurl4", "hf download NAME")
        listed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("curl", listed)


class Disk(FetchCase):
    def mounted(self, options: str, command: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Runs the shell's command in its own mount namespace, with a tmpfs in the cache's place."""
        self.cache.mkdir(exist_ok=True)
        script = f'mount -t tmpfs -o {options} tmpfs "$HF_HUB_CACHE" && {command}'
        done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            skip(self, f"no namespaces here: {done.stderr.strip()[:200]}")
        return subprocess.run(["unshare", "--mount", "sh", "-c", script, PROGRAM, *arguments], env=self.environment(),
                              capture_output=True, text=True, check=False)

    def test_a_disk_that_is_too_small_is_told_before_the_weights_come(self) -> None:
        kibibytes = len(self.model[WEIGHTS]) // 1024 // 2
        done = self.mounted(f"size={kibibytes}k", f'"$0" fetch --quiet {NAME}')
        self.expect_error(done, "bytes free, expected")
        self.assertNotIn(self.hub.storage_port, [port for port, _, _ in self.hub.requests])

    def test_a_disk_that_fills_up_meanwhile_is_told_and_the_fetch_goes_on_later(self) -> None:
        kibibytes = 2 * len(self.model[WEIGHTS]) // 1024 + 400
        fill, free = (self.cache.parent / name for name in ("fill", "free"))
        os.mkfifo(fill)
        os.mkfifo(free)

        def fault(_: Handler, kind: str, __: str) -> bool:
            if kind == "storage" and fill.exists():  # the check for room is done when the list is known
                fill.write_text("x")
                free.read_text()
                fill.unlink()
            return False

        self.hub.fault = fault
        script = (f'(cat "$1" >/dev/null; head -c 99M /dev/zero >"$HF_HUB_CACHE/other" 2>/dev/null; echo x >"$2") & '
                  f'"$0" fetch --quiet {NAME}; echo "status $?"; wait; rm "$HF_HUB_CACHE/other"; '
                  f'"$0" fetch --quiet {NAME} >/dev/null && "$0" embed --model {NAME} a')
        done = self.mounted(f"size={kibibytes}k", script, str(fill), str(free))
        self.assertTrue(done.stdout.startswith("status 1\n"), done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"\Abert-infer: error: cannot write '[^']+incomplete': No space left[^\n]*\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_cache_that_may_only_be_read(self) -> None:
        self.expect_error(self.mounted("ro,size=1m", f'"$0" fetch --quiet {NAME}'), "cannot create", "Read-only")

    def test_two_fetches_of_one_model_take_it_once(self) -> None:
        asked, second_waits = threading.Event(), threading.Event()

        def fault(_: Handler, kind: str, __: str) -> bool:
            if kind == "storage":
                asked.set()
                second_waits.wait(60)
            return False

        def start() -> "subprocess.Popen[str]":
            return subprocess.Popen([PROGRAM, "fetch", NAME], env=self.environment(), stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)

        self.hub.fault = fault
        first = start()
        self.assertTrue(asked.wait(60))
        second = start()
        assert second.stderr is not None
        self.assertEqual(second.stderr.readline(),
                         "bert-infer: note: 'org/tiny': another process fetches it; waiting\n")
        second_waits.set()
        for process in (first, second):
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, f"{self.snapshot}\n"), err)
        self.assertEqual(sum(port == self.hub.storage_port for port, _, _ in self.hub.requests), 1)
        self.expect_whole()


class Serving(FetchCase):
    def test_serve_fetches_models_that_are_not_there(self) -> None:
        for expected in (True, False):  # at the second start the files are in the cache
            self.hub.requests.clear()
            process = subprocess.Popen([PROGRAM, "serve", "--fetch", "--model", f"m={NAME}", "--listen", "127.0.0.1:0"],
                                       env=self.environment(), stderr=subprocess.PIPE, text=True)
            assert process.stderr is not None
            address = ""
            lines: list[str] = []
            while not address and (line := process.stderr.readline()):
                lines.append(line)
                if found := re.search(r"listening at (\S+)", line):
                    address = found[1]
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.assertTrue(address, lines)
            self.assertEqual(bool(self.hub.requests), expected)
            self.expect_whole()

    def test_serve_ends_if_a_model_cannot_be_fetched(self) -> None:
        done = self.run_program("serve", "--fetch", "--model", "org/absent", "--listen", "127.0.0.1:0")
        self.expect_error(done, "'org/absent'", "there is no such model")


if __name__ == "__main__":
    unittest.main()
