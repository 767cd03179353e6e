"""Tests that a route of FastAPI can return results. Needs fastapi and httpx."""

import sys
import unittest

import bert_infer
from bert_infer.types import Ranked
from fastapi import FastAPI
from fastapi.testclient import TestClient

MODEL = bert_infer.Model()
TEXTS = ["A dog runs.", "The stock market fell."]

app = FastAPI()


@app.get("/encode")
def encode(text: str) -> list[float]:
    return bert_infer.plain(MODEL.encode(text))


@app.get("/tokens")
def tokens(text: str):
    return bert_infer.plain(MODEL.tokens(text))


@app.get("/search")
async def search(text: str):
    return await MODEL.arerank(text, TEXTS, return_documents=True)


@app.get("/masks")
async def masks(text: str):
    return await MODEL.afill_mask(text)


class Routes(unittest.TestCase):
    def test_return_results(self) -> None:
        client = TestClient(app)
        text = "a [MASK]"
        for route, expected in (
            ("encode", MODEL.encode(text).tolist()),
            ("search", MODEL.rerank(text, TEXTS, return_documents=True)),
            ("masks", MODEL.fill_mask(text)),
            ("tokens", {name: getattr(value, "tolist", lambda: value)() for name, value in MODEL.tokens(text).items()}),
        ):
            answer = client.get(f"/{route}", params={"text": text})
            self.assertEqual((answer.status_code, answer.json()), (200, expected), route)

    @unittest.skipIf(sys.version_info < (3, 12), "pydantic takes typing.TypedDict from Python 3.12 on")
    def test_may_be_declared_by_the_packages_types(self) -> None:
        typed = FastAPI()
        typed.get("/search", response_model=list[Ranked])(search)
        answer = TestClient(typed).get("/search", params={"text": "a dog"})
        self.assertEqual(answer.json(), MODEL.rerank("a dog", TEXTS, return_documents=True))
        self.assertEqual(typed.openapi()["components"]["schemas"]["Ranked"]["required"], ["corpus_id", "score"])


if __name__ == "__main__":
    unittest.main()
