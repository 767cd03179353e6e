// Tests the packed package in ES modules, in CommonJS modules, and in TypeScript programs of both kinds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { compile, install, withoutTools as skip } from "../packed.mjs";

const folder = mkdtempSync(join(tmpdir(), "bert-infer-packed-"));
after(() => rmSync(folder, { recursive: true }));
const own = (name) => new URL(name, import.meta.url);
const lines = readFileSync(own("../six_lines.js"), "utf8").replace("bert-infer-web", "bert-infer");
const [head, ...body] = lines.split("\n\n");
const asModule = `${lines}console.log(globalThis.found);\n`;
const asFunction = (first) => `${first}\nasync function main() {\n${body}console.log(globalThis.found);\n}\nmain();\n`;
const written = (name, text) => writeFileSync(join(folder, name), text);
const run = (name) => execFileSync(process.execPath, [name], { cwd: folder, encoding: "utf8" });
let files;

before(() => {
  if (!skip) ({ files } = install(dirname(process.env.BERT_NODE_PACKAGE), folder));
});

test("the package has its licence, and what it exports", { skip }, () => {
  for (const name of ["LICENSE", "README.md", "index.cjs", "index.mjs", "index.d.ts", "index.d.mts"]) {
    assert.ok(files.includes(name), name);
  }
  written("same.mjs", `import { createRequire } from "node:module";
    import * as imported from "bert-infer";
    const require = createRequire(import.meta.url), required = require("bert-infer");
    console.log(Object.keys(required).every((name) => imported[name] === required[name]),
      Object.keys(imported).length - Object.keys(required).length, require("bert-infer/package.json").name);`);
  assert.equal(run("same.mjs"), "true 0 bert-infer\n");
});

test("modules, CommonJS, and TypeScript as both", { skip }, () => {
  written("module.mjs", asModule);
  const expected = run("module.mjs");
  assert.match(expected, /^2 -?0\.\d+ 1\n$/);
  written("common.cjs", asFunction(head.replace("import", "const").replace("from", "= require(").replace('";', '");')));
  assert.equal(run("common.cjs"), expected);
  const declared = "declare global { var found: string }\n";
  written("module_typed.mts", asModule.replace("\n", `\n${declared}`));
  written("common_typed.cts", asFunction(`${head}\n${declared}`));
  for (const name of ["types.mts", "types.cts"]) copyFileSync(own("types.ts"), join(folder, name));
  const sources = ["module_typed.mts", "common_typed.cts", "types.mts", "types.cts"];
  compile(folder, "--module", "nodenext", "--lib", "es2022,dom", "--types", "", ...sources);
  assert.equal(run("module_typed.mjs"), expected);
  assert.equal(run("common_typed.cjs"), expected);
});
