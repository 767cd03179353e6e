// The models of one engine: in a worker, or in the page's own thread if there are no workers. Each method is a message
// of the worker, so its results can be sent.
import * as calls from "./calls.js";
import { Engine } from "./engine.js";
import { forget, readAdapter, readModel } from "./sources.js";
import { threadedEngine } from "./threads.js";

const TEXTS_AT_ONCE = 16;
const WRONG_FILES = ["BERT_INVALID_FILE", "BERT_NON_FINITE"];
const PAUSE_MS = 30;  // after this time other code may run, such as a message that ends the call

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

function joined(Type, arrays) {
  const all = new Type(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

export class Host {
  #engine;
  #folders = 0;
  #builtin = null;
  #models = new Map();  // for each model's address, the folders that the model reads
  #cancelled = new Set();

  /** script: an argument of threadedEngine */
  static async create(module, environment, threads = 1, script = null) {
    const host = new Host();
    host.#engine = await (threads === 1 ? Engine.create(module, environment)
      : threadedEngine(module, environment, threads, script));
    return host;
  }

  /** Returns the number of threads besides its own. */
  threads() {
    return this.#engine.functions.running_threads?.() ?? 0;
  }

  /** Ends the threads; no model can be used afterwards. */
  end() {
    this.#engine.endThreads();
  }

  /** Returns the size of the module's memory. */
  memory() {
    return this.#engine.bytes.length;
  }

  async load({ source, encoder, adapter }, options, controls) {
    const engine = this.#engine;
    const notices = [];
    const reading = { ...controls, notices, cached: new Set() };
    const folders = [];
    const read = async (from, reader = readModel) => {
      const folder = `/m${++this.#folders}`;
      folders.push(folder);
      return reader(engine, from, folder, reading);
    };
    try {
      let files;
      if (source.isBuiltin) {
        this.#builtin ??= readModel(engine, source, "/builtin", reading);
        files = await this.#builtin.catch((error) => {
          this.#builtin = null;
          throw error;
        });
      } else {
        files = await read(source);
      }
      const given = { ...options };
      if (encoder) given.encoder = (await read(encoder)).place;
      if (adapter) given.adapter = (await read(adapter, readAdapter)).place;
      const model = calls.loadModel(engine, source.isBuiltin ? null : files.place, given);
      this.#models.set(model, folders);
      const properties = calls.describe(engine, model);
      properties.notices.push(...notices);
      return { model, properties, small: files.small };
    } catch (error) {
      this.#remove(folders);
      if (WRONG_FILES.includes(error.code)) await forget(reading.cached);  // the server may have corrected them
      throw error;
    }
  }

  #remove(folders) {
    for (const folder of folders) this.#engine.removeFiles(folder);
  }

  release(model) {
    const folders = this.#models.get(model);
    if (folders === undefined) return;
    this.#models.delete(model);
    calls.freeModel(this.#engine, model);
    this.#remove(folders);
  }

  cancel(call) {
    this.#cancelled.add(call);
  }

  /** Returns what `compute` returns for each part of the texts. The call can be ended between two parts. */
  async #inParts(texts, call, compute) {
    const made = [];
    let last = performance.now();
    try {
      for (let at = 0; at < texts.length || made.length === 0; at += TEXTS_AT_ONCE) {
        if (this.#cancelled.has(call)) throw Object.assign(new Error("the call was ended"), { code: "BERT_CANCELLED" });
        made.push(compute(texts.slice(at, at + TEXTS_AT_ONCE)));
        if (performance.now() - last < PAUSE_MS) continue;
        await turn();
        last = performance.now();
      }
    } finally {
      for (const one of this.#cancelled) if (one <= call) this.#cancelled.delete(one);  // these have ended
    }
    return made;
  }

  /** No vector depends on the others of its part. */
  async embed(model, texts, options, call) {
    const made = await this.#inParts(texts, call, (part) => calls.embed(this.#engine, model, part, options));
    return {
      data: joined(Float32Array, made.map(({ data }) => data)),
      size: made[0].size,
      truncatedTokens: joined(Uint32Array, made.map(({ truncatedTokens }) => truncatedTokens)),
    };
  }

  async embedSparse(model, texts, options, call) {
    const made = await this.#inParts(texts, call, (part) => calls.embedSparse(this.#engine, model, part, options));
    const starts = [0];
    for (const part of made) {
      const before = starts[starts.length - 1];
      for (const start of part.starts.subarray(1)) starts.push(before + start);
    }
    return {
      starts: Int32Array.from(starts),
      ids: joined(Int32Array, made.map(({ ids }) => ids)),
      weights: joined(Float32Array, made.map(({ weights }) => weights)),
      truncatedTokens: joined(Uint32Array, made.map(({ truncatedTokens }) => truncatedTokens)),
    };
  }

  encode(model, ids, typeIds) {
    return calls.encode(this.#engine, model, { ids, typeIds }, true).lastHiddenState;
  }
  embedParts(...given) {
    return calls.embedParts(this.#engine, ...given);
  }
  task(...given) {
    return calls.task(this.#engine, ...given);
  }
  explain(...given) {
    return calls.explain(this.#engine, ...given);
  }
}
