// Tests the package's public functions on the built-in model and on tiny ones.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";

const { Model, VectorIndex, cosineSimilarity, maxSim, pipeline, version } = await import(process.env.BERT_NODE_PACKAGE);
const program = process.env.BERT_INFER_PROGRAM;
const isOfPages = existsSync(join(dirname(process.env.BERT_NODE_PACKAGE), "engine.js"));  // the package for web pages
const folder = mkdtempSync(join(tmpdir(), "bert-infer-node-"));
// Windows removes no file that a process has mapped.
after(() => process.platform === "win32" || rmSync(folder, { recursive: true }));

const tinyModels = mkdtempSync(join(folder, "tiny-"));
execFileSync(process.env.BERT_TINY_MODELS, [tinyModels]);

const model = await Model.load();

/** Returns the JSON that the program prints for these arguments. */
const printed = (...given) => JSON.parse(execFileSync(program, [...given, "--format", "json"], { encoding: "utf8" }));

const rejects = (promise, expected) => assert.rejects(promise, expected);

test("a model says what it is", () => {
  assert.equal(model.hiddenSize, printed("inspect").config.hidden_size);
  assert.equal(model.hasTokenizer, true);
  assert.match(version, /^\d+\.\d+\.\d+$/);
});

test("vectors are the same alone and together", async () => {
  const texts = ["A cat sat on the mat.", "", "Ein längerer Satz 🎻 mit Zeichen."];
  const vectors = await model.embed(texts);
  for (const [i, text] of texts.entries()) {
    assert.deepEqual(vectors[i], await model.embed(text));
  }
  assert.deepEqual(await model.embed([]), []);
  const short = await model.embed("a cat", { dimensions: 16, normalize: true });
  assert.equal(short.length, 16);
  assert.ok(Math.abs(Math.hypot(...short) - 1) < 1e-6);
});

test("places are in UTF-16 units, and half surrogates are U+FFFD", () => {
  const text = "🎻 a cat";
  const tokens = model.tokenize(text);
  const cat = tokens.tokens.indexOf("cat");
  assert.equal(text.slice(tokens.starts[cat], tokens.ends[cat]), "cat");
  assert.deepEqual(model.tokenize("a \ud800 cat"), model.tokenize("a \ufffd cat"));
  assert.equal(model.decode(tokens.ids, { skipSpecialTokens: true }).includes("a cat"), true);
  assert.equal(model.tokenize("a b c d e f", { maxLength: 4 }).truncated, 4);
  assert.equal(model.tokenize("a", { specialTokens: false }).ids.length, 1);
  assert.equal(model.tokenize("a\0cat").tokens.length, model.tokenize("acat").tokens.length);
});

test("the best ranks alone, and chunks with their texts", async () => {
  const documents = ["The stock market fell.", "A cat sat on the mat."];
  assert.deepEqual(await model.rerank("a", documents, { topK: 1 }), (await model.rerank("a", documents)).slice(0, 1));
  const text = "É, a cat 🎻 sat. It purred.";
  const chunks = await model.embedChunks(text, { sentences: true });
  assert.deepEqual(chunks.map((chunk) => chunk.text.trim()), ["É, a cat 🎻 sat.", "It purred."]);
  assert.equal(chunks[0].vector.length, model.hiddenSize);
});

test("vectors of another realm, as in Jest, are vectors", () => {
  const other = runInNewContext("Float32Array.of(1, 2)");
  assert.equal(cosineSimilarity(other, Float32Array.of(2, 4)), cosineSimilarity(Float32Array.of(1, 2), other));
});

test("search and similarity", async () => {
  const vectors = await model.embed(["cats and dogs", "stocks and bonds", "rain and snow"], { normalize: true });
  const index = new VectorIndex(vectors, { scan: "int8" });
  const hits = index.search(vectors[1], { topK: 2 });
  assert.equal(hits.length, 2);
  assert.equal(hits[0].row, 1);
  assert.ok(Math.abs(hits[0].score - cosineSimilarity(vectors[1], vectors[1])) < 1e-6);
  index.close();
  index.close();
  assert.throws(() => index.search(vectors[1]), /closed/);
  const rows = { data: Float32Array.of(1, 0, 0, 1), size: 2 };
  assert.equal(maxSim(rows, rows), 2);
});

test("many promises at once are right", async () => {
  const texts = Array.from({ length: 32 }, (_, i) => `text number ${i} of many`);
  const together = await Promise.all(texts.map((text) => model.embed(text)));
  const inTurn = await model.embed(texts);
  together.forEach((vector, i) => assert.deepEqual(vector, inTurn[i]));
});

test("a model that is closed ends its running calls first", async () => {
  const expected = await model.embed("a cat");
  const closing = await Model.load();
  const running = Array.from({ length: 8 }, () => closing.embed("a cat"));
  closing.close();
  closing.close();
  for (const vector of await Promise.all(running)) assert.deepEqual(vector, expected);
  await rejects(closing.embed("a cat"), { code: "BERT_INVALID_ARGUMENT", message: /closed/ });
});

test("a signal ends a call, and its reason is the error", async () => {
  const many = Array.from({ length: 20000 }, (_, i) => `a text of some words, number ${i}`);
  const controller = new AbortController();
  const reason = new Error("the page was left");
  setTimeout(() => controller.abort(reason), 50);
  await rejects(model.embed(many, { signal: controller.signal }), reason);
  await rejects(model.embed("a", { signal: controller.signal }), reason);
  assert.equal((await model.embed("still here")).length > 0, true);
});

test("wrong input is an error with one line", async () => {
  const line = (error) => {
    assert.ok(error instanceof Error, String(error));
    assert.ok(error.message.length > 0 && !error.message.includes("\n"), error.message);
    return true;
  };
  const empty = mkdtempSync(join(folder, "empty-"));
  const broken = mkdtempSync(join(folder, "broken-"));
  writeFileSync(join(broken, "config.json"), "{");
  const detached = Float32Array.of(1, 2);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const closed = await Model.load();
  closed.close();
  const calls = [
    () => Model.load("/no/such/folder"), () => Model.load(empty), () => Model.load(broken), () => Model.load(1),
    () => Model.load("a\0b"), () => Model.load(`${folder}\0`), () => Model.load(null, { threads: -1 }),
    () => Model.load(null, { threads: 1e9 }),
    () => Model.load(null, { precision: "int4" }), () => Model.load(null, { unknown: 1 }),
    () => Model.load(null, { revision: 7 }), () => new Model(), () => new Model("x"), () => new Model({}),
    () => model.embed(), () => model.embed(null), () => model.embed(1), () => model.embed(["a", 1]),
    () => model.embed(["a", undefined]), () => model.embed("a", { pooling: "median" }),
    () => model.embed("a", { dimensions: 0 }), () => model.embed("a", { dimensions: 1e6 }),
    () => model.embed("a", { dimensions: 1.5 }), () => model.embed("a", { prompt: "no such" }),
    () => model.embed("a", { signal: {} }), () => model.embed("a", null), () => model.embed("a", { normalise: true }),
    () => model.tokenize(7), () => model.tokenize("a", { maxLength: -2 }), () => model.tokenize("a", { maxLength: 1 }),
    () => model.decode("abc"), () => model.decode([-1]), () => model.decode([2 ** 40]), () => model.decode(null),
    () => model.fillMask("no mask"), () => model.fillMask("[MASK]", { targets: ["no such token"] }),
    () => model.rerank("a", "b"), () => model.rerank("a", [1]), () => model.rerank("a", ["b"], { topK: "x" }),
    () => model.findEntities("a", [], {}), () => model.findEntities("a", ["b"], { threshold: 2 }),
    () => model.embedChunks("a", {}), () => model.embedTokens("a", "reader"),
    () => new VectorIndex([]), () => new VectorIndex([[1, 2]]), () => new VectorIndex([new Float32Array(0)]),
    () => new VectorIndex([Float32Array.of(1), Float32Array.of(1, 2)]),
    () => new VectorIndex([Float32Array.of(1, 0)]).search(Float32Array.of(1)),
    () => new VectorIndex([Float32Array.of(1, 0)]).search(Float32Array.of(NaN, 0)),
    () => cosineSimilarity([1], [1]), () => cosineSimilarity(Float32Array.of(1), Float32Array.of(1, 2)),
    () => maxSim({ data: Float32Array.of(1), size: 1 }, { data: Float32Array.of(1, 2), size: 2 }),
    () => maxSim({}, {}), () => closed.embed("a"), () => closed.tokenize("a"), () => pipeline("no-such-task"),
    () => new VectorIndex([detached]),
  ];
  for (const call of calls) {
    await rejects(async () => call(), line, call.toString());
  }
  assert.ok(calls.length >= 40);
});

test("texts of ten million characters and with zeros are read", async () => {
  const long = "a cat ".repeat(1_700_000);
  assert.equal((await model.embed(long)).length, model.hiddenSize);
  assert.deepEqual(await model.embed("a\0cat"), (await model.embed(["a\0cat"]))[0]);
});

test("explained words and tokens have places", async () => {
  const a = "🎻 a cat", b = "the cats";
  const why = await model.explainSimilarity(a, b);
  const cat = why.first.find(({ token }) => token === "cat");
  assert.equal(a.slice(cat.start, cat.end), "cat");
  const left = await model.explainSimilarity(a, b, { pooling: "cls" });
  assert.match(left.noSum, /cls/);
  assert.deepEqual(left.second.map(({ start, end }) => b.slice(start, end)), ["the", "cats"]);
  await rejects(model.explainRelevance(a, b), { code: "BERT_UNSUPPORTED", message: /bert_explain_similarity/ });
  await rejects(model.explainSimilarity(a, b, { vectors: "tokens" }), { code: "BERT_NOT_FOUND" });
  await rejects(model.explainSimilarity(a, b, { vectors: "hidden" }), /vectors: found "hidden"/);
});

test("sparse vectors, alone and together", async () => {
  const tiny = await Model.load(join(tinyModels, "sparse"));
  const texts = ["the quick fox", "", "the lazy dog"];
  const vectors = await tiny.embedSparse(texts, { maxActive: 9 });
  for (const [i, text] of texts.entries()) assert.deepEqual(vectors[i], await tiny.embedSparse(text, { maxActive: 9 }));
  assert.equal(vectors[0].ids.length, 9);
  assert.equal(vectors[0].weights.length, 9);
  const all = await tiny.embedSparse(texts[0]);
  assert.ok(all.ids.length > 9);
  assert.deepEqual(await tiny.embedSparse([]), []);
  const reason = new Error("left");
  await rejects(tiny.embedSparse(texts, { signal: AbortSignal.abort(reason) }), reason);
  await rejects(tiny.embedSparse(texts, { maxActive: 0 }), /maxActive/);
  await rejects((await Model.load(join(tinyModels, "embedder"))).embedSparse("a"), { code: "BERT_NOT_FOUND" });
});

test("options of windows that do not fit together are named", async () => {
  const classes = await Model.load(join(tinyModels, "gliclass"));
  await rejects(classes.scoreLabels("a", ["b"], { windowScores: "mean" }), /windowScores: found no stride beside it/);
  await rejects(classes.scoreLabels("a", ["b"], { stride: -1 }), /stride: found -1/);
});

test("options of tasks are checked by the library's description", async () => {
  const classes = await Model.load(join(tinyModels, "classes"));
  const gliner = await Model.load(join(tinyModels, "firing-gliner"));
  for (const [call, expected] of [
    [() => classes.classify("a", { topK: 0 }), "topK: found 0, expected a whole number of at least 1"],
    [() => classes.classify("a", { topK: 1e12 }), "topK: found 1000000000000, expected at most 2147483647"],
    [() => classes.classify("a", { top_k: 1 }), "options: found 'top_k', expected any of pair, labels, names, multiLabel"],
    [() => classes.classify("a", { longText: 1 }), "longText: found 1, expected one of cut, windows, error"],
    [() => classes.classify("a", { multiLabel: true }), "multiLabel: found no labels beside it, expected both or none"],
    [() => classes.classify("a", { labels: "b" }), "labels: found string, expected an array of strings"],
    [() => classes.classify(["a", 1]), "text[1]: found number, expected a string"],
    [() => classes.classify(["a", , "b"]), "text[1]: found undefined, expected a string"],
    [() => classes.classify(["a", "b"], { pair: "c" }), "pair: found string, expected an array of 2 strings"],
    [() => classes.classify({ words: ["a"] }), "text: found Object, expected a string"],
    [() => classes.zeroShot("a", ["b"], { multiLabel: 1 }), "multiLabel: found number, expected true or false"],
    [() => classes.zeroShot("a"), "labels: found undefined, expected an array of strings"],
    [() => classes.zeroShot("a", ["b"], { labels: ["c"] }), "options: found 'labels', expected any of hypothesis"],
    [() => classes.zeroShot("a", [], { hypothesisTemplate: 1 }), "hypothesisTemplate: found number, expected a string"],
    [() => gliner.findEntities("a", ["b"], { threshold: 2 }), "threshold: found 2, expected a number from 0 to 1"],
    [() => gliner.findEntities("a", ["b"], { scheme: "iob" }), "scheme: found labels beside it, expected one of them"],
    [() => gliner.tag("a", { aggregation: "all" }), 'aggregation: found "all", expected one of none, simple, first'],
    [() => gliner.tag({ words: ["a", 1] }), "text.words[1]: found number, expected a string"],
    [() => model.fillMask("[MASK]", { longText: "windows" }), 'longText: found "windows", expected one of cut, error'],
    [() => model.answer("a", "b", { topK: 1.5 }), "topK: found 1.5, expected a whole number of at least 1"],
    [() => model.answer("a"), "context: found undefined, expected a string"],
    [() => model.answer(["a", "b"], ["c"]), "context: found 1, expected an array of 2 strings"],
    [() => model.choose(1, ["b"]), "text: found number, expected a string"],
    [() => model.choose("a", "b"), "choices: found string, expected an array of strings"],
  ]) {
    await rejects(call(), (error) => {
      assert.ok(error instanceof TypeError && error.message.startsWith(expected), `${error} of ${call}`);
      return true;
    });
  }
  assert.deepEqual(await classes.classify("a", { topK: null, longText: undefined }), await classes.classify("a"));
});

test("tasks of many texts have the results of each alone", async () => {
  const load = (name) => Model.load(join(tinyModels, name));
  const [classes, tagger, gliner, gliclass, reader] =
    await Promise.all(["classes", "firing-tagger", "firing-gliner", "gliclass", "reader"].map(load));
  const texts = ["the quick brown fox", "🎻 a dog", "the brown fox ".repeat(60)];
  const calls = {
    classify: (of) => classes.classify(of, { topK: 2 }),
    zeroShot: (of) => classes.zeroShot(of, ["dog", "half \ud800"], { multiLabel: true }),
    tag: (of) => tagger.tag(of),
    findEntities: (of) => gliner.findEntities(of, ["dog", "coding"]),
    scoreLabels: (of) => gliclass.scoreLabels(of, ["dog", "fox"], { stride: 2, windowScores: "largest" }),
    redact: (of) => tagger.redact(of, { mask: "*" }),
    answer: (of) => reader.answer(of === texts ? Array(3).fill("who?") : "who?", of, { topK: 2 }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const together = await call(texts);
    const alone = [];
    for (const text of texts) alone.push(await call(text));
    assert.deepEqual(together, alone, name);
    assert.deepEqual(together.map(({ truncatedTokens }) => truncatedTokens),
      alone.map(({ truncatedTokens }) => truncatedTokens), name);
  }
  assert.deepEqual(await classes.classify([]), []);
  const pairs = await classes.classify(["a", "b"], { pair: ["c", "d"] });
  assert.deepEqual(pairs[1], await classes.classify("b", { pair: "d" }));
  assert.equal((await model.fillMask(["a [MASK]", "[MASK] [MASK]"])).map((masks) => masks.length).join(), "1,2");
  await rejects(model.fillMask(["a [MASK]", "no mask"]), { code: "BERT_INVALID_TEXT", message: /inputs\[1\]: / });
});

test("a text without names, and the labels of words", async () => {
  const tagger = await Model.load(join(tinyModels, "firing-tagger"));
  const text = "🎻 the brown fox and a dog";
  const { text: without, replaced } = await tagger.redact(text, { replace: "[{label}]" });
  assert.equal(without, "🎻 the [ANIMAL] and a dog");
  assert.deepEqual(replaced.map(({ label, start, end }) => [label, text.slice(start, end)]), [["ANIMAL", "brown fox"]]);
  const withPets = tagger.redact(text, { expressions: ["PET=d.g"] });
  if (isOfPages) await rejects(withPets, { code: "BERT_UNSUPPORTED", message: /'d\.g' needs Oniguruma/ });
  else assert.equal((await withPets).text, "🎻 the <ANIMAL> and a <PET>");
  const words = ["the", "brown", "fox"];
  const found = await tagger.tag({ words });
  assert.deepEqual(found.map(({ word }) => word), words);
  assert.deepEqual(found.slice(1).map(({ label }) => label), ["B-ANIMAL", "E-ANIMAL"]);
  assert.deepEqual(await tagger.tag([{ words }, text]), [found, await tagger.tag(text)]);
  assert.deepEqual(await tagger.tag({ words: [] }), []);
});

test("choices and following sentences, as the program has them", async () => {
  const chooser = join(folder, "chooser");
  cpSync(join(tinyModels, "ranker"), chooser, { recursive: true });
  const config = readFileSync(join(chooser, "config.json"), "utf8");
  writeFileSync(join(chooser, "config.json"), config.replace("SequenceClassification", "MultipleChoice"));
  const given = ["the dog", "a fox", "it jumps", "lazy"];
  const [before, ...choices] = given;
  const found = await (await Model.load(chooser)).choose(before, choices);
  assert.deepEqual(Array.from(found), printed("choose", "--model", chooser, ...given).choices);
  const texts = ["She opened the door.", "Nobody was there."];
  const next = await model.nextSentence(...texts);
  assert.equal(next, printed("next-sentence", ...texts).is_next);
  assert.deepEqual(await model.nextSentence(texts, ["A cat.", texts[0]]),
    [await model.nextSentence(texts[0], "A cat."), await model.nextSentence(texts[1], texts[0])]);
  assert.equal(await model.task("next_sentence", texts[0], { pair: texts[1] }), next);
  assert.deepEqual(await model.task("fill_mask", "a [MASK]", { topK: 2 }), await model.fillMask("a [MASK]", { topK: 2 }));
  await assert.rejects(model.task("rerank", "a"), { name: "TypeError", message: /name: found "rerank", expected one of/ });
});

test("what is not read of a long text is counted, or an error", async () => {
  const tiny = await Model.load(join(tinyModels, "classes"));
  const long = "the brown fox ".repeat(60).trim();
  const removed = tiny.tokenize(long).ids.length - tiny.maxLength;
  assert.equal(tiny.tokenize(long, { maxLength: tiny.maxLength }).truncated, removed);
  const [short, cut] = await tiny.embed(["a", long]);
  assert.deepEqual([short.truncatedTokens, cut.truncatedTokens], [0, removed]);
  assert.equal((await tiny.embed(long)).truncatedTokens, removed);
  assert.ok(inspect(cut).includes(`truncatedTokens: ${removed}`));
  assert.ok(!inspect(short).includes("truncatedTokens"));
  assert.equal((await tiny.classify(long)).truncatedTokens, removed);
  assert.equal((await tiny.classify("a")).truncatedTokens, 0);
  assert.equal((await tiny.classify(long, { stride: 2 })).truncatedTokens, 0);
  assert.deepEqual(await tiny.classify(long, { longText: "windows", stride: 8 }), await tiny.classify(long, { stride: 8 }));
  assert.equal((await tiny.embedChunks(long, { tokens: 8 })).truncatedTokens, removed);
  const sparse = await Model.load(join(tinyModels, "sparse"));
  assert.ok((await sparse.embedSparse(["a", long]))[1].truncatedTokens > 0);
  const tagger = await Model.load(join(tinyModels, "firing-tagger"));
  const [whole, beginning] = [await tagger.tag(long), await tagger.tag(long, { longText: "cut" })];
  assert.deepEqual([whole.length, whole.truncatedTokens], [60, 0]);
  assert.ok(beginning.length < 60 && beginning.truncatedTokens > 0);
  const reranker = await Model.load(join(tinyModels, "embedder"));
  assert.ok((await reranker.rerank("a", [long, "b"])).truncatedTokens > 0);
  const error = { code: "BERT_INVALID_TEXT" };
  for (const call of [
    () => tiny.embed(long, { longText: "error" }), () => tiny.classify(long, { longText: "error" }),
    () => tagger.tag(long, { longText: "error" }), () => sparse.embedSparse(long, { longText: "error" }),
    () => tiny.embedChunks(long, { tokens: 8, longText: "error" }),
    () => reranker.rerank("a", [long], { longText: "error" }),
  ]) {
    await rejects(call(), error, call.toString());
  }
  await rejects(tiny.embed("a", { longText: "windows" }), /longText: found "windows", expected cut or error/);
  await rejects(tiny.classify("a", { longText: "cut", stride: 2 }), { code: "BERT_INVALID_ARGUMENT" });
});

test("each vector has memory of its own", async () => {
  const [first, second] = await model.embed(["a cat", "a dog"]);
  const kept = Array.from(second);
  structuredClone(first, { transfer: [first.buffer] });
  assert.equal(first.length, 0);
  assert.deepEqual(Array.from(second), kept);
});

test("a hole in an array is named", async () => {
  await rejects(model.embed(["a", , "b"]), /texts\[1\]: found undefined, expected a string/);
  await rejects(model.rerank("a", Array(2)), /documents\[0\]: found undefined/);
  await rejects(async () => model.decode([5, , 6]), /ids\[1\]: found undefined/);
  await rejects(async () => new VectorIndex([Float32Array.of(1), , Float32Array.of(1)]), /vectors\[1\]: found undefined/);
});

test("four megabytes are tokenized in less than a second", () => {
  const begin = performance.now();
  const { tokens } = model.tokenize("the cat sat on the mat. ".repeat(175_000));
  const milliseconds = performance.now() - begin;
  assert.equal(tokens.length, 7 * 175_000 + 2);
  assert.equal(tokens[1], "the");
  assert.ok(milliseconds < 3000, `${milliseconds} ms`);
});

test("pipelines have the names and shapes of transformers.js", async () => {
  const extract = await pipeline("feature-extraction", model);
  const output = await extract(["a cat", "a dog"], { pooling: "mean", normalize: true });
  assert.deepEqual(output.dims, [2, model.hiddenSize]);
  assert.equal(output.tolist()[1].length, model.hiddenSize);
  assert.deepEqual(output.tolist()[1], Array.from(await model.embed("a dog", { pooling: "mean", normalize: true })));
  await rejects(extract("a", { normalize: true }), /pooling: found "none"/);
  const tokens = await extract(["a cat", "a"]);
  const { data, size } = await model.lastHiddenState("a cat");
  assert.deepEqual([tokens.dims, size, tokens.size], [[2, 4, size], model.hiddenSize, 2 * 4 * size]);
  assert.deepEqual(tokens[0].data, data);
  assert.deepEqual(tokens[1].slice([0, 3]).data, (await model.lastHiddenState("a")).data);
  assert.deepEqual(tokens.slice(1, 3).tolist(), Array(size).fill(0));  // padding after the shorter text
  const mean = data.subarray(0, size).map((_, i) => [0, 1, 2, 3].reduce((sum, row) => sum + tokens[0][row].data[i], 0) / 4);
  assert.ok(Math.abs(cosineSimilarity(mean, (await extract("a cat", { pooling: "mean" })).data) - 1) < 1e-6);
  assert.deepEqual([output[1].dims, output[-1].tolist(), output[0][2].item()],
    [[model.hiddenSize], output.tolist()[1], output.data[2]]);
  assert.deepEqual(Array.from(output, ([first]) => first), [output.data[0], output.data[model.hiddenSize]]);
  assert.deepEqual(output.slice(null, [1, -2]).dims, [2, model.hiddenSize - 3]);
  assert.deepEqual(output.slice(null, 3).tolist(), [output.data[3], output.data[model.hiddenSize + 3]]);
  assert.deepEqual(output.slice(1).data, output[1].data);
  assert.throws(() => output[2], /index: found 2, expected one of a dimension of 2/);
  assert.throws(() => output.item(), /a tensor of \d+ numbers, expected one/);
  const bits = await extract(["a cat", "a dog"], { pooling: "mean", quantize: true, precision: "ubinary" });
  assert.deepEqual([bits.type, bits.dims], ["uint8", [2, model.hiddenSize / 8]]);
  const floats = (await extract("a dog", { pooling: "mean" })).data;
  const byte = floats.subarray(0, 8).reduce((sum, number, i) => sum + (number > 0 ? 128 >> i : 0), 0);
  assert.equal(bits.tolist()[1][0], byte);
  assert.equal((await extract("a dog", { pooling: "mean", quantize: true })).data[0], byte - 128);
  await rejects(extract("a", { pooling: "mean", quantize: true, precision: "int4" }), /precision: found "int4"/);
  await rejects(extract("a", { pool: "mean" }), /options: found 'pool', expected any of pooling, normalize, quantize/);
  const short = await pipeline("feature-extraction", null, { dtype: "q8", device: "cpu" });
  assert.equal(short.model.precision, (await Model.load(null, { precision: "int8" })).precision);
  await rejects(pipeline("feature-extraction", null, { dtype: "q4" }), /dtype: found "q4", expected one of auto, fp32, q8/);
  await rejects(pipeline("feature-extraction", null, { device: "webgpu" }), /device: found "webgpu", expected one of auto/);
  const fill = await pipeline("fill-mask");
  const filled = await fill("a [MASK] sat", { top_k: 2 });
  assert.equal(filled.length, 2);
  assert.equal(filled[0].sequence, `a ${filled[0].token_str} sat`);
  assert.equal((await fill(["a [MASK]", "the [MASK]"])).length, 2);
  await rejects(fill("a [MASK]", { topk: 2 }), /options: found 'topk'/);
  await fill.dispose();
  const classify = await pipeline("text-classification", join(tinyModels, "classes"));
  assert.equal((await classify("a", { top_k: null })).length, 3);
  await rejects(classify("a", { function_to_apply: "none" }), /options: found 'function_to_apply', expected any of top_k/);
  const tagged = await pipeline("ner", join(tinyModels, "firing-tagger"));
  assert.equal((await tagged("a brown fox")).length, 2);
  assert.ok((await tagged("the brown fox ".repeat(60))).length < 30);  // transformers.js cuts the text too
  assert.equal((await tagged("a brown fox", { ignore_labels: ["O", "B-ANIMAL"] })).length, 1);
  await rejects(tagged("a", { ignore_labels: [] }), /ignore_labels: found \[\], expected labels with "O" among them/);
});

const data = process.env.BERT_TEST_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const skip = existsSync(join(data, "family")) ? false : "SKIPPED, no family/tiny-* (set BERT_TEST_DATA)";
test("words are parts of the text, and pipelines have their keys", { skip }, async () => {
  const tagger = await Model.load(join(data, "family", "tiny-tagger"));
  const text = "🎻 A bird is bathing in a sink.";
  const entities = await tagger.tag(text, { aggregation: "none" });
  assert.ok(entities.length > 0);
  for (const { start, end, word } of entities) assert.equal(text.slice(start, end), word);
  const ner = await pipeline("ner", tagger);
  assert.deepEqual(Object.keys((await ner(text))[0]), ["entity", "score", "word", "start", "end"]);
  const reader = await Model.load(join(data, "family", "tiny-qa"));
  const context = "🎻 A cat sat on the mat.";
  const [answer] = await reader.answer("Who sat?", context);
  assert.equal(context.slice(answer.start, answer.end), answer.answer);
  const ask = await pipeline("question-answering", reader);
  assert.equal((await ask("Who sat?", context)).answer, answer.answer);
});

test("the types are those of the code", () => {
  const types = readFileSync(join(dirname(process.env.BERT_NODE_PACKAGE), "index.d.ts"), "utf8");
  for (const name of Object.getOwnPropertyNames(Model.prototype)) {
    if (name !== "constructor") assert.match(types, new RegExp(`^  (static )?${name}[(<]`, "m"), name);
  }
  assert.equal(types.match(/^ {2}\[Symbol.dispose\]\(\)/gm)?.length, 2);  // in Model and VectorIndex
  for (const name of Object.keys(model)) assert.match(types, new RegExp(`readonly ${name}:`), name);
});
