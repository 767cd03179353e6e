// Tests the packed package in Chromium, in pages built by vite, webpack and esbuild and in vite's development server.
// The pages must find the package's files, compute in workers and threads, and return Node's numbers.
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Browser, serve } from "../../support/chromium.mjs";
import { compile, install, require, withoutTools } from "../packed.mjs";

const skip = process.env.BERT_CHROMIUM ? withoutTools : "SKIPPED, no Chromium (Debian's chromium has it)";
const folder = mkdtempSync(join(tmpdir(), "bert-infer-bundlers-"));
const lines = readFileSync(new URL("../six_lines.js", import.meta.url), "utf8");
const isolating = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
let browser, expected, installed;

before(async () => {
  if (skip) return;
  ({ installed } = install(dirname(process.env.BERT_NODE_PACKAGE), folder));
  writeFileSync(join(folder, "main.js"), lines);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "index.html"), '<!doctype html><script type="module" src="./main.js"></script>');
  await import(pathToFileURL(join(folder, "main.js")));
  expected = globalThis.found;
  browser = await Browser.start(process.env.BERT_CHROMIUM, join(folder, "profile"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function foundAt(address) {
  const page = await browser.page({ script: `globalThis.problems = [];
    for (const kind of ["error", "unhandledrejection"]) {
      addEventListener(kind, ({ message, reason }) => problems.push(message ?? String(reason?.stack ?? reason)));
    }` });
  await page.open(address);
  await page.until("globalThis.found || problems.length > 0");
  assert.deepEqual(await page.evaluate("problems"), []);
  return page.evaluate("found");
}

async function foundIn(output) {
  const server = await serve({ page: output }, { headers: isolating });
  try {
    return await foundAt(`${server.origin}/page/`);
  } finally {
    await server.close();
  }
}

const page = (script, options = "type=\"module\"") => `<!doctype html><script ${options} src="${script}"></script>`;

test("a page of vite", { skip }, async () => {
  const { build } = await import(require.resolve("vite"));
  await build({ root: folder, base: "./", logLevel: "error", build: { outDir: "vite", minify: false } });
  assert.equal(await foundIn(join(folder, "vite")), expected);
});

test("vite's development server", { skip }, async () => {
  const { createServer } = await import(require.resolve("vite"));
  const server = await createServer({ root: folder, logLevel: "error", server: { port: 0, host: "127.0.0.1", headers: isolating } });
  await server.listen();
  try {
    const { port } = server.httpServer.address();
    assert.equal(await foundAt(`http://127.0.0.1:${port}/`), expected);
  } finally {
    await server.close();
  }
});

test("a page of webpack", { skip }, async () => {
  const output = join(folder, "webpack");
  const stats = await new Promise((resolve, reject) => require("webpack")({
    context: folder, entry: "./main.js", mode: "development", devtool: false, output: { path: output },
  }, (error, made) => (error ? reject(error) : resolve(made))));
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
  writeFileSync(join(output, "index.html"), page("main.js"));
  assert.equal(await foundIn(output), expected);
});

test("a page of esbuild, with the package's files beside it", { skip }, async () => {
  const output = join(folder, "esbuild");
  require("esbuild").buildSync({
    absWorkingDir: folder, entryPoints: ["main.js"], bundle: true, format: "esm", outdir: output, logLevel: "silent",
  });
  cpSync(installed, output, { recursive: true });
  writeFileSync(join(output, "index.html"), page("main.js"));
  assert.equal(await foundIn(output), expected);
});

test("the types", { skip: withoutTools }, () => {
  copyFileSync(new URL("types.ts", import.meta.url), join(folder, "types.ts"));
  compile(folder, "--module", "esnext", "--moduleResolution", "bundler", "--types", "", "--noEmit", "types.ts");
});
