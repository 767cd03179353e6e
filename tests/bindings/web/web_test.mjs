// Tests what only the package for web pages has: files from a form and from memory, models from addresses, their
// failures, bounded memory, and threads of a separate module.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { failures, resumed, weights as wrong } from "./wrong_weights.mjs";

const { Model } = await import(process.env.BERT_NODE_PACKAGE);
const packageFile = (name) => new URL(name, `file://${process.env.BERT_NODE_PACKAGE}`);
const { native } = await import(packageFile("native.js"));
const { hasRelaxedSimd } = await import(packageFile("engine.js"));
const { threadedEngine } = await import(packageFile("threads.js"));
const calls = await import(packageFile("calls.js"));
const folder = mkdtempSync(join(tmpdir(), "bert-infer-web-"));
after(() => rmSync(folder, { recursive: true }));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);

const text = "the quick fox";
const expected = await (await Model.load(join(folder, "embedder"))).embed(text);

/** Answers to a request for /KIND/model.safetensors, by KIND. Other files are the tiny embedder's. */
const weights = {
  ...wrong,
  resumed,
  whole: (answer, bytes) => answer.writeHead(200, { "content-length": bytes.length }).end(bytes),
  unsized: (answer, bytes) => answer.write(bytes, () => answer.end()),
};
const builtin = fileURLToPath(packageFile("builtin"));
const missing = [];  // requested files that do not exist
const server = createServer((request, answer) => {
  const [, kind, name] = request.url.match(/^\/(\w+)\/(.*)$/) ?? [];
  let bytes;
  try {
    bytes = readFileSync(join(kind === "sentences" ? builtin : join(folder, "embedder"), name));
  } catch {
    missing.push(name);
    // Some hosts answer with a page of their own and status 200.
    return answer.writeHead(kind === "pages" ? 200 : 404, { "content-type": "text/html" }).end("<p>no such file");
  }
  if (name === "model.safetensors") return (weights[kind] ?? weights.whole)(answer, bytes, request.headers.range);
  return answer.end(bytes);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());
const address = (kind) => `http://127.0.0.1:${server.address().port}/${kind}`;

for (const kind of ["whole", "unsized", "pages", "resumed"]) {
  test(`a model from an address, ${kind}`, async () => {
    const steps = [];
    const model = await Model.load(address(kind), { onProgress: (step) => steps.push(step) });
    assert.deepEqual(await model.embed(text), expected);
    const last = steps.filter(({ file }) => file === "model.safetensors").pop();
    const { length } = readFileSync(join(folder, "embedder", "model.safetensors"));
    assert.equal(last.loaded, length);
    assert.equal(last.total, kind === "unsized" ? null : length);
  });
}

test("a load asks for what the files imply, or for those that are named", async () => {
  const load = async (kind, options) => {
    missing.length = 0;
    const vector = await (await Model.load(address(kind), options)).embed(text);
    return [vector, [...missing].sort()];
  };
  const [vector, notThere] = await load("sentences");
  assert.deepEqual(vector, await (await Model.load()).embed(text));
  assert.deepEqual(notThere, [
    "2_Normalize/config.json", "added_tokens.json", "config_sentence_transformers.json", "special_tokens_map.json", "tokenizer.json",
  ]);
  assert.deepEqual((await load("whole", { files: ["config.json", "vocab.txt", "model.safetensors"] }))[1], []);
  await assert.rejects(Model.load(address("whole"), { files: ["vocab.txt"] }), { code: "BERT_NOT_FOUND", message: /config/ });
});

test("every name of a model's file is known", () => {
  const listed = readFileSync(new URL("../../../models/files/model_files.txt", import.meta.url), "utf8");
  const source = readFileSync(packageFile("directory.js"), "utf8");
  for (const [, name] of listed.matchAll(/^[a-z]+ (.+)$/gm)) {
    assert.ok(source.includes(name.replace("*", "${type}")), name);
  }
});

test("a model from a form's files and from memory", async () => {
  const names = readdirSync(join(folder, "embedder"));
  const bytes = (name) => readFileSync(join(folder, "embedder", name));
  const table = Object.fromEntries(names.map((name) => [name, new Uint8Array(bytes(name))]));
  const files = names.map((name) => Object.assign(new Blob([bytes(name)]), { name, webkitRelativePath: `dir/${name}` }));
  for (const given of [table, new Map(Object.entries(table)), files]) {
    const model = await Model.load(given);
    assert.deepEqual(await model.embed(text), expected);
    assert.deepEqual(model.tokenize(text).tokens.slice(0, 2), ["[CLS]", "the"]);
  }
  await assert.rejects(Model.load({ "config.json": 7 }), /config.json.*expected files/);
  await assert.rejects(Model.load({ "config.json": new Uint8Array(3) }), { code: "BERT_INVALID_FILE" });
  await assert.rejects(Model.load(7), TypeError);
});

for (const [kind, [code, message]] of Object.entries(failures)) {
  test(`${kind} weights are one line, and the package goes on`, async () => {
    await assert.rejects(Model.load(address(kind)), (error) => {
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      assert.ok(!error.message.includes("\n"));
      return true;
    });
    assert.deepEqual(await (await Model.load(address("whole"))).embed(text), expected);
  });
}

test("where nothing is, and no server", async () => {
  await assert.rejects(Model.load(`${address("whole")}/nothing`), { code: "BERT_NOT_FOUND" });
  await assert.rejects(Model.load("http://127.0.0.1:1/x"), { code: "BERT_IO", message: /cannot be fetched/ });
});

test("a signal that has ended", async () => {
  const reason = new Error("left");
  await assert.rejects(Model.load(address("whole"), { signal: AbortSignal.abort(reason) }), reason);
});

test("an adapter, from an address and from files, is merged; without one a line says where it was sought", async () => {
  const merged = await (await Model.load(join(folder, "merged"))).embed(text);
  assert.notDeepEqual(merged, expected);
  const files = Object.fromEntries(readdirSync(join(folder, "adapter")).map(
    (name) => [name, readFileSync(join(folder, "adapter", name))]));
  for (const adapter of [join(folder, "adapter"), files]) {
    const model = await Model.load(join(folder, "embedder"), { adapter });
    assert.deepEqual(await model.embed(text), merged);
    model.close();
  }
  await assert.rejects(Model.load(join(folder, "embedder"), { adapter: address("none") }), {
    code: "BERT_NOT_FOUND", message: /\/none\/: no such directory, expected adapter_config.json there/,
  });
});

test("an expression that needs Oniguruma is refused by name", async () => {
  const files = Object.fromEntries(["config.json", "model.safetensors"].map(
    (name) => [name, readFileSync(join(folder, "embedder", name))]));
  const tokenizer = {
    model: { type: "BPE", vocab: { a: 0, b: 1 }, merges: [] },
    pre_tokenizer: { type: "Split", pattern: { Regex: "(?<=a)b+" }, behavior: "Isolated", invert: false },
  };
  const given = { ...files, "tokenizer.json": new TextEncoder().encode(JSON.stringify(tokenizer)) };
  const refused = { code: "BERT_UNSUPPORTED", message: /tokenizer.json.*'\(\?<=a\)b\+' needs Oniguruma: / };
  const model = await Model.load(given);
  assert.throws(() => model.tokenize("ab"), refused);
  await assert.rejects(model.embed("ab"), refused);
});

test("short passes keep no second copy of the weights", async () => {
  const model = await Model.load(null, { precision: "float32" });
  await model.embed(text);
  const before = await native.memory();
  for (let i = 0; i < 40; ++i) await model.embed(text);
  assert.equal(await native.memory(), before);
  model.close();
});

test("memory does not grow", async () => {
  const model = await Model.load(join(folder, "embedder"));
  await model.embed(Array.from({ length: 200 }, (_, i) => `${text} ${i}`));
  const before = await native.memory();
  for (let i = 0; i < 50; ++i) await model.embed(Array.from({ length: 200 }, (_, j) => `${text} ${i} ${j}`));
  assert.equal(await native.memory(), before);
  const load = async () => {
    const other = await Model.load(null, { precision: "float32" });
    await other.embed(text);
    other.close();
  };
  await load();
  const once = await native.memory();
  for (let i = 0; i < 10; ++i) await load();
  assert.equal(await native.memory(), once);
});

const skip = hasRelaxedSimd() ? false : "SKIPPED, this Node has no relaxed instructions";
test("threads: the same numbers, and none is left when the models are closed", { skip }, async () => {
  const models = await Promise.all([2, 2, 3].map((threads) => Model.load(join(folder, "embedder"), { threads })));
  for (const model of models) {
    assert.deepEqual(model.notices.filter((notice) => notice.includes("threads")), []);
    assert.deepEqual(await model.embed(text), expected);
  }
  assert.equal(await native.threads(), 3);
  for (const model of models) model.close();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(await native.threads(), 0);
  await assert.rejects(Model.load(null, { threads: 1025 }), {
    code: "BERT_INVALID_ARGUMENT", message: "1025 threads requested, expected at most 1024",
  });
});

test("a thread that ends makes later calls errors", { skip }, async () => {
  const module = await WebAssembly.compile(readFileSync(packageFile("bert_infer_threads.wasm")));
  const engine = await threadedEngine(module, {}, 2);
  for (const name of readdirSync(join(folder, "embedder"))) {
    const bytes = readFileSync(join(folder, "embedder", name));
    engine.write(engine.addFile(`/model/${name}`, bytes.length), bytes);
  }
  const model = calls.loadModel(engine, "/model", {});
  const embed = () => calls.embed(engine, model, Array(50).fill(text), {});
  embed();
  engine.functions.end_thread();  // the thread traps when it waits again
  await assert.rejects(async () => {
    for (let i = 0; i < 1000; ++i) {
      embed();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }, { code: "BERT_INTERNAL", message: /^the module (has )?ended: unreachable$/ });
  engine.endThreads();
});
