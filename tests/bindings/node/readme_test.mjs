// Runs the README's example and examples/node. Both import the package by its name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

const sources = new URL("../../../", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "bert-infer-readme-"));
// Windows removes no file that a process has mapped.
after(() => process.platform === "win32" || rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "node_modules"));
cpSync(dirname(process.env.BERT_NODE_PACKAGE), join(folder, "node_modules", "bert-infer"), { recursive: true });

const run = (...given) => execFileSync(process.execPath, given, { cwd: folder, encoding: "utf8" });

test("the README's example gives vectors and the best document", () => {
  const readme = readFileSync(new URL("bindings/node/README.md", sources), "utf8");
  const [example, ...others] = readme.split("```js\n").slice(1).map((part) => part.split("```")[0]);
  assert.equal(others.length, 0);
  writeFileSync(join(folder, "readme.mjs"), `${example}\nconsole.log(vectors.length, best.index);\n`);
  assert.equal(run("readme.mjs"), "2 1\n");
});

test("search.mjs prints what the program's search finds", () => {
  const lines = ["The cat sleeps", "I forgot my password", "Opening hours of the shop", "", "Two dogs run"];
  writeFileSync(join(folder, "lines.txt"), lines.join("\n"));
  writeFileSync(join(folder, "search.mjs"), readFileSync(new URL("examples/node/search.mjs", sources)));
  const query = "How to reset your password";
  const found = run("search.mjs", "lines.txt", query).trim().split("\n");
  const given = ["search", "--corpus", join(folder, "corpus.txt"), "--top-k", "3", "--format", "json", query];
  writeFileSync(join(folder, "corpus.txt"), `${lines.filter((line) => line !== "").join("\n")}\n`);
  const { results } = JSON.parse(execFileSync(process.env.BERT_INFER_PROGRAM, given, { encoding: "utf8" }));
  const expected = results.map(({ score, text }) => `${score.toFixed(3)} ${text}`);
  assert.deepEqual(found, expected);
});

test("search.mjs without a query says how it is used", () => {
  writeFileSync(join(folder, "usage.mjs"), readFileSync(new URL("examples/node/search.mjs", sources)));
  assert.throws(() => execFileSync(process.execPath, ["usage.mjs"], { cwd: folder, stdio: "pipe" }), (error) => {
    assert.equal(error.status, 2);
    assert.match(String(error.stderr), /^usage: node search.mjs FILE "a query" \[MODEL\]\n$/);
    return true;
  });
});
