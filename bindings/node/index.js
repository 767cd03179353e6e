// Checks arguments, and gives results their shapes. What is computed is in the native part.
import { directories, MORE_OPTIONS, native } from "./native.js";

export { pipeline } from "./pipeline.js";

export const version = native.version;

const POOLINGS = ["default", "cls", "mean", "max", "pooler", "mean_sqrt_length", "weighted_mean", "last_token"];
const PRECISIONS = ["stored", "float32", "int8"];
const PACKINGS = ["automatic", "never", "always"];
const AGGREGATIONS = ["simple", "none", "first", "average", "max"];
const SCANS = ["float32", "int8", "binary"];
const ROLES = ["document", "query"];

// ---- Arguments ----

function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? (value.constructor?.name ?? "an object") : typeof value;
}

function refuse(name, found, expected) {
  throw new TypeError(`${name}: found ${found}, expected ${expected}`);
}

function checkText(name, value) {
  if (typeof value !== "string") refuse(name, typeOf(value), "a string");
  return value;
}

function checkTexts(name, values) {
  if (!Array.isArray(values)) refuse(name, typeOf(values), "an array of strings");
  values.forEach((value, i) => checkText(`${name}[${i}]`, value));
  return values;
}

function checkChoice(name, value, choices) {
  const index = choices.indexOf(value);
  if (index < 0) refuse(name, JSON.stringify(value) ?? typeOf(value), `one of ${choices.join(", ")}`);
  return index;
}

function checkCount(name, value, least = 0) {
  if (!Number.isInteger(value) || value < least || value > 2 ** 31 - 1) {
    refuse(name, typeof value === "number" ? value : typeOf(value), `a whole number of at least ${least}`);
  }
  return value;
}

function checkFloats(name, value) {
  if (!(value instanceof Float32Array)) refuse(name, typeOf(value), "a Float32Array");
  return value;
}

function checkOptions(options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== "object") refuse("options", typeOf(options), "an object");
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) refuse("options", `'${key}'`, known.length ? `any of ${known.join(", ")}` : "none");
  }
  return options;
}

function choice(name, options, choices) {
  return options[name] === undefined ? 0 : checkChoice(name, options[name], choices);
}

function count(name, options, least = 0) {
  return options[name] === undefined ? 0 : checkCount(name, options[name], least);
}

function flag(name, options) {
  const value = options[name] ?? false;
  if (typeof value !== "boolean") refuse(name, typeOf(value), "true or false");
  return value;
}

function text(name, options) {
  return options[name] === undefined || options[name] === null ? undefined : checkText(name, options[name]);
}

/** Entities and answers have places in the text in UTF-16 units: text.slice(start, end). */
const withPlace = ({ text: label, score, start, end }, of) => {
  return { label, score, start, end, word: of.slice(start, end) };
};

// ---- Models ----

export class Model {
  #handle;

  constructor(handle) {
    if (handle === undefined || typeof handle === "string") {
      throw new TypeError("a Model is made by await Model.load(directory)");
    }
    this.#handle = handle;
    Object.assign(this, native.describe(handle));  // hiddenSize, layers, …: index.d.ts
  }

  static async load(directory, options = {}) {
    if (directory !== undefined && directory !== null && !directories.accepts(directory)) {
      refuse("directory", typeOf(directory), directories.expected);
    }
    const given = checkOptions(options, [
      "revision", "task", "encoder", "threads", "precision", "packing", "ignoreUnexpected", "checkTensors",
      ...MORE_OPTIONS,
    ]);
    return new Model(
      await native.load(directory ?? null, {
        revision: text("revision", given),
        task: text("task", given),
        encoder: text("encoder", given),
        threads: count("threads", given),
        precision: choice("precision", given, PRECISIONS),
        packing: choice("packing", given, PACKINGS),
        ignoreUnexpected: flag("ignoreUnexpected", given),
        checkTensors: flag("checkTensors", given),
        ...Object.fromEntries(MORE_OPTIONS.filter((name) => name in given).map((name) => [name, given[name]])),
      }),
    );
  }

  /** Lets the memory go when the running calls have ended; later calls are errors. */
  close() {
    if (this.#handle !== null) native.release(this.#handle);
    this.#handle = null;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }

  async embed(texts, options) {
    const given = checkOptions(options, ["prompt", "pooling", "normalize", "dimensions", "signal"]);
    const listed = typeof texts === "string" ? [texts] : checkTexts("texts", texts);
    const normalize = given.normalize === undefined ? 0 : flag("normalize", given) ? 1 : 2;
    const request = {
      prompt: text("prompt", given),
      pooling: choice("pooling", given, POOLINGS),
      normalize,
      dimensions: count("dimensions", given, 1),
    };
    const { data, size } = await withSignal(given.signal, (cancellation) =>
      native.embed(this.#handle, listed, request, cancellation),
    );
    if (typeof texts === "string") return data;
    return listed.map((_, i) => data.subarray(i * size, (i + 1) * size));
  }

  /** Late chunking: a vector for each part of the text, which has seen the whole. */
  async embedChunks(of, options) {
    const given = checkOptions(options, ["tokens", "sentences"]);
    const request = { tokens: count("tokens", given, 1), sentences: flag("sentences", given) };
    const { data, size, starts, ends } = await native.embedParts(this.#handle, checkText("text", of), request);
    return Array.from(starts, (start, i) => ({
      start,
      end: ends[i],
      text: of.slice(start, ends[i]),
      vector: data.subarray(i * size, (i + 1) * size),
    }));
  }

  /** Late interaction: a vector for each token of a query or a document. */
  async embedTokens(of, role = "document") {
    const request = { role: checkChoice("role", role, ROLES) };
    const { data, size } = await native.embedParts(this.#handle, checkText("text", of), request);
    return { data, size };
  }

  tokenize(of, options) {
    const given = checkOptions(options, ["pair", "maxLength", "specialTokens"]);
    const special = given.specialTokens === undefined || flag("specialTokens", given);
    const request = { maxLength: count("maxLength", given), withoutSpecialTokens: !special };
    const tokens = native.tokenize(this.#handle, checkText("text", of), text("pair", given) ?? null, request);
    return { tokens: Array.from(tokens.ids, (id) => native.tokenText(this.#handle, id)), ...tokens };
  }

  decode(ids, options) {
    const given = checkOptions(options, ["skipSpecialTokens"]);
    if (!Array.isArray(ids) && !ArrayBuffer.isView(ids)) refuse("ids", typeOf(ids), "an array of ids");
    Array.prototype.forEach.call(ids, (id, i) => {
      if (!Number.isInteger(id) || id < 0 || id > 2 ** 31 - 1) refuse(`ids[${i}]`, String(id), "an id");
    });
    return native.decode(this.#handle, Int32Array.from(ids), flag("skipSpecialTokens", given));
  }

  async classify(of, options) {
    const given = checkOptions(options, ["pair", "topK"]);
    const most = count("topK", given, 1);
    const found = await this.#task("classify", { text: checkText("text", of), pair: text("pair", given) });
    const labels = found.map(({ text: label, score }) => ({ label, score }));
    return most ? labels.slice(0, most) : labels;
  }

  async zeroShot(of, labels, options) {
    const given = checkOptions(options, ["hypothesisTemplate", "multiLabel"]);
    const found = await this.#task("zeroShot", {
      text: checkText("text", of),
      texts: checkTexts("labels", labels),
      hypothesisTemplate: text("hypothesisTemplate", given),
      multiLabel: flag("multiLabel", given),
    });
    return found.map(({ text: label, score }) => ({ label, score }));
  }

  async tag(of, options) {
    const given = checkOptions(options, ["aggregation"]);
    const aggregation = choice("aggregation", given, AGGREGATIONS);
    const found = await this.#task("tag", { text: checkText("text", of), aggregation });
    return found.map((item) => withPlace(item, of));
  }

  /** Entities by labels of the caller, of a model that reads them (GLiNER). */
  async findEntities(of, labels, options) {
    const given = checkOptions(options, ["threshold", "nested", "multiLabel"]);
    const threshold = given.threshold ?? 0;
    if (typeof threshold !== "number" || !(threshold >= 0 && threshold <= 1)) {
      refuse("threshold", String(threshold), "a number from 0 to 1");
    }
    const request = { threshold, nested: flag("nested", given), multiLabel: flag("multiLabel", given) };
    const found = await native.findEntities(this.#handle, checkText("text", of), checkTexts("labels", labels), request);
    return found.map(({ label, ...place }) => withPlace({ text: label, ...place }, of));
  }

  async fillMask(of, options) {
    const given = checkOptions(options, ["topK", "targets"]);
    const found = await this.#task("fillMask", {
      text: checkText("text", of),
      topK: count("topK", given, 1),
      texts: given.targets === undefined ? [] : checkTexts("targets", given.targets),
    });
    const masks = [];
    for (const { text: token, id, score, index } of found) (masks[index] ??= []).push({ token, id, score });
    return masks;
  }

  async answer(question, context, options) {
    const given = checkOptions(options, ["topK", "maxAnswerTokens", "noAnswer"]);
    const found = await this.#task("answer", {
      text: checkText("question", question),
      pair: checkText("context", context),
      topK: count("topK", given, 1),
      maxAnswerTokens: count("maxAnswerTokens", given, 1),
      noAnswer: flag("noAnswer", given),
    });
    return found.map(({ text: answer, score, start, end }) => ({ answer, score, start, end }));
  }

  async rerank(query, documents, options) {
    const given = checkOptions(options, ["topK", "prompt", "relevantLabel"]);
    const most = count("topK", given, 1);
    const found = await this.#task("rerank", {
      text: checkText("query", query),
      texts: checkTexts("documents", documents),
      prompt: text("prompt", given),
      relevantLabel: text("relevantLabel", given),
    });
    const ranked = found.map(({ index, score }) => ({ index, score }));
    return most ? ranked.slice(0, most) : ranked;
  }

  #task(name, request) {
    return native.task(this.#handle, name, request);
  }
}

/** Calls with a cancellation that the signal sets; the error is then the signal's reason. */
async function withSignal(signal, call) {
  const cancellation = native.cancellation();
  if (signal === undefined) return call(cancellation);
  if (!(signal instanceof AbortSignal)) refuse("signal", typeOf(signal), "an AbortSignal");
  signal.throwIfAborted();
  const cancel = () => native.cancel(cancellation);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await call(cancellation);
  } catch (error) {
    if (error.code === "BERT_CANCELLED") throw signal.reason;
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

// ---- Vectors ----

export function cosineSimilarity(a, b) {
  checkFloats("a", a);
  checkFloats("b", b);
  if (a.length !== b.length) throw new RangeError(`vectors of ${a.length} and ${b.length} numbers, expected one size`);
  return native.cosine(a, b);
}

/** How well a document fits a query, both from embedTokens. */
export function maxSim(query, document) {
  for (const [name, vectors] of [["query", query], ["document", document]]) {
    checkFloats(`${name}.data`, vectors?.data);
    checkCount(`${name}.size`, vectors.size, 1);
  }
  if (query.size !== document.size) {
    throw new RangeError(`vectors of ${query.size} and ${document.size} numbers, expected one size`);
  }
  return native.maxSim(query.data, document.data, query.size);
}

/** Exact search among vectors of length 1. */
export class VectorIndex {
  #handle;
  #size;

  constructor(vectors, options) {
    const given = checkOptions(options, ["scan"]);
    if (!Array.isArray(vectors) || vectors.length === 0) {
      refuse("vectors", Array.isArray(vectors) ? "none" : typeOf(vectors), "an array of Float32Array");
    }
    this.#size = checkFloats("vectors[0]", vectors[0]).length;
    const all = new Float32Array(vectors.length * this.#size);
    vectors.forEach((vector, i) => {
      if (checkFloats(`vectors[${i}]`, vector).length !== this.#size) {
        throw new RangeError(`vectors[${i}] has ${vector.length} numbers, expected ${this.#size}`);
      }
      all.set(vector, i * this.#size);
    });
    this.#handle = native.index(all, this.#size, choice("scan", given, SCANS));
  }

  /** Lets the memory and the threads go; a later search is an error. */
  close() {
    if (this.#handle !== null) native.releaseIndex(this.#handle);
    this.#handle = null;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }

  search(query, options) {
    const given = checkOptions(options, ["topK"]);
    if (this.#handle === null) refuse("the index", "a closed one", "one that is not closed");
    return native.search(this.#handle, checkFloats("query", query), count("topK", given, 1) || 10);
  }
}
