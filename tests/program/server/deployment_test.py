"""Checks the manifests of packaging/. Tools that read them must accept them. The program must accept their command
lines and require their key. A check whose tool is missing is skipped with a message."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
PACKAGING = REPOSITORY / "packaging"
PROGRAM = os.environ.get("BERT_INFER_PROGRAM", str(REPOSITORY / "build" / "bert-infer"))
WRITE_TINY_MODELS = os.environ["BERT_TINY_MODELS"]
KEY = "0123456789abcdef"

try:
    import yaml
except ImportError:
    yaml = None


def skip(test: unittest.TestCase, reason: str) -> None:
    print(f"SKIPPED: {reason}", flush=True)
    test.skipTest(reason)


def documents(text: str) -> dict[str, Any]:
    """Returns the documents by their kinds."""
    return {str(document["kind"]): document for document in yaml.safe_load_all(text)}


class Deployment(unittest.TestCase):
    def setUp(self) -> None:
        if yaml is None:
            skip(self, "no yaml for Python")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compose(self) -> Any:
        return yaml.safe_load((PACKAGING / "docker" / "compose.yaml").read_text())

    def expect_key_is_needed(self, arguments: list[str], listen: str) -> None:
        """Expects that the program serves at `listen`, whose port is replaced by a free one, and requires the key."""
        subprocess.run([WRITE_TINY_MODELS, str(self.folder)], check=True)
        keys = self.folder / "api-keys"
        keys.write_text(KEY + "\n")
        places = {"m=/models/m": f"m={self.folder / 'embedder'}", "/run/secrets/api-keys": str(keys),
                  "/keys/api-keys": str(keys), listen: "127.0.0.1:0", "0.0.0.0:9000": "127.0.0.1:0"}
        command = [PROGRAM, "serve", *(places.get(argument, argument) for argument in arguments)]
        self.assertFalse([word for word in command if word.startswith(("/models", "/keys", "/run"))], command)
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, contextlib.ExitStack() as at_end:
            at_end.callback(server.kill)  # otherwise a failure waits for the server
            assert server.stderr is not None
            address = ""
            while not address and (line := server.stderr.readline()):
                found = re.search(r"listening at (127\.0\.0\.1:\d+)", line)
                address = found[1] if found else ""
            self.assertTrue(address, "the server did not start")
            self.wait_until_ready(address)
            self.assertEqual(self.status(address), 401)
            self.assertEqual(self.status(address, "Bearer wrong"), 401)
            self.assertEqual(self.status(address, f"Bearer {KEY}"), 200)
            server.terminate()
            server.communicate(timeout=60)

    def wait_until_ready(self, address: str) -> None:
        end = time.monotonic() + 60
        while subprocess.run([PROGRAM, "serve", "--check", address], capture_output=True, check=False).returncode != 0:
            self.assertLess(time.monotonic(), end)

    def status(self, address: str, authorization: str = "") -> int:
        request = urllib.request.Request(f"http://{address}/v1/embeddings", json.dumps({"input": "a"}).encode())
        if authorization:
            request.add_header("Authorization", authorization)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def test_the_server_of_the_compose_file_starts_and_needs_the_key(self) -> None:
        service = self.compose()["services"]["bert-infer"]
        self.assertEqual(service["entrypoint"][:2], ["/bert-infer", "serve"])
        self.assertEqual(service["secrets"], ["api-keys"])
        self.expect_key_is_needed(service["entrypoint"][2:] + service["command"], "127.0.0.1:8080")

    def test_only_the_proxy_of_the_compose_file_reaches_the_server(self) -> None:
        services = self.compose()["services"]
        self.assertEqual(services["bert-infer"]["ports"], ["443:443"])
        self.assertIn("127.0.0.1:8080", services["bert-infer"]["entrypoint"])
        self.assertEqual(services["proxy"]["network_mode"], "service:bert-infer")
        configuration = (PACKAGING / "nginx" / "bert-infer.conf").read_text()
        self.assertIn("server 127.0.0.1:8080;", configuration)
        mounted = dict(volume.split(":")[:2] for volume in services["proxy"]["volumes"])
        self.assertTrue((PACKAGING / "docker" / "../nginx/bert-infer.conf").exists())
        self.assertEqual(mounted["../nginx/bert-infer.conf"], "/etc/nginx/conf.d/default.conf")
        for file in re.findall(r"ssl_certificate(?:_key)? ([^;]+);", configuration):
            self.assertIn(file, mounted.values())

    def test_a_tool_of_compose_files_accepts_it(self) -> None:
        for tool in (["docker", "compose"], ["podman-compose"]):
            if shutil.which(tool[0]) and subprocess.run([*tool, "version"], capture_output=True,
                                                        check=False).returncode == 0:
                break
        else:
            skip(self, "neither docker compose nor podman-compose")
        shutil.copytree(PACKAGING, self.folder / "packaging")
        file = self.folder / "packaging" / "docker" / "compose.yaml"
        (file.parent / "api-keys").write_text(KEY)
        done = subprocess.run([*tool, "-f", str(file), "config"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bert-infer.conf", done.stdout)

    def test_the_server_of_the_kubernetes_manifest_starts_and_needs_the_key(self) -> None:
        found = documents((PACKAGING / "kubernetes" / "bert-infer.yaml").read_text())
        pod = found["Deployment"]["spec"]["template"]
        container = pod["spec"]["containers"][0]
        self.expect_key_is_needed(["--listen", "0.0.0.0:8080", *container["args"]], "0.0.0.0:8080")
        self.assertEqual(found["Service"]["spec"]["selector"], pod["metadata"]["labels"])
        self.assertIn(found["Service"]["spec"]["ports"][0]["targetPort"], [port["name"] for port in container["ports"]])
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        self.assertEqual(mounts["api-keys"], "/keys")

    def test_kustomize_accepts_the_manifests_and_gives_the_pods_the_key(self) -> None:
        if not shutil.which("kustomize"):
            skip(self, "no kustomize")
        place = self.folder / "kubernetes"
        shutil.copytree(PACKAGING / "kubernetes", place)
        failed = subprocess.run(["kustomize", "build", place], capture_output=True, text=True, check=False)
        self.assertNotEqual(failed.returncode, 0, "without keys there is no deployment")
        (place / "api-keys").write_text(KEY + "\n")
        done = subprocess.run(["kustomize", "build", place], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = documents(done.stdout)
        self.assertEqual(set(found), {"Deployment", "Secret", "Service"})
        volumes = found["Deployment"]["spec"]["template"]["spec"]["volumes"]
        named = [volume["secret"]["secretName"] for volume in volumes if "secret" in volume]
        self.assertEqual(named, [found["Secret"]["metadata"]["name"]])
        self.assertEqual(list(found["Secret"]["data"]), ["api-keys"])


if __name__ == "__main__":
    unittest.main()
