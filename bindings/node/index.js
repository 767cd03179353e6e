// Checks arguments and shapes results. The native part computes.
import {
  checkChoice, checkCount, checkFloats, checkOptions, checkText, checkTexts, choice, count, cutOf, flag, refuse, text,
  typeOf,
} from "./arguments.js";
import { directories, MORE_OPTIONS, native } from "./native.js";
import { taskInputs, taskOptions, tasks } from "./tasks.js";

export { pipeline } from "./pipeline.js";

export const version = native.version;

const POOLINGS = ["default", "cls", "mean", "max", "pooler", "mean_sqrt_length", "weighted_mean", "last_token"];
const PRECISIONS = ["stored", "float32", "int8", "bfloat16"];
const PACKINGS = ["automatic", "never", "always"];
const SCANS = ["float32", "int8", "binary"];
const ROLES = ["document", "query"];
const VECTOR_KINDS = ["dense", "sparse", "tokens"];
const EXPLANATIONS = ["token pairs", "entries", "matches", "words left out"];

const withLabel = ({ text: label, score }) => ({ label, score });

// ---- Results of tasks, made from the items that the library returns for an input; places are in UTF-16 units ----

const labels = ({ items }) => items.map(withLabel);
const entities = ({ items }, { text: of, words }) => items.map(({ text: label, score, index, start, end }) => {
  return words ? { label, score, word: words[index] } : { label, score, start, end, word: of.slice(start, end) };
});
const answers = ({ items }) => items.map(({ text: answer, score, start, end }) => ({ answer, score, start, end }));
const redacted = ({ text: without, items }) => {
  return { text: without, replaced: items.map(({ text: label, start, end }) => ({ label, start, end })) };
};
function masks({ items }) {
  const all = [];
  for (const { text: token, id, score, index } of items) (all[index] ??= []).push({ token, id, score });
  return all;
}

const SHAPES = { labels, entities, masks, answers, redacted, is_next: ({ items }) => items[0].score };

/**
 * Adds to a result the number of tokens that were not read, which console.log shows if it is not 0. A result that is a
 * number has no such property.
 */
function withTruncated(result, truncatedTokens) {
  if (typeof result !== "object") return result;
  return Object.defineProperty(result, "truncatedTokens", { value: truncatedTokens, enumerable: truncatedTokens > 0 });
}

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

  /** Frees the memory when the running calls have ended; later calls are errors. */
  close() {
    if (this.#handle !== null) native.release(this.#handle);
    this.#handle = null;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }

  async embed(texts, options) {
    const given = checkOptions(options, ["prompt", "pooling", "normalize", "dimensions", "longText", "signal"]);
    const listed = typeof texts === "string" ? [texts] : checkTexts("texts", texts);
    const normalize = given.normalize === undefined ? 0 : flag("normalize", given) ? 1 : 2;
    const request = {
      prompt: text("prompt", given),
      pooling: choice("pooling", given, POOLINGS),
      normalize,
      dimensions: count("dimensions", given, 1),
      longText: cutOf(given),
    };
    const { data, size, truncatedTokens } = await withSignal(given.signal, (cancellation) =>
      native.embed(this.#handle, listed, request, cancellation),
    );
    if (typeof texts === "string") return withTruncated(data, truncatedTokens[0]);
    return listed.map((_, i) => withTruncated(data.slice(i * size, (i + 1) * size), truncatedTokens[i]));
  }

  /** Returns the entries of the vocabulary for each text, with their weights. */
  async embedSparse(texts, options) {
    const given = checkOptions(options, ["maxActive", "longText", "signal"]);
    const listed = typeof texts === "string" ? [texts] : checkTexts("texts", texts);
    const request = { maxActive: count("maxActive", given, 1), longText: cutOf(given) };
    const { starts, ids, weights, truncatedTokens } = await withSignal(given.signal, (cancellation) =>
      native.embedSparse(this.#handle, listed, request, cancellation),
    );
    const vectors = listed.map((_, i) => ({
      ids: ids.slice(starts[i], starts[i + 1]),
      weights: weights.slice(starts[i], starts[i + 1]),
      truncatedTokens: truncatedTokens[i],
    }));
    return typeof texts === "string" ? vectors[0] : vectors;
  }

  /** Returns a vector for each part of a text from one pass over the whole text (late chunking). */
  async embedChunks(of, options) {
    const given = checkOptions(options, ["tokens", "sentences", "longText"]);
    const request = {
      tokens: count("tokens", given, 1),
      sentences: flag("sentences", given),
      longText: cutOf(given),
    };
    const made = await native.embedParts(this.#handle, checkText("text", of), request);
    const { data, size, starts, ends, truncatedTokens } = made;
    const chunks = Array.from(starts, (start, i) => ({
      start,
      end: ends[i],
      text: of.slice(start, ends[i]),
      vector: data.slice(i * size, (i + 1) * size),
    }));
    return withTruncated(chunks, truncatedTokens);
  }

  /** Returns a vector for each token of a query or a document (late interaction). */
  async embedTokens(of, role = "document") {
    const request = { role: checkChoice("role", role, ROLES) };
    const { data, size, truncatedTokens } = await native.embedParts(this.#handle, checkText("text", of), request);
    return { data, size, truncatedTokens };
  }

  /** Returns the encoder's output for each token of `tokenize`. */
  async lastHiddenState(of, options) {
    const { pair } = checkOptions(options, ["pair"]);
    const { ids, typeIds, truncated } = this.tokenize(of, { pair, maxLength: this.maxLength });
    const data = await native.encode(this.#handle, ids, typeIds.some((id) => id !== 0) ? typeIds : null);
    return { data, size: this.hiddenSize, truncatedTokens: truncated };
  }

  tokenize(of, options) {
    const given = checkOptions(options, ["pair", "maxLength", "specialTokens"]);
    const special = given.specialTokens === undefined || flag("specialTokens", given);
    const request = { maxLength: count("maxLength", given), withoutSpecialTokens: !special };
    const tokens = native.tokenize(this.#handle, checkText("text", of), text("pair", given) ?? null, request);
    const names = new Map();
    for (const id of tokens.ids) if (!names.has(id)) names.set(id, native.tokenText(this.#handle, id));
    return { tokens: Array.from(tokens.ids, (id) => names.get(id)), ...tokens };
  }

  decode(ids, options) {
    const given = checkOptions(options, ["skipSpecialTokens"]);
    if (!Array.isArray(ids) && !ArrayBuffer.isView(ids)) refuse("ids", typeOf(ids), "an array of ids");
    for (let i = 0; i < ids.length; ++i) {
      if (!Number.isInteger(ids[i]) || ids[i] < 0 || ids[i] > 2 ** 31 - 1) refuse(`ids[${i}]`, String(ids[i]), "an id");
    }
    return native.decode(this.#handle, Int32Array.from(ids), flag("skipSpecialTokens", given));
  }

  async classify(texts, options) {
    return this.#each("classify", texts, options);
  }

  async zeroShot(texts, candidates, options) {
    return this.#each("zero_shot", texts, options, { labels: candidates });
  }

  async tag(texts, options) {
    return this.#each("tag", texts, options);
  }

  /** Returns entities of the caller's labels, with a model that reads labels (GLiNER). */
  async findEntities(texts, wanted, options) {
    return this.#each("tag", texts, options, { labels: wanted });
  }

  /** Returns how well the caller's labels fit a text, with a model that reads labels (GLiClass). */
  async scoreLabels(texts, candidates, options) {
    return this.#each("classify", texts, options, { labels: candidates });
  }

  async fillMask(texts, options) {
    return this.#each("fill_mask", texts, options);
  }

  async redact(texts, options) {
    return this.#each("redact", texts, options);
  }

  async answer(questions, contexts, options) {
    return this.#each("answer", questions, options, { pair: contexts }, ["question", "context"]);
  }

  /** Returns how likely the second text follows the first. */
  async nextSentence(a, b, options) {
    return this.#each("next_sentence", a, options, { pair: b }, ["a", "b"]);
  }

  async rerank(query, documents, options) {
    return this.#ranked("rerank", documents, options, { query }, "documents");
  }

  async choose(before, choices, options) {
    return this.#ranked("choose", choices, options, { text: before }, "choices");
  }

  /** Explains the similarity of two texts: as a sum of terms, or by leaving out each word. */
  async explainSimilarity(a, b, options) {
    const given = checkOptions(options, ["vectors", "pooling"]);
    const why = await native.explain(this.#handle, "similarity", {
      first: checkText("a", a),
      second: checkText("b", b),
      vectors: choice("vectors", given, VECTOR_KINDS),
      pooling: choice("pooling", given, POOLINGS),
    });
    return {
      kind: EXPLANATIONS[why.kind],
      function: why.function,
      ...(why.noSum === "" ? {} : { noSum: why.noSum }),
      score: why.outputs[0].score,
      remainder: why.remainders[0],
      ...parts(why),
      terms: why.terms,
    };
  }

  /** Explains a classifier's scores for a text, or for a text and its pair, by leaving out each word. */
  async explainLabels(of, options) {
    const given = checkOptions(options, ["pair"]);
    const request = { first: checkText("text", of), second: text("pair", given) };
    return labelTerms(await native.explain(this.#handle, "labels", request));
  }

  /** Explains a reranker's score by leaving out each word. */
  async explainRelevance(query, document, options) {
    const given = checkOptions(options, ["relevantLabel"]);
    const request = {
      first: checkText("query", query),
      second: checkText("document", document),
      relevantLabel: text("relevantLabel", given),
    };
    const { labels, ...rest } = labelTerms(await native.explain(this.#handle, "relevance", request));
    return { score: labels[0].score, remainder: labels[0].remainder, ...rest };
  }

  /** Runs a task of docs/TASKS.md by its name; tasks that compare texts have methods of their own. */
  async task(name, texts, options) {
    const known = Object.keys(tasks()).filter((one) => tasks()[one].gives in SHAPES);
    return this.#each(known[checkChoice("name", name, known)], texts, options);
  }

  /** Returns what a task finds in a text, or in each of several. own: options that are arguments of the method. */
  async #each(task, texts, options, own = {}, names = ["text", "pair"]) {
    const shape = SHAPES[tasks()[task].gives];
    const json = taskOptions(task, options, own);
    const inputs = taskInputs(task, texts, own.pair ?? options?.pair, names);
    const { results } = await native.task(this.#handle, task, inputs, json);
    const shaped = results.map((one, i) => withTruncated(shape(one, inputs[i]), one.truncatedTokens));
    return Array.isArray(texts) ? shaped : shaped[0];
  }

  /** Returns the places of compared texts, best first. */
  async #ranked(task, texts, options, own, name) {
    const json = taskOptions(task, options, own);
    const inputs = checkTexts(name, texts).map((text) => ({ text }));
    const { results, ranking } = await native.task(this.#handle, task, inputs, json);
    const ranked = Array.from(ranking, (index) => ({ index, score: results[index].items[0].score }));
    return withTruncated(ranked, results.reduce((sum, { truncatedTokens }) => sum + truncatedTokens, 0));
  }
}

/** Returns the parts of both texts: words, tokens with the number of their word, or entries with their weight. */
function parts({ kind, first, second }) {
  const shape = [
    ({ text: token, id, index: word, start, end }) => ({ token, id, word, start, end }),
    ({ text: token, id, score: weight }) => ({ token, id, weight }),
    ({ text: token, id, index: word, start, end }) => ({ token, id, word, start, end }),
    ({ text: word, start, end }) => ({ word, start, end }),
  ][kind];
  return { first: first.map(shape), second: second.map(shape) };
}

function labelTerms(why) {
  const labels = why.outputs.map((output, i) => ({ ...withLabel(output), remainder: why.remainders[i] }));
  return { labels, ...parts(why), terms: why.terms };
}

/** Calls a function with a cancellation that the signal sets; the error is then the signal's reason. */
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

/** Returns how well a document fits a query; both are from embedTokens. */
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
    for (let i = 0; i < vectors.length; ++i) {
      if (checkFloats(`vectors[${i}]`, vectors[i]).length !== this.#size) {
        throw new RangeError(`vectors[${i}] has ${vectors[i].length} numbers, expected ${this.#size}`);
      }
      all.set(vectors[i], i * this.#size);
    }
    this.#handle = native.index(all, this.#size, choice("scan", given, SCANS));
  }

  /** Frees the memory and the threads; a later search is an error. */
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
