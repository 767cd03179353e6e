// The functions that index.js calls, over modules of WebAssembly. A module in this thread computes tokens, similarities
// and searches synchronously. A module in a worker has the models that use one thread, and there is another module for
// each other number of threads. Without workers, this thread computes models too.
import { builtinAddresses, moduleAddress, newWorker, settings, threadAddress } from "./addresses.js";
import * as calls from "./calls.js";
import { Engine, engineError, hasRelaxedSimd } from "./engine.js";
import { Host } from "./host.js";
import { platform } from "./platform.js";
import { directoryAddress, fileTable, isSource } from "./sources.js";

async function compiled(name) {
  const address = moduleAddress(name);
  const answer = await platform.fetch(address);
  if (!answer.ok) throw engineError("BERT_NOT_FOUND", `${address}: the server answered ${answer.status}`);
  const type = answer.headers.get("content-type") ?? "";
  if (type.includes("text/html")) throw engineError("BERT_NOT_FOUND", `${address}: the server answered with a page`);
  return type.startsWith("application/wasm") ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// ---- The module of this thread; the first load compiles it ----

/** {module, isRelaxed, environment, engine} */
let page = null;
let begun = null;

async function begin() {
  const { simd, wasm, environment = {} } = settings();
  const isRelaxed = simd ? simd === "relaxed" : hasRelaxedSimd();  // the page may choose
  const module = wasm instanceof WebAssembly.Module ? wasm
    : await compiled(isRelaxed ? "bert_infer_relaxed.wasm" : "bert_infer.wasm");
  page = { module, isRelaxed, environment, engine: await Engine.create(module, environment) };
}

function engineHere() {
  if (page === null) throw engineError("BERT_INVALID_ARGUMENT", "no module yet, expected a Model.load before");
  return page.engine;
}

// ---- Models: in a worker, or in this thread ----

/** A Host in a worker, which is called by messages. */
class Remote {
  #worker;
  #waiting = new Map();
  #numbers = 0;
  #problem = null;

  constructor(worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data: { number, result, error, progress } }) => {
      const waiting = this.#waiting.get(number);
      if (progress) return waiting?.onProgress?.(progress);
      this.#waiting.delete(number);
      if (!error) return waiting?.resolve(result);
      const { message, ...rest } = error;
      waiting?.reject(Object.assign(new Error(message), rest));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      this.#fail(`the worker ended: ${event.message ?? "it could not be started"}`);
    });
  }

  #fail(line) {
    this.#problem = engineError("BERT_INTERNAL", line);
    for (const { reject } of this.#waiting.values()) reject(this.#problem);
    this.#waiting.clear();
  }

  get hasEnded() {
    return this.#problem !== null;
  }

  call(method, given, onProgress) {
    if (this.#problem) return Promise.reject(this.#problem);
    const number = ++this.#numbers;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, onProgress });
      this.#worker.postMessage({ number, method, given });
    });
  }

  /** Sends a message that has no answer. */
  tell(method, given) {
    if (!this.#problem) this.#worker.postMessage({ method, given });
  }

  load(source, options, { onProgress, cache }) {
    return this.call("load", [source, options, { cache }], onProgress);
  }

  /** Ends the worker, its memory, and the workers that it started. */
  end() {
    this.#worker.terminate();
    this.#fail("the worker has ended");
  }
}

/** A Host in this thread, which runs one call after another. */
class Local {
  #host;
  #last = Promise.resolve();
  hasEnded = false;

  constructor(host) {
    this.#host = host;
  }

  call(method, given) {
    const result = this.#last.then(() => this.#host[method](...given));
    this.#last = result.catch(() => {});
    return result;
  }

  tell(method, given) {
    this.#host[method](...given);
  }

  load(source, options, controls) {
    return this.call("load", [source, options, controls]);
  }

  end() {
    this.#host.end();
    this.hasEnded = true;
  }
}

/** given: arguments of Host.create. */
async function startWorker(...given) {
  const remote = new Remote(newWorker());
  try {
    await remote.call("begin", given);
  } catch (error) {
    remote.end();
    throw error;
  }
  return remote;
}

const startHere = async (...given) => new Local(await Host.create(...given));

// There is another module for threads, with shared memory.
let threadsModule = null;

async function startThreads(count) {
  threadsModule ??= compiled("bert_infer_threads.wasm").catch((error) => {
    threadsModule = null;
    throw error;
  });
  const given = [await threadsModule, page.environment, count, threadAddress()];
  return platform.isNode ? startHere(...given) : startWorker(...given);
}

const hosts = new Map();  // by kind, while models use them; a host without models ends and frees its memory

/** Returns a host, and a function to call when the host is no longer used. */
async function enter(kind, start) {
  const found = hosts.get(kind);
  const entry = found && !found.host?.hasEnded ? found : { users: 0, host: null, begun: start() };
  hosts.set(kind, entry);
  ++entry.users;
  const leave = () => {
    if (--entry.users > 0) return;
    entry.host?.end();
    if (hosts.get(kind) === entry) hosts.delete(kind);
  };
  try {
    entry.host = await entry.begun;
    return { host: entry.host, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Returns why this page can compute with one thread only; null if it can use more. */
function onlyThread(hasWorker) {
  if (!platform.isNode && !globalThis.crossOriginIsolated) return "the page is not isolated by the headers COOP and COEP";
  if (!page.isRelaxed) return "the browser has no relaxed instructions";
  if (!platform.isNode && !hasWorker) return "the page's own thread may not wait for others";
  return null;
}

/** Returns the result of `enter` for a host with `asked` threads, or with as many as the page may use if it is 0. */
async function hostFor(wantsWorker, asked, notices) {
  if (asked > MOST_THREADS) {
    throw engineError("BERT_INVALID_ARGUMENT", `${asked} threads requested, expected at most ${MOST_THREADS}`);
  }
  const hasWorker = wantsWorker && typeof Worker === "function" && !platform.isNode;
  let why = onlyThread(hasWorker);
  const count = asked || (why !== null || platform.isNode ? 1 : (navigator.hardwareConcurrency ?? 1));
  if (count > 1 && why === null) {
    try {
      return await enter(`${count} threads`, () => startThreads(count));
    } catch (error) {
      why = error.message;
    }
  }
  if (count > 1) notices.push(`1 of ${count} threads computes: ${why}`);
  const { module, environment } = page;
  // A page that is opened from a disk may be unable to start a worker.
  const inWorker = hasWorker && (await enter("worker", () => startWorker(module, environment)).catch(() => null));
  return inWorker || enter("here", () => startHere(module, environment));
}

// ---- The functions ----

const NEVER = 1;  // a bert_packing
const MOST_THREADS = 1024;  // the library's limit
const released = new FinalizationRegistry((free) => free());
let folders = 0, embeddings = 0;

function sourceOf(given) {
  if (given === null) return { isBuiltin: true, address: "the built-in model", table: builtinAddresses() };
  if (given instanceof URL || typeof given === "string") return { address: directoryAddress(String(given)) };
  return { files: fileTable(given) };
}

/** Returns a tokenizer in this thread's module, from the same files as the model's. */
function tokenizerOf(small, isBuiltin, options) {
  const { engine } = page;
  const folder = isBuiltin ? "/builtin" : `/t${++folders}/model`;
  const add = (name, bytes) => {
    const address = engine.addFile(`${folder}/${name}`, bytes.length);
    engine.write(address, bytes);
  };
  for (const [name, bytes] of small) add(name, bytes);
  if (isBuiltin) add("model.safetensors", new Uint8Array());
  try {
    return { address: calls.loadTokenizer(engine, isBuiltin ? null : folder, options) };
  } catch (error) {
    return { error };
  } finally {
    if (!isBuiltin) engine.removeFiles(folder);
  }
}

let builtinTokenizer = null;

async function load(directory, options) {
  const { worker = true, cache = true, files, onProgress, signal, encoder, adapter, threads, ...given } = options;
  const notices = [];
  begun ??= begin().catch((error) => {
    begun = null;
    throw error;
  });
  await begun;
  const { host, leave } = await hostFor(worker, threads, notices);
  given.threads = 1;  // otherwise the host's threads are used
  given.packing ||= NEVER;  // keeps one copy of the weights
  let source, loaded;
  try {
    signal?.throwIfAborted();
    source = { ...sourceOf(directory), names: files };
    const also = (other) => (other === undefined ? undefined : sourceOf(other));
    const from = { source, encoder: also(encoder), adapter: also(adapter) };
    loaded = await host.load(from, given, { onProgress, cache });
  } catch (error) {
    leave();
    throw error;
  }
  const { model, properties, small } = loaded;
  properties.notices.push(...notices);
  const tokenizer = source.isBuiltin ? (builtinTokenizer ??= tokenizerOf(small, true, given))
    : tokenizerOf(small, false, given);
  const handle = { host, model, properties, tokenizer };
  const free = () => {
    const isReleased = host.hasEnded ? Promise.resolve() : host.call("release", [model]);
    isReleased.catch(() => {}).then(leave);
    if (!source.isBuiltin && tokenizer.address) calls.freeTokenizer(page.engine, tokenizer.address);
  };
  handle.free = () => {
    released.unregister(handle);
    free();
  };
  released.register(handle, free, handle);
  return handle;
}

function handleOf(handle) {
  if (handle === null || typeof handle !== "object" || !handle.host) {
    throw engineError("BERT_INVALID_ARGUMENT", "the object is closed, or of another kind");
  }
  return handle;
}

const tokenizerAddress = (handle) => {
  const { tokenizer } = handleOf(handle);
  if (tokenizer.error) throw tokenizer.error;
  return tokenizer.address;
};

/** Sums over all hosts; a host that ends meanwhile counts as 0. */
async function sumOver(method) {
  const numberOf = async ({ begun: host }) => (await host).call(method, []);
  const found = await Promise.all([...hosts.values()].map((entry) => numberOf(entry).catch(() => 0)));
  return found.reduce((sum, one) => sum + one, 0);
}

const called = async (method, handle, ...given) => {
  const { host, model } = handleOf(handle);
  return host.call(method, [model, ...given]);
};

export const native = {
  version: "@PROJECT_VERSION@",
  get tasks() {
    const engine = engineHere();
    return engine.name(engine.functions.bert_tasks_json());
  },
  load,
  describe: (handle) => handleOf(handle).properties,
  release: (handle) => handle.free(),
  cancellation: () => ({ call: ++embeddings, host: null }),
  cancel: (cancellation) => cancellation.host?.tell("cancel", [cancellation.call]),
  embed: async (handle, texts, request, cancellation) => {
    cancellation.host = handleOf(handle).host;
    return called("embed", handle, texts, request, cancellation.call);
  },
  embedSparse: async (handle, texts, request, cancellation) => {
    cancellation.host = handleOf(handle).host;
    return called("embedSparse", handle, texts, request, cancellation.call);
  },
  embedParts: (handle, text, request) => called("embedParts", handle, text, request),
  encode: (handle, ids, typeIds) => called("encode", handle, ids, typeIds),
  task: (handle, name, inputs, options) => called("task", handle, name, inputs, options),
  explain: (handle, name, request) => called("explain", handle, name, request),
  tokenize: (handle, text, pair, request) => calls.tokenize(page.engine, tokenizerAddress(handle), text, pair, request),
  tokenText: (handle, id) => calls.tokenText(page.engine, tokenizerAddress(handle), id),
  decode: (handle, ids, skips) => calls.decode(page.engine, tokenizerAddress(handle), ids, skips),
  cosine: (a, b) => calls.cosine(engineHere(), a, b),
  maxSim: (query, document, size) => calls.maxSim(engineHere(), query, document, size),
  index: (vectors, size, scan) => {
    const made = calls.index(engineHere(), vectors, size, scan), { address } = made;
    released.register(made, () => calls.freeIndex(page.engine, address), made);
    return made;
  },
  releaseIndex: (index) => {
    released.unregister(index);
    calls.freeIndex(page.engine, index.address);
  },
  search: (index, query, top) => calls.search(page.engine, index, query, top),
  /** Size of the modules' memories, of this thread and of the models' workers, in bytes. */
  memory: async () => engineHere().bytes.length + (await sumOver("memory")),
  /** Number of the models' threads, besides the calling threads. */
  threads: () => sumOver("threads"),
};

// ---- The arguments of Model.load ----

export const directories = { accepts: isSource, expected: "an address or files" };
export const MORE_OPTIONS = ["adapter", "worker", "cache", "files", "onProgress", "signal"];
