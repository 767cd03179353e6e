"""Tests that unchanged clients get the program's vectors from the server: openai, huggingface_hub, cohere, ollama,
langchain-openai, llama-index and chromadb. Needs these packages, and the program: build/bert-infer, or
BERT_INFER_PROGRAM. Tests the npm client of openai if NODE_PATH has it."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import chromadb.utils.embedding_functions as chroma
import cohere
import numpy as np
import ollama
import openai
from huggingface_hub import InferenceClient
from langchain_openai import OpenAIEmbeddings
from llama_index.embeddings.openai import OpenAIEmbedding

PROGRAM = os.environ.get("BERT_INFER_PROGRAM", str(Path(__file__).resolve().parents[2] / "build" / "bert-infer"))
MODEL = os.environ.get("BERT_TEST_MINILM")
TEXTS = ["A man plays a guitar.", "The stock market fell."]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@unittest.skipUnless(MODEL, "BERT_TEST_MINILM names no directory")
class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        address = f"127.0.0.1:{free_port()}"
        cls.url = f"http://{address}"
        command = [PROGRAM, "serve", "--model", f"minilm={MODEL}", "--listen", address]
        cls.server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.server.wait)
        cls.addClassCleanup(cls.server.terminate)
        for _ in range(100):
            try:
                urllib.request.urlopen(f"{cls.url}/ready").close()
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        printed = subprocess.run(
            [PROGRAM, "embed", "--model", MODEL, "--format", "jsonl", *TEXTS], capture_output=True, check=True
        ).stdout
        cls.expected = np.float32([json.loads(line)["embedding"] for line in printed.splitlines()])

    def test_openai(self) -> None:
        client = openai.OpenAI(base_url=f"{self.url}/v1", api_key="any")
        for encoding in ("base64", "float"):
            answer = client.embeddings.create(model="minilm", input=TEXTS, encoding_format=encoding)
            vectors = [one.embedding for one in answer.data]
            if encoding == "base64":
                vectors = [np.frombuffer(base64.b64decode(vector), "<f4") for vector in vectors]
            np.testing.assert_array_equal(np.float32(vectors), self.expected)
        by_default = client.embeddings.create(model="minilm", input=TEXTS)
        np.testing.assert_array_equal(np.float32([one.embedding for one in by_default.data]), self.expected)
        self.assertEqual([model.id for model in client.models.list().data], ["minilm"])
        with self.assertRaises(openai.NotFoundError) as missing:
            client.embeddings.create(model="nope", input="a text")
        self.assertEqual(missing.exception.code, "model_not_found")
        with self.assertRaises(openai.BadRequestError) as long:
            client.embeddings.create(model="minilm", input="long " * 1000)
        self.assertEqual(long.exception.code, "context_length_exceeded")

    def test_huggingface_hub(self) -> None:
        client = InferenceClient(model=self.url)
        vectors = np.vstack([client.feature_extraction(text) for text in TEXTS])
        np.testing.assert_array_equal(np.float32(vectors), self.expected)
        client = InferenceClient(model=f"{self.url}/similarity")
        similarity = client.sentence_similarity(TEXTS[0], other_sentences=TEXTS)
        np.testing.assert_allclose(similarity, self.expected @ self.expected[0], atol=1e-6)

    def test_cohere(self) -> None:
        client = cohere.ClientV2(api_key="any", base_url=self.url)
        kinds = ["float", "int8", "ubinary"]
        answer = client.embed(model="minilm", texts=TEXTS, input_type="search_document", embedding_types=kinds)
        np.testing.assert_array_equal(np.float32(answer.embeddings.float_), self.expected)
        np.testing.assert_array_equal(answer.embeddings.int8, np.rint(self.expected * 127))
        np.testing.assert_array_equal(answer.embeddings.ubinary, np.packbits(self.expected > 0, axis=1))
        ranked = client.rerank(model="minilm", query=TEXTS[1], documents=TEXTS).results
        self.assertEqual([one.index for one in ranked], [1, 0])
        np.testing.assert_allclose(
            [one.relevance_score for one in ranked], self.expected[[1, 0]] @ self.expected[1], atol=1e-6
        )
        with self.assertRaises(cohere.BadRequestError):
            client.rerank(model="minilm", query="music", documents=[])

    def test_ollama(self) -> None:
        client = ollama.Client(host=self.url)
        np.testing.assert_array_equal(np.float32(client.embed(model="minilm", input=TEXTS).embeddings), self.expected)
        one = client.embeddings(model="minilm", prompt=TEXTS[0]).embedding
        np.testing.assert_array_equal(np.float32(one), self.expected[0])
        self.assertEqual([model.model for model in client.list().models], ["minilm"])

    def test_langchain(self) -> None:
        arguments = {"model": "minilm", "base_url": f"{self.url}/v1", "api_key": "any"}
        client = OpenAIEmbeddings(**arguments, check_embedding_ctx_length=False)
        np.testing.assert_array_equal(np.float32(client.embed_documents(TEXTS)), self.expected)
        np.testing.assert_array_equal(np.float32(client.embed_query(TEXTS[0])), self.expected[0])
        # By default the client sends ids of another tokenizer, for which it may need the network.
        ids = urllib.request.Request(f"{self.url}/v1/embeddings", json.dumps({"input": [[9906, 1917]]}).encode())
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(ids)
        self.assertIn("check_embedding_ctx_length=False", refused.exception.read().decode())

    def test_llama_index(self) -> None:
        client = OpenAIEmbedding(model_name="minilm", api_base=f"{self.url}/v1", api_key="any")
        np.testing.assert_array_equal(np.float32(client.get_text_embedding_batch(TEXTS)), self.expected)
        np.testing.assert_array_equal(np.float32(client.get_query_embedding(TEXTS[0])), self.expected[0])

    def test_chromadb(self) -> None:
        function = chroma.HuggingFaceEmbeddingServer(url=f"{self.url}/embed")
        np.testing.assert_array_equal(np.float32(function(TEXTS)), self.expected)

    def test_openai_of_npm(self) -> None:
        node, path = shutil.which("node"), os.environ.get("NODE_PATH")
        if not node or not path:
            self.skipTest("SKIPPED: no node, or no NODE_PATH with the package openai")
        script = """
            const {OpenAI} = require("openai");
            const client = new OpenAI({baseURL: process.argv[1], apiKey: "any"});
            client.embeddings.create({model: "minilm", input: JSON.parse(process.argv[2])}).then(
                answer => console.log(JSON.stringify(answer.data.map(one => one.embedding))));
        """
        command = [node, "-e", script, f"{self.url}/v1", json.dumps(TEXTS)]
        printed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
        np.testing.assert_array_equal(np.float32(json.loads(printed)), self.expected)


if __name__ == "__main__":
    unittest.main()
