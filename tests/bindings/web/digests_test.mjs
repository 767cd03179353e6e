// Checks that the shared data's models and the built-in one have the output bits of tests/models/digests.txt, which
// were computed on x86-64, with each kernel of the module.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { builtinDigest, familyDigest } from "./digests.mjs";

const folder = new URL("./", `file://${process.env.BERT_NODE_PACKAGE}`);
const { Engine, hasRelaxedSimd } = await import(new URL("engine.js", folder));
const calls = await import(new URL("calls.js", folder));
const digests = new Map(
  readFileSync(new URL("../../models/digests.txt", import.meta.url), "utf8").trim().split("\n")
    .map((line) => line.split(" ")),
);

/** Returns [name, bytes] of each file in a folder. */
const filesIn = (from) => readdirSync(from, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && !file.name.endsWith(".npy"))
  .map((file) => join(file.parentPath ?? file.path, file.name))
  .map((path) => [path.slice(from.length + 1), readFileSync(path)]);

const isas = hasRelaxedSimd() ? ["portable", "simd128", "relaxed"] : ["portable", "simd128"];
const modules = new Map();
async function engineOf(isa) {
  const file = isa === "relaxed" ? "bert_infer_relaxed.wasm" : "bert_infer.wasm";
  if (!modules.has(file)) modules.set(file, await WebAssembly.compile(readFileSync(new URL(file, folder))));
  return Engine.create(modules.get(file), { BERT_INFER_ISA: isa });
}

for (const isa of isas) {
  test(`the built-in model, ${isa}`, async () => {
    const engine = await engineOf(isa);
    const files = filesIn(fileURLToPath(new URL("builtin", folder)));
    assert.equal(builtinDigest(calls, engine, files), digests.get("built-in"));
  });
}

const data = process.env.BERT_TEST_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const families = ["family", "family_modern"].filter((kind) => existsSync(join(data, kind)))
  .flatMap((kind) => readdirSync(join(data, kind)).map((name) => `${kind}/${name}`))
  .filter((name) => digests.has(name) && existsSync(join(data, name, "golden.json")));
// The slow kernels compute every eighth model, or all with BERT_ALL_DIGESTS.
const share = process.env.BERT_ALL_DIGESTS ? {} : { portable: 8, simd128: 8 };
const skip = families.length > 0 ? false : "SKIPPED, no family/ (set BERT_TEST_DATA)";
for (const isa of isas) {
  test(`the families' models, float32, int8 and bfloat16, ${isa}`, { skip }, async () => {
    const engine = await engineOf(isa);
    let compared = 0;
    const chosen = families.filter((_, i) => i % (share[isa] ?? 1) === 0);
    for (const name of chosen) {
      const files = filesIn(join(data, name));
      for (const [precision, expected] of [[0, name], [2, `int8/${name}`], [3, `bfloat16/${name}`]]) {
        if (!digests.has(expected)) continue;
        assert.equal(familyDigest(calls, engine, files, precision), digests.get(expected), expected);
        ++compared;
      }
    }
    assert.ok(compared >= 3 * (chosen.length - 3) && compared > 18, `${compared} of ${chosen.length} models, three times`);
  });
}
