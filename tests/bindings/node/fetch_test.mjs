// Tests that fetchModel and the package's command fetch models from a hub on localhost, and that these models load by
// name.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { promisify } from "node:util";

const { Model, fetchModel } = await import(process.env.BERT_NODE_PACKAGE);
const folder = mkdtempSync(join(tmpdir(), "bert-infer-fetch-"));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const model = join(folder, "several-vectors");
const read = (name) => readFileSync(join(model, name));
const hash = (kind, ...parts) => parts.reduce((sum, part) => sum.update(part), createHash(kind)).digest("hex");

let requests = [], wrong = null;
function entry(path) {
  const bytes = read(path), oid = hash("sha1", `blob ${bytes.length}\0`, bytes);
  const isLarge = path.endsWith(".safetensors");
  return { type: "file", path, size: bytes.length, oid, ...(isLarge && { lfs: { oid: hash("sha256", bytes) } }) };
}
const hub = createServer((request, answer) => {
  requests.push(request);
  const { pathname, search } = new URL(request.url, "http://hub");
  const json = (value, headers = {}) => answer.writeHead(200, headers).end(JSON.stringify(value));
  const file = pathname.match(`^/org/name/resolve/${COMMIT}/(.*)$`)?.[1];
  if (pathname === "/api/models/org/name/revision/main") return json({ sha: COMMIT });
  if (pathname === `/api/models/org/name/tree/${COMMIT}`) {
    const paths = readdirSync(model, { recursive: true }).filter((path) => statSync(join(model, path)).isFile());
    const half = paths.length >> 1;
    if (search.includes("cursor")) return json(paths.slice(half).map(entry));
    return json(paths.slice(0, half).map(entry), { link: `<${origin}${pathname}?recursive=true&cursor=1>; rel="next"` });
  }
  if (!file || !existsSync(join(model, file))) return answer.writeHead(404).end();
  return answer.end(file === wrong ? Buffer.alloc(read(file).length) : read(file));
});
await new Promise((resolve) => hub.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${hub.address().port}`;
after(() => {
  hub.close();
  rmSync(folder, { recursive: true });
});

let cache;
beforeEach(() => {
  requests = [];
  wrong = null;
  cache = mkdtempSync(join(folder, "cache-"));
  Object.assign(process.env, { HF_ENDPOINT: origin, HF_HUB_CACHE: cache, HF_TOKEN: "", HF_HUB_OFFLINE: "" });
});

test("a fetched model is loaded by its name, and fetched once", async () => {
  const files = new Set();
  const directory = await fetchModel("org/name", { onProgress: ({ file }) => files.add(file) });
  assert.equal(directory, join(cache, "models--org--name/snapshots", COMMIT));
  assert.deepEqual([...files].sort(), readdirSync(model, { recursive: true }).filter((name) => files.has(name)).sort());
  assert.ok(files.has("colbert_linear/model.safetensors"));
  const expected = await (await Model.load(model)).embed("the quick fox");
  assert.deepEqual(await (await Model.load("org/name")).embed("the quick fox"), expected);
  const before = requests.length;
  assert.equal(await fetchModel("org/name"), directory);
  assert.ok(requests.slice(before).every(({ url }) => !url.includes("/resolve/")));
});

test("the command prints the directory", async () => {
  const program = join(dirname(process.env.BERT_NODE_PACKAGE), "program.js");
  const run = (...given) => promisify(execFile)(process.execPath, [program, ...given]);
  const { stdout, stderr } = await run("fetch", "org/name");
  assert.equal(stdout, `${join(cache, "models--org--name/snapshots", COMMIT)}\n`);
  assert.match(stderr, /^model.safetensors: \d+ bytes$/m);
  await assert.rejects(run("fetch", "org/other"), { code: 1, stderr: /^bert-infer: error: .*answered 404, expected 200\n$/ });
  await assert.rejects(run("embed", "a"), { code: 2, stderr: /^usage: bert-infer fetch / });
});

test("what is wrong is one line, and nothing loads", async () => {
  wrong = "model.safetensors";
  await assert.rejects(fetchModel("org/name"), { code: "BERT_IO", message: /model.safetensors: its bytes are not those/ });
  await assert.rejects(Model.load("org/name"), { code: "BERT_NOT_FOUND" });
  wrong = null;
  await fetchModel("org/name");  // fetches the other files
  await Model.load("org/name");
  for (const name of ["../name", "/org/name", "org/name/x", "", 7, "org/..name/.."]) {
    await assert.rejects(fetchModel(name), { name: "TypeError", message: /^name: found / });
  }
  await assert.rejects(fetchModel("org/name", { revision: "../x" }), /^TypeError: revision: found/);
  process.env.HF_TOKEN = "hf_x";
  await fetchModel("org/name");
  assert.equal(requests.at(-1).headers.authorization, "Bearer hf_x");
  process.env.HF_ENDPOINT = "http://mirror.example";
  await assert.rejects(fetchModel("org/name"), /the token of HF_TOKEN is not sent to 'http:\/\/mirror.example/);
  process.env.HF_HUB_OFFLINE = "1";
  await assert.rejects(fetchModel("org/name"), /HF_HUB_OFFLINE is set/);
});
