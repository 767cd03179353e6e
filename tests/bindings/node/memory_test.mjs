// Checks that memory does not grow with the number of calls or of loaded models. BERT_MEMORY_CALLS and
// BERT_MEMORY_LOADS set these numbers. With the defaults the tests take seconds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const { Model, VectorIndex, cosineSimilarity, maxSim } = await import(process.env.BERT_NODE_PACKAGE);
const folder = mkdtempSync(join(tmpdir(), "bert-infer-memory-"));
// Windows removes no file that a process has mapped.
after(() => process.platform === "win32" || rmSync(folder, { recursive: true }));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);

const config = join(folder, "reranker", "config.json");
writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config)), id2label: { 0: "fits" } }));

const calls = Number(process.env.BERT_MEMORY_CALLS ?? 1000);
const loads = Number(process.env.BERT_MEMORY_LOADS ?? 60);
const mostGrowth = 24 * 2 ** 20;

async function resident() {
  for (let i = 0; i < 2; ++i) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));  // finalizers run between turns of the event loop
  }
  return process.memoryUsage().rss;
}

/** Compares the memory after a tenth of the calls with that after all of them. Pauses, so that finalizers can run. */
async function expectFlat(name, count, call) {
  let before = 0;
  for (let i = 0; i < count; ++i) {
    if (i === Math.floor(count / 10)) before = await resident();
    await call(i);
    if (i % 500 === 499) await new Promise(setImmediate);
  }
  const end = await resident();
  const [first, last] = [before, end].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  console.log(`${name}: ${count} calls, ${first} to ${last} MiB`);
  assert.ok(end - before < mostGrowth, `${name}: ${first} MiB, then ${last}`);
}

const one = { threads: 1 };
const load = (name) => Model.load(join(folder, name), one);

test("over many calls of each kind", async () => {
  const embedder = await load("embedder");
  const classes = await load("classes");
  const several = await load("several-vectors");
  const builtin = await Model.load(null, one);
  const [gliner, tagger, ranker, gliclass, sparse, reranker] =
    await Promise.all(["gliner", "firing-tagger", "embedder", "gliclass", "sparse", "reranker"].map(load));
  const texts = ["the quick fox", "the lazy dog"];
  const vectors = await embedder.embed(texts);
  const index = new VectorIndex(vectors);
  const tokens = await several.embedTokens(texts[0]);
  const kinds = {
    embed: (i) => embedder.embed(`the fox ${i % 7}`),
    embedMany: () => embedder.embed(texts, { signal: new AbortController().signal }),
    embedChunks: () => embedder.embedChunks("the quick fox jumps", { tokens: 2 }),
    embedSparse: () => sparse.embedSparse(texts, { maxActive: 9 }),
    lastHiddenState: () => embedder.lastHiddenState(texts[0]),
    embedTokens: () => several.embedTokens(texts[0], "query"),
    tokenize: (i) => embedder.tokenize(`the fox ${i % 7}`, { pair: "the dog" }),
    decode: () => embedder.decode([5, 6, 7]),
    classify: () => classes.classify(texts[0]),
    zeroShot: () => classes.zeroShot(texts[0], ["dog", "fox"]),
    tag: () => tagger.tag("the quick brown fox"),
    tagWords: () => tagger.tag([{ words: ["brown", "fox"] }, texts[0]]),
    redact: () => tagger.redact(texts),
    findEntities: () => gliner.findEntities(texts[0], ["dog", "fox"], { threshold: 0.01 }),
    scoreLabels: () => gliclass.scoreLabels(texts[0], ["dog", "fox"], { stride: 2, windowScores: "mean" }),
    rerank: () => ranker.rerank(texts[0], texts),
    explainSimilarity: () => embedder.explainSimilarity(...texts),
    explainLabels: () => classes.explainLabels(texts[0], { pair: texts[1] }),
    explainRelevance: () => reranker.explainRelevance(...texts),
    cosineSimilarity: () => cosineSimilarity(vectors[0], vectors[1]),
    maxSim: () => maxSim(tokens, tokens),
    search: () => index.search(vectors[0]),
    VectorIndex: () => new VectorIndex(vectors).close(),
    "an error": () => assert.rejects(classes.tag(texts[0])),
    "an error of a text": () => assert.rejects(classes.classify(["the fox ".repeat(99), ""], { longText: "error" })),
  };
  for (const [name, call] of Object.entries(kinds)) await expectFlat(name, calls, call);
  await expectFlat("fillMask", Math.ceil(calls / 10), () => builtin.fillMask("a [MASK]"));
});

test("over many loaded models", async () => {
  for (const directory of [null, join(folder, "embedder")]) {
    await expectFlat(directory ?? "the built-in model", loads, async () => {
      const model = await Model.load(directory, one);
      await model.embed("a fox");
      model.close();
    });
  }
});
