// Computes digests of a model's output bits in Node and in a browser, as in tests/models/digests.txt: of hidden states,
// attentions, pooled outputs, embeddings and the outputs of all heads. calls: the package's calls.js.

/** Computes the 64-bit FNV-1a of floats' bits, in two halves of 32 bits. Its prime is 2^40 + 0x1b3. */
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

/** Returns the digest of all outputs of a model for sequences of ids. */
function digestOf(calls, engine, model, batch) {
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
      if (error.code !== "BERT_NOT_FOUND") throw error;
    }
  }
  return digest.text;
}

function addFiles(engine, folder, files) {
  for (const [name, bytes] of files) engine.write(engine.addFile(`${folder}/${name}`, bytes.length), bytes);
}

/** Returns the digest of the built-in model. files: [name, bytes] each. */
export function builtinDigest(calls, engine, files) {
  addFiles(engine, "/builtin", files);
  const model = calls.loadModel(engine, null, {});
  const tokenizer = engine.functions.bert_model_tokenizer(model);
  return digestOf(calls, engine, model, [
    calls.tokenize(engine, tokenizer, "The quick brown fox jumps over the lazy dog", null, {}),
    calls.tokenize(engine, tokenizer, "A man plays a guitar.", "Somebody makes music.", {}),
  ]);
}

/** Returns a model's digest for the cases of its golden.json. precision: 0 stored, 2 8-bit weights, 3 bfloat16. */
export function familyDigest(calls, engine, files, precision) {
  addFiles(engine, "/family", files);
  const golden = files.find(([name]) => name === "golden.json")[1];
  const { cases } = JSON.parse(new TextDecoder().decode(golden));
  const model = calls.loadModel(engine, "/family", { precision });
  try {
    return digestOf(calls, engine, model, cases.map(
      ({ input_ids: ids, token_type_ids: typeIds, attention_mask: mask }) => ({ ids, typeIds, mask })));
  } finally {
    calls.freeModel(engine, model);
    engine.removeFiles("/family");
  }
}

/** Returns the digest of a model whose files `names` are at the address. Without `precision` it is the built-in one. */
export async function digestAt(calls, engine, address, names, precision) {
  const files = await Promise.all(names.map(async (name) => {
    const answer = await fetch(`${address}/${name}`);
    return [name, new Uint8Array(await answer.arrayBuffer())];
  }));
  return precision === undefined ? builtinDigest(calls, engine, files) : familyDigest(calls, engine, files, precision);
}
