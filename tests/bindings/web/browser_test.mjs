// Tests the package in a headless Chromium: models in a worker, files in the browser's cache, pages without workers,
// without a cache or with a full one, wrong files, threads in an isolated page, and each family's output bits.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Browser, serve } from "../../support/chromium.mjs";
import { failures, resumed, weights } from "./wrong_weights.mjs";

const folder = mkdtempSync(join(tmpdir(), "bert-infer-browser-"));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);
const tests = fileURLToPath(new URL("../..", import.meta.url));
const data = process.env.BERT_TEST_DATA ?? join(tests, "../../shared/data");
const built = dirname(process.env.BERT_NODE_PACKAGE);

const kinds = { ...weights, resumed };
function answerWeights(request, answer) {
  const [, kind] = request.url.match(/^\/(\w+)\/model\.safetensors$/) ?? [];
  if (!Object.hasOwn(kinds, kind)) return false;
  kinds[kind](answer, readFileSync(join(folder, "embedder/model.safetensors")), request.headers.range);
  return true;
}

const skip = process.env.BERT_CHROMIUM ? false : "SKIPPED, no Chromium (Debian's chromium has it)";
// Pages with these headers are cross-origin isolated, so they may use threads.
const headers = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
let server, isolated, browser, page;
const open = async (options, from = server) => {
  const opened = await browser.page(options);
  await opened.open(`${from.origin}/tests/bindings/web/browser_page.html`);
  await opened.until("globalThis.embedAt");
  return opened;
};
const run = async (on, name, ...given) => on.evaluate(`${name}(${given.map((one) => JSON.stringify(one)).join(", ")})`);
before(async () => {
  if (skip) return;
  const others = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, join(folder, "embedder")]));
  const roots = { package: built, models: folder, tests, data, ...others };
  server = await serve(roots, { more: answerWeights });
  isolated = await serve(roots, { headers });
  browser = await Browser.start(process.env.BERT_CHROMIUM, join(folder, "profile"));
  page = await open({ script: `Object.defineProperty(globalThis, "Worker", { value: class extends Worker {
    constructor(...given) { super(...given); globalThis.workers = (globalThis.workers ?? 0) + 1; } } })` });
});
after(async () => {
  await browser?.close();
  await server?.close();
  await isolated?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

test("all cases hold in a worker", { skip }, async () => {
  const result = await run(page, "runCases");
  assert.ok(result.cases > 110);
  assert.equal(result.isRelaxed, true);
  assert.deepEqual(result.failures, []);
  assert.deepEqual(result.notices.filter((notice) => notice.includes("browser")), []);
  assert.equal(await page.evaluate("globalThis.workers"), 1);
});

test("the second visit reads the weights from the cache", { skip }, async () => {
  const before = server.requests.length;
  assert.deepEqual((await run(await open(), "runCases")).failures, []);
  assert.ok(!server.requests.slice(before).includes("/models/embedder/model.safetensors"));
});

const NO_WORKER = "globalThis.Worker = class { constructor() { throw new Error('no worker'); } };";
const others = {
  "no worker": { script: NO_WORKER },
  "no storage": { script: `${NO_WORKER} delete globalThis.caches;` },
  "full storage": { isApart: true },
};
for (const [name, options] of Object.entries(others)) {
  test(`${name}: the same numbers`, { skip }, async () => {
    const expected = await run(page, "embedAt", "/models/embedder");
    const other = await open(options);
    if (name === "full storage") {
      await other.send("Storage.overrideQuotaForOrigin", { origin: server.origin, quotaSize: 1000 });
    }
    const { vector, notices } = await run(other, "embedAt", "/models/embedder");
    assert.equal(vector, expected.vector);
    const kept = notices.filter((notice) => notice.startsWith("the browser keeps no copy of the model: "));
    assert.equal(kept.length, name === "full storage" ? 1 : 0, String(notices));
    assert.ok(!kept.join().includes("\n"));
  });
}

test("a service worker, and a page whose policy forbids all but the package's needs", { skip }, async () => {
  const { vector } = await run(page, "embedAt", "/models/embedder");
  assert.equal(await run(await open(), "askService", "/models/embedder"), vector);
  // browser_page.html has inline scripts.
  const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
  const strict = await serve({ package: built, models: folder, tests }, { headers: { "content-security-policy": policy } });
  assert.equal((await run(await open({}, strict), "embedAt", "/models/embedder")).vector, vector);
  await strict.close();
});

test("where a page is not isolated, a closed model's memory goes, and an ended call leaves nothing", { skip }, async () => {
  const opened = await open();
  const states = await run(opened, "loadAgain", "/models/embedder", {}, 3);
  for (const [first, many, closed] of states) {
    assert.equal(many, first);
    assert.ok(parseInt(closed) < parseInt(first) / 1.9, `${first}, ${closed}`);
  }
  assert.equal(new Set(states.map(String)).size, 1, String(states));
  assert.equal(await run(opened, "endedCall"), "left");
});

test("wrong files are one line, and the page goes on", { skip }, async () => {
  const expected = await run(page, "embedAt", "/models/embedder");
  for (const [kind, [code, message]] of Object.entries(failures)) {
    const found = await run(page, "embedAt", `/${kind}`);
    assert.equal(found.code, code, `${kind}: ${found.message}`);
    assert.match(found.message, message);
    assert.ok(!found.message.includes("\n"));
    assert.equal((await run(page, "embedAt", "/models/embedder")).vector, expected.vector, kind);
  }
});

test("a wrong file is fetched again", { skip }, async () => {
  const asked = () => server.requests.filter((path) => path === "/wrong/model.safetensors").length;
  const before = asked();
  for (const requests of [1, 2]) {
    assert.equal((await run(page, "embedAt", "/wrong")).code, "BERT_INVALID_FILE");
    assert.equal(asked(), before + requests);
  }
});

test("a file whose connection broke goes on from there, and is kept whole", { skip }, async () => {
  const { vector } = await run(page, "embedAt", "/models/embedder");
  const asked = () => server.requests.filter((path) => path === "/resumed/model.safetensors").length;
  for (const requests of [2, 2]) {
    assert.equal((await run(page, "embedAt", "/resumed")).vector, vector);
    assert.equal(asked(), requests);
  }
});

const filesIn = (from) => readdirSync(from, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && !file.name.endsWith(".npy"))
  .map((file) => join(file.parentPath ?? file.path, file.name).slice(from.length + 1));

const threadsModule = "/package/bert_infer_threads.wasm";

test("an isolated page computes with two threads: all cases, and memory and threads end with the models",
  { skip }, async () => {
    const opened = await open({}, isolated);
    const { failures: found, notices, threads } = await run(opened, "runCases", { threads: 2 });
    assert.deepEqual(found, []);
    assert.deepEqual(notices.filter((notice) => notice.includes("threads")), []);
    assert.equal(threads, 1);
    assert.equal(isolated.requests.filter((path) => path === threadsModule).length, 1);
    const states = await run(opened, "loadAgain", "/models/embedder", { threads: 2 }, 5);
    for (const [first, many, closed] of states) {
      assert.equal(many, first);
      assert.match(first, / 1$/);
      assert.match(closed, / 0$/);
    }
    assert.equal(new Set(states.map(String)).size, 1, String(states));
    assert.equal(await run(opened, "endedCall", { threads: 2 }), "left");
  });

test("one thread, and a line that says why: no isolation, no worker, one that cannot start", { skip }, async () => {
  const { vector } = await run(page, "embedAt", "/models/embedder");
  const more = (request, answer) => request.url === "/package/thread.js" && Boolean(answer.writeHead(404).end());
  const broken = await serve({ package: built, models: folder, tests }, { headers, more });
  const cases = [
    [page, {}, /^1 of 2 threads computes: the page is not isolated by the headers COOP and COEP$/],
    [await open({}, isolated), { worker: false }, /^1 of 2 threads computes: the page's own thread may not wait/],
    [await open({}, broken), {}, /^1 of 2 threads computes: a thread's worker did not start: it could not be loaded$/],
  ];
  for (const [on, options, line] of cases) {
    const found = await run(on, "embedAt", "/models/embedder", { threads: 2, ...options });
    assert.equal(found.vector, vector);
    assert.equal(found.notices.filter((notice) => line.test(notice)).length, 1, String(found.notices));
  }
  assert.ok(!server.requests.includes(threadsModule));
  const { notices } = await run(page, "embedAt", "/models/embedder");
  assert.deepEqual(notices.filter((notice) => notice.includes("thread")), []);
  await broken.close();
});

test("models have the bits of x86-64", { skip }, async (t) => {
  const lines = readFileSync(join(tests, "models/digests.txt"), "utf8").trim().split("\n");
  const digests = new Map(lines.map((line) => line.split(" ")));
  const threaded = await open({}, isolated);
  for (const [on, name] of [[page, "digestAt"], [threaded, "threadedDigestAt"]]) {
    const builtin = await run(on, name, "/package/builtin", filesIn(join(built, "builtin")));
    assert.equal(builtin, digests.get("built-in"));
  }
  const named = [...digests.keys()].filter((name) => existsSync(join(data, name, "golden.json")));
  const chosen = named.filter((name) => digests.has(`int8/${name}`)).filter((_, i) => i % 3 === 0);
  if (named.length === 0) return t.diagnostic("SKIPPED the families, no family/ (set BERT_TEST_DATA)");
  assert.ok(chosen.length >= 20, `${chosen.length} models`);
  for (const [i, name] of chosen.entries()) {
    const files = filesIn(join(data, name));
    for (const [precision, expected] of [[0, name], [2, `int8/${name}`], [3, `bfloat16/${name}`]]) {
      const given = [`/data/${name}`, files, precision];
      assert.equal(await run(page, "digestAt", ...given), digests.get(expected), expected);
      if (i % 2 === 1) continue;
      assert.equal(await run(threaded, "threadedDigestAt", ...given), digests.get(expected), `${expected}, 2 threads`);
    }
  }
});
