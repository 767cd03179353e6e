// The shared data's models and the built-in one have the output bits of tests/models/digests.txt, which x86-64 gave, on
// each of the module's kernels: hidden states, attentions, pooled outputs, embeddings and the outputs of all heads.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = new URL("./", `file://${process.env.BERT_NODE_PACKAGE}`);
const { Engine, hasRelaxedSimd } = await import(new URL("engine.js", folder));
const calls = await import(new URL("calls.js", folder));
const digests = new Map(
  readFileSync(new URL("../../models/digests.txt", import.meta.url), "utf8").trim().split("\n")
    .map((line) => line.split(" ")),
);

/** FNV-1a over the bits of floats, 64 bits, in two halves; its prime is 2^40 + 0x1b3. */
class Digest {
  high = 0xcbf29ce4;
  low = 0x84222325;

  byte(value) {
    const low = (this.low ^ value) >>> 0;
    const product = low * 0x1b3;
    this.high = (Math.imul(this.high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    this.low = product >>> 0;
  }
  word(value) {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 255);
    for (let i = 0; i < 4; ++i) this.byte(0);
  }
  add(floats) {
    this.word(floats.length);
    for (const bits of new Uint32Array(floats.buffer, floats.byteOffset, floats.length)) this.word(bits);
  }
  get text() {
    return [this.high, this.low].map((half) => half.toString(16).padStart(8, "0")).join("");
  }
}

function digestOf(engine, model, batch) {
  const digest = new Digest();
  for (const sequence of batch) {
    const { lastHiddenState, poolerOutput, hiddenStates, attentions } = calls.encode(engine, model, sequence);
    for (const part of [lastHiddenState, poolerOutput, hiddenStates, attentions]) digest.add(part);
  }
  digest.add(calls.embedIds(engine, model, batch).data);
  for (let head = 0; head < 7; ++head) {
    try {
      for (const sequence of batch) digest.add(calls.logits(engine, model, head, sequence).data);
    } catch (error) {
      assert.equal(error.code, "BERT_NOT_FOUND", error.message);
    }
  }
  return digest.text;
}

function addFiles(engine, from, to) {
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (statSync(path).isDirectory()) {
      addFiles(engine, path, `${to}/${name}`);
    } else if (!name.endsWith(".npy")) {
      const bytes = readFileSync(path);
      engine.write(engine.addFile(`${to}/${name}`, bytes.length), bytes);
    }
  }
}

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
    addFiles(engine, fileURLToPath(new URL("builtin", folder)), "/builtin");
    const model = calls.loadModel(engine, null, {});
    const tokenizer = engine.functions.bert_model_tokenizer(model);
    const batch = [
      calls.tokenize(engine, tokenizer, "The quick brown fox jumps over the lazy dog", null, {}),
      calls.tokenize(engine, tokenizer, "A man plays a guitar.", "Somebody makes music.", {}),
    ];
    assert.equal(digestOf(engine, model, batch), digests.get("built-in"));
  });
}

const data = process.env.BERT_TEST_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const families = ["family", "family_modern"].filter((kind) => existsSync(join(data, kind)))
  .flatMap((kind) => readdirSync(join(data, kind)).map((name) => `${kind}/${name}`))
  .filter((name) => digests.has(name) && existsSync(join(data, name, "golden.json")));
// The slow kernels run every eighth model, or with BERT_ALL_DIGESTS all.
const share = process.env.BERT_ALL_DIGESTS ? {} : { portable: 8, simd128: 8 };
const skip = families.length > 0 ? false : "SKIPPED, no family/ (set BERT_TEST_DATA)";
for (const isa of isas) {
  test(`the families' models, float32 and int8, ${isa}`, { skip }, async () => {
    const engine = await engineOf(isa);
    let compared = 0;
    const chosen = families.filter((_, i) => i % (share[isa] ?? 1) === 0);
    for (const name of chosen) {
      addFiles(engine, join(data, name), `/${name}`);
      const { cases } = JSON.parse(readFileSync(join(data, name, "golden.json"), "utf8"));
      const batch = cases.map(({ input_ids: ids, token_type_ids: typeIds, attention_mask: mask }) => {
        return { ids, typeIds, mask };
      });
      for (const [precision, expected] of [[0, name], [2, `int8/${name}`]]) {
        if (!digests.has(expected)) continue;
        const model = calls.loadModel(engine, `/${name}`, { precision });
        assert.equal(digestOf(engine, model, batch), digests.get(expected), expected);
        calls.freeModel(engine, model);
        ++compared;
      }
      engine.removeFiles(`/${name}`);
    }
    assert.ok(compared >= 2 * (chosen.length - 3) && compared > 12, `${compared} of ${chosen.length} models, twice`);
  });
}
