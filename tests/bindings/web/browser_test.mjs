// The package in a headless Chromium: models in a worker, files in the browser's cache, and pages that have neither.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "bert-infer-browser-"));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);
const here = dirname(new URL(import.meta.url).pathname);
const roots = { package: dirname(process.env.BERT_NODE_PACKAGE), models: folder, tests: join(here, "..", "..") };
const script = "text/javascript";
const types = { js: script, mjs: script, html: "text/html", wasm: "application/wasm", json: "application/json" };

let report;
const requests = [];
const server = createServer((request, answer) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname === "/report") {
    let body = "";
    request.on("data", (piece) => (body += piece)).on("end", () => (report(JSON.parse(body)), answer.end()));
    return;
  }
  requests.push(pathname);
  const [, root, name] = pathname.match(/^\/(\w+)\/(.+)$/) ?? [];
  try {
    const bytes = readFileSync(join(roots[root], name));
    answer.writeHead(200, { "content-type": types[name.split(".").pop()] ?? "application/octet-stream" }).end(bytes);
  } catch {
    answer.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());

/** What the page of that name reports, in a Chromium with a profile of its own. */
async function visit(page) {
  const address = `http://127.0.0.1:${server.address().port}/tests/bindings/web/browser_page.html?${page}`;
  const reported = new Promise((resolve) => (report = resolve));
  const browser = spawn(process.env.BERT_CHROMIUM, [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${join(folder, "profile")}`, address,
  ], { stdio: "ignore" });
  const ended = new Promise((resolve) => browser.on("exit", resolve));
  const slow = new Promise((resolve) => setTimeout(() => resolve({ error: "no report after 60 s" }), 60_000).unref());
  const result = await Promise.race([reported, ended.then((code) => ({ error: `Chromium ended: ${code}` })), slow]);
  browser.kill();
  await ended;
  assert.equal(result.error, undefined, result.error);
  return result;
}

const skip = process.env.BERT_CHROMIUM ? false : "SKIPPED, no Chromium (Debian's chromium has it)";
test("all cases hold in a worker", { skip }, async () => {
  const result = await visit("cases");
  assert.ok(result.cases > 110);
  assert.equal(result.isRelaxed, true);
  assert.equal(result.inWorker, true);
  assert.deepEqual(result.failures, []);
});

test("the second visit reads the weights from the cache", { skip }, async () => {
  const before = requests.length;
  const result = await visit("cases");
  assert.deepEqual(result.failures, []);
  assert.ok(!requests.slice(before).includes("/models/embedder/model.safetensors"));
});

for (const page of ["no-worker", "no-cache", "full-cache"]) {
  test(`${page}: the same numbers`, { skip }, async () => {
    const result = await visit(page);
    assert.deepEqual(result.failures, []);
    assert.equal(result.inWorker, page === "no-cache");
    if (page === "full-cache") assert.match(result.notices.join(), /the browser keeps no copy of the model: /);
  });
}
