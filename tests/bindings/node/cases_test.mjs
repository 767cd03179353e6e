// The cases that every binding runs (tests/cases/cases.jsonl), through Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const { Model } = await import(process.env.BERT_NODE_PACKAGE);
const folder = mkdtempSync(join(tmpdir(), "bert-infer-cases-"));
after(() => rmSync(folder, { recursive: true }));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);

const digest = (values) =>
  createHash("sha256").update(Buffer.from(values.buffer, values.byteOffset, values.byteLength)).digest("hex");
const together = (vectors) => Float32Array.from(vectors.flatMap((vector) => Array.from(vector)));
const places = ({ starts, ends }) => Array.from(starts, (start, i) => [start, ends[i]]);

const taken = ({ multiLabel, stride, windowScores }) => ({ multiLabel, stride, windowScores });
const entities = (found) => found.map(({ label, score, start, end }) => ({ label, score, utf16: [start, end] }));
const names = (parts) => parts.map(({ word, token }) => token ?? word);
const explained = ({ first, second, terms, noSum, ...rest }) => {
  return { first: names(first), second: names(second), terms: Array.from(terms), ...rest };
};

const calls = {
  tokenize: async (model, { text, pair }) => {
    const tokens = model.tokenize(text, { pair });
    return { ids: Array.from(tokens.ids), typeIds: Array.from(tokens.typeIds), utf16: places(tokens) };
  },
  embed: async (model, { texts, dimensions }) => (await model.embed(texts, { dimensions })).map(digest),
  sparse: async (model, { texts, maxActive }) =>
    (await model.embedSparse(texts, { maxActive })).map(({ ids, weights }) => {
      return { ids: Array.from(ids), weights: digest(weights) };
    }),
  classify: (model, { text, pair, stride, windowScores }) => model.classify(text, { pair, stride, windowScores }),
  zeroShot: (model, { text, labels, stride, windowScores }) => model.zeroShot(text, labels, { stride, windowScores }),
  scoreLabels: (model, { text, labels, ...options }) => model.scoreLabels(text, labels, taken(options)),
  tag: async (model, { text, scheme, stride }) => entities(await model.tag(text, { scheme, stride })),
  findEntities: async (model, { text, labels, threshold, stride }) =>
    entities(await model.findEntities(text, labels, { threshold, stride })),
  explainSimilarity: async (model, { a, b, vectors }) => explained(await model.explainSimilarity(a, b, { vectors })),
  explainLabels: async (model, { text, pair }) => explained(await model.explainLabels(text, { pair })),
  fillMask: (model, { text, topK }) => model.fillMask(text, { topK }),
  rerank: (model, { query, documents, stride }) => model.rerank(query, documents, { stride }),
  tokenVectors: async (model, { text, role }) => digest((await model.embedTokens(text, role)).data),
  chunks: async (model, { text }) => {
    const chunks = await model.embedChunks(text, { sentences: true });
    return {
      utf16: chunks.map(({ start, end }) => [start, end]),
      vectors: digest(together(chunks.map(({ vector }) => vector))),
    };
  },
};

/** What a case expects here: places in UTF-16 units alone. */
const expected = (value) => {
  if (Array.isArray(value)) return value.map(expected);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => name !== "bytes" && name !== "codePoints");
  return Object.fromEntries(kept.map(([name, inner]) => [name, expected(inner)]));
};

test("all cases hold", async () => {
  const lines = readFileSync(new URL("../../cases/cases.jsonl", import.meta.url), "utf8").trim().split("\n");
  assert.ok(lines.length > 110);
  const models = new Map();
  for (const line of lines) {
    const request = JSON.parse(line);
    if (!models.has(request.model)) {
      models.set(request.model, await Model.load(request.model ? join(folder, request.model) : null));
    }
    const call = calls[request.call](models.get(request.model), request);
    if (request.error) {
      await assert.rejects(call, (error) => {
        assert.equal(error.code, request.error.code, line);
        assert.ok(error.message.includes(request.error.message), `${error.message} of ${line}`);
        return true;
      });
    } else {
      assert.deepEqual(await call, expected(request.result), line.slice(0, 200));
    }
  }
});
