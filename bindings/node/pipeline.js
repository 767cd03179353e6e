// Provides pipeline(task, model), with the names and the result shapes of transformers.js's text tasks.
import { Model } from "./index.js";
import { Tensor } from "./tensor.js";

const squeezed = (results, given) => (Array.isArray(given) ? results : results[0]);
const each = (given) => (Array.isArray(given) ? given : [given]);
/** Returns the options of a call that are known; refuses others by name. */
function optionsOf(given = {}, known) {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    throw new TypeError(`options: found '${name}', expected ${known.length ? `any of ${known.join(", ")}` : "none"}`);
  }
  return given;
}

/** Turns each number into a bit, 1 if it is positive. A byte's highest bit comes first. "binary" is the byte - 128. */
function quantized({ data, dims }, precision) {
  const kinds = { binary: ["int8", Int8Array, 128], ubinary: ["uint8", Uint8Array, 0] };
  if (!Object.hasOwn(kinds, precision)) {
    throw new TypeError(`precision: found ${JSON.stringify(precision)}, expected one of binary, ubinary`);
  }
  const [rows, size] = dims;
  if (size % 8 !== 0) throw new RangeError(`vectors of ${size} numbers, expected a multiple of 8 for ${precision}`);
  const [type, Bytes, offset] = kinds[precision];
  const bytes = Bytes.from({ length: (rows * size) / 8 }, (_, i) => {
    let byte = 0;
    for (const number of data.subarray(8 * i, 8 * i + 8)) byte = 2 * byte + (number > 0 ? 1 : 0);
    return byte - offset;
  });
  return new Tensor(type, bytes, [rows, size / 8]);
}

const TENSOR_POOLINGS = { mean: "mean", cls: "cls", first_token: "cls", last_token: "last_token", eos: "last_token" };

/** Returns rows as a tensor with one more dimension; shorter rows get zeros at the end. */
function stacked(rows, dims) {
  const size = Math.max(0, ...rows.map(({ length }) => length));
  const data = new Float32Array(rows.length * size);
  rows.forEach((row, i) => data.set(row, i * size));
  return new Tensor("float32", data, [rows.length, ...dims(size)]);
}

const PIPELINES = {
  "feature-extraction": (model) => async (texts, options) => {
    const known = ["pooling", "normalize", "quantize", "precision"];
    const { pooling = "none", normalize = false, quantize = false, precision = "binary" } = optionsOf(options, known);
    if (pooling === "none" && !normalize && !quantize) {
      const outputs = await Promise.all(each(texts).map((text) => model.lastHiddenState(text)));
      return stacked(outputs.map(({ data }) => data), (size) => [size / model.hiddenSize, model.hiddenSize]);
    }
    if (!Object.hasOwn(TENSOR_POOLINGS, pooling)) {
      const poolings = Object.keys(TENSOR_POOLINGS).join(", ");
      throw new TypeError(`pooling: found ${JSON.stringify(pooling)}, expected one of ${poolings}`);
    }
    const vectors = await model.embed(each(texts), { pooling: TENSOR_POOLINGS[pooling], normalize });
    const tensor = stacked(vectors, (size) => [size]);
    return quantize ? quantized(tensor, precision) : tensor;
  },
  "text-classification": (model) => async (texts, options) => {
    const { top_k: most = 1 } = optionsOf(options, ["top_k"]);
    const all = await model.classify(each(texts));
    const cut = all.map((labels) => (most === null ? labels : labels.slice(0, most)));
    return most === 1 ? cut.map(([best]) => best) : squeezed(cut, texts);
  },
  "token-classification": (model) => async (texts, options) => {
    const known = ["aggregation_strategy", "ignore_labels"];
    const { aggregation_strategy: aggregation = "none", ignore_labels: ignored = ["O"] } = optionsOf(options, known);
    if (!ignored.includes("O")) {
      throw new TypeError(`ignore_labels: found ${JSON.stringify(ignored)}, expected labels with "O" among them`);
    }
    const all = await model.tag(each(texts), { aggregation, longText: "cut" });
    const name = aggregation === "none" ? "entity" : "entity_group";
    const shape = ({ label, score, word, start, end }) => ({ [name]: label, score, word, start, end });
    const kept = (entities) => entities.filter(({ label }) => !ignored.includes(label));
    return squeezed(all.map((entities) => kept(entities).map(shape)), texts);
  },
  "fill-mask": (model) => async (texts, options) => {
    const { top_k: topK = 5 } = optionsOf(options, ["top_k"]);
    const all = (await model.fillMask(each(texts), { topK })).map(([candidates], i) => {
      const { ids } = model.tokenize(each(texts)[i]);
      const place = ids.indexOf(model.maskId);
      return candidates.map(({ token, id, score }) => {
        const filled = Int32Array.from(ids);
        filled[place] = id;
        const sequence = model.decode(filled, { skipSpecialTokens: true });
        return { score, token: id, token_str: token, sequence };
      });
    });
    return squeezed(all, texts);
  },
  "question-answering": (model) => async (questions, contexts, options) => {
    const { top_k: most = 1 } = optionsOf(options, ["top_k"]);
    const all = await model.answer(each(questions), each(contexts), { topK: most });
    return squeezed(most === 1 ? all.map(([best]) => best) : all, questions);
  },
  "zero-shot-classification": (model) => async (texts, labels, options) => {
    const { hypothesis_template: hypothesisTemplate, multi_label: multiLabel = false } = optionsOf(options, [
      "hypothesis_template", "multi_label",
    ]);
    const found = await model.zeroShot(each(texts), each(labels), { hypothesisTemplate, multiLabel });
    const all = found.map((candidates, i) => ({
      sequence: each(texts)[i],
      labels: candidates.map(({ label }) => label),
      scores: candidates.map(({ score }) => score),
    }));
    return squeezed(all, texts);
  },
};
const ALIASES = {
  "sentiment-analysis": "text-classification",
  ner: "token-classification",
  embeddings: "feature-extraction",
};

// Values of options that transformers.js has and Model.load does not.
const DTYPES = { auto: undefined, fp32: "float32", q8: "int8", int8: "int8", uint8: "int8" };
const DEVICES = ["auto", "cpu", "wasm"];

/** Returns the options for Model.load. */
function loadOptions({ dtype = "auto", device = "auto", ...options }) {
  if (!Object.hasOwn(DTYPES, dtype)) {
    const known = Object.keys(DTYPES).join(", ");
    throw new TypeError(`dtype: found ${JSON.stringify(dtype)}, expected one of ${known}; docs/BINDINGS.md says why`);
  }
  if (!DEVICES.includes(device)) {
    throw new TypeError(`device: found ${JSON.stringify(device)}, expected one of ${DEVICES.join(", ")}`);
  }
  return DTYPES[dtype] ? { precision: DTYPES[dtype], ...options } : options;
}

export async function pipeline(task, model = null, options = {}) {
  const name = ALIASES[task] ?? task;
  if (!Object.hasOwn(PIPELINES, name)) {
    const known = [...Object.keys(PIPELINES), ...Object.keys(ALIASES)].join(", ");
    throw new TypeError(`task: found ${JSON.stringify(task)}, expected one of ${known}`);
  }
  const loaded = model instanceof Model ? model : await Model.load(model, loadOptions(options));
  const call = PIPELINES[name](loaded);
  return Object.assign(call, { task: name, model: loaded, dispose: async () => loaded.close() });
}
