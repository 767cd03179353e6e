// What index.js calls, over modules of WebAssembly: one in this thread, for tokens, similarities and searches, which
// are answered at once; one in a worker, for models, and one for each number of threads of which models use several.
// Where there is no worker, models too are computed in this thread.
import * as calls from "./calls.js";
import { Engine, engineError, hasRelaxedSimd } from "./engine.js";
import { Host } from "./host.js";
import { directoryAddress, fileTable, isSource } from "./sources.js";

const inNode = typeof process === "object" && process.versions?.node !== undefined;
const settings = globalThis.bertInfer ?? {};  // {base, worker, …}: set before this file is loaded
const base = settings.base ?? new URL("./", import.meta.url).href;

async function compiled(name) {
  const address = new URL(name, base);
  if (inNode && address.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(address));
  }
  const answer = await fetch(address);
  if (!answer.ok) throw engineError("BERT_NOT_FOUND", `${address.href}: the server answered ${answer.status}`);
  const isWasm = answer.headers.get("content-type")?.startsWith("application/wasm");
  return isWasm ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

// The module that this engine can load; "simd" or "relaxed" in settings names one.
const isRelaxed = settings.simd ? settings.simd === "relaxed" : hasRelaxedSimd();
const module = settings.wasm instanceof WebAssembly.Module ? settings.wasm
  : await compiled(isRelaxed ? "bert_infer_relaxed.wasm" : "bert_infer.wasm");
const environment = settings.environment ?? {};
const engine = await Engine.create(module, environment);

// ---- Models: in a worker, or here ----

/** A worker with a Host, by messages. */
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

  load(source, options, { onProgress, cache }) {
    return this.call("load", [source, options, { cache }], onProgress);
  }

  /** With its memory, and the workers that it started. */
  end() {
    this.#worker.terminate();
    this.#fail("the worker has ended");
  }
}

/** A Host in this thread; one call after another. */
class Local {
  #host;
  #last = Promise.resolve();
  hasEnded = false;

  constructor(host) {
    this.#host = host;
  }

  call(method, given) {
    if (method === "cancel") return this.#host.cancel(...given);
    const result = this.#last.then(() => this.#host[method](...given));
    this.#last = result.catch(() => {});
    return result;
  }

  load(source, options, controls) {
    return this.call("load", [source, options, controls]);
  }

  end() {
    this.#host.end();
    this.hasEnded = true;
  }
}

/** given: of Host.create. */
async function startWorker(...given) {
  const address = settings.worker ?? new URL("worker.js", base);
  const remote = new Remote(new Worker(address, settings.worker ? {} : { type: "module" }));
  try {
    await remote.call("begin", given);
  } catch (error) {
    remote.end();
    throw error;
  }
  return remote;
}

let remote = null, local = null;
async function singleHost(wantsWorker) {
  if (wantsWorker && typeof Worker === "function" && !inNode) {
    // A page that is opened from a disk may start none.
    if (remote === null || (await remote)?.hasEnded) remote = startWorker(module, environment).catch(() => null);
    const found = await remote;
    if (found) return found;
  }
  local ??= Host.create(module, environment).then((host) => new Local(host));
  return local;
}

// ---- Threads: a module of their own, on memory that is shared ----

let threadsModule = null;
const threaded = new Map();  // hosts by the number of their threads, while models use them

async function startThreads(count) {
  threadsModule ??= compiled("bert_infer_threads.wasm").catch((error) => {
    threadsModule = null;
    throw error;
  });
  const given = [await threadsModule, environment, count, new URL(settings.thread ?? "thread.js", base).href];
  return inNode ? new Local(await Host.create(...given)) : startWorker(...given);
}

/** Why one thread computes here; null where more can. */
function onlyThread(wantsWorker) {
  if (!inNode && !globalThis.crossOriginIsolated) return "the page is not isolated by the headers COOP and COEP";
  if (!isRelaxed) return "the browser has no relaxed instructions";
  if (!inNode && !(wantsWorker && typeof Worker === "function")) return "the page's own thread may not wait for others";
  return null;
}

/** A host, and what to call when it is used no longer. asked: threads; 0: as many as the page may use. */
async function hostFor(wantsWorker, asked, notices) {
  if (asked > MOST_THREADS) {
    throw engineError("BERT_INVALID_ARGUMENT", `${asked} threads requested, expected at most ${MOST_THREADS}`);
  }
  let why = onlyThread(wantsWorker);
  const count = asked || (why !== null || inNode ? 1 : (navigator.hardwareConcurrency ?? 1));
  if (count > 1 && why === null) {
    const found = threaded.get(count);
    const entry = found && !found.host?.hasEnded ? found : { users: 0, host: null, begun: startThreads(count) };
    threaded.set(count, entry);
    ++entry.users;
    const leave = () => {
      if (--entry.users > 0) return;
      entry.host?.end();
      if (threaded.get(count) === entry) threaded.delete(count);
    };
    try {
      entry.host = await entry.begun;
      return { host: entry.host, leave };
    } catch (error) {
      leave();
      why = error.message;
    }
  }
  if (count > 1) notices.push(`1 of ${count} threads computes: ${why}`);
  return { host: await singleHost(wantsWorker), leave: () => {} };
}

// ---- The functions ----

const NEVER = 1;  // of packings
const MOST_THREADS = 1024;  // as in the library
const released = new FinalizationRegistry((free) => free());
let folders = 0, embeddings = 0;

function sourceOf(given) {
  if (given === null) return { isBuiltin: true, address: settings.builtin ?? new URL("builtin/", base).href };
  if (given instanceof URL || typeof given === "string") return { address: directoryAddress(String(given)) };
  return { files: fileTable(given) };
}

/** A tokenizer in this thread's module, of the files that the model's was read from. */
function tokenizerOf(small, isBuiltin, options) {
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
  const { worker = true, cache = true, onProgress, signal, encoder, adapter, threads, ...given } = options;
  const notices = [];
  const { host, leave } = await hostFor(worker, threads, notices);
  given.threads = 1;  // else they are the host's
  given.packing ||= NEVER;  // automatic: one copy of the weights
  let source, loaded;
  try {
    signal?.throwIfAborted();
    source = sourceOf(directory);
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
    if (!source.isBuiltin && tokenizer.address) calls.freeTokenizer(engine, tokenizer.address);
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

/** Over all hosts; one that ends meanwhile has nothing. */
async function sumOver(method) {
  const hosts = [remote, local, ...[...threaded.values()].map(({ begun }) => begun)];
  const numberOf = async (host) => (await host)?.call(method, []) ?? 0;
  const found = await Promise.all(hosts.map((host) => numberOf(host).catch(() => 0)));
  return found.reduce((sum, one) => sum + one, 0);
}

const called = async (method, handle, ...given) => {
  const { host, model } = handleOf(handle);
  return host.call(method, [model, ...given]);
};

export const native = {
  version: "@PROJECT_VERSION@",
  tasks: engine.name(engine.functions.bert_tasks_json()),
  load,
  describe: (handle) => handleOf(handle).properties,
  release: (handle) => handle.free(),
  cancellation: () => ({ call: ++embeddings, host: null }),
  cancel: (cancellation) => cancellation.host?.call("cancel", [cancellation.call]),
  embed: async (handle, texts, request, cancellation) => {
    cancellation.host = handleOf(handle).host;
    return called("embed", handle, texts, request, cancellation.call);
  },
  embedSparse: async (handle, texts, request, cancellation) => {
    cancellation.host = handleOf(handle).host;
    return called("embedSparse", handle, texts, request, cancellation.call);
  },
  embedParts: (handle, text, request) => called("embedParts", handle, text, request),
  task: (handle, name, inputs, options) => called("task", handle, name, inputs, options),
  explain: (handle, name, request) => called("explain", handle, name, request),
  tokenize: (handle, text, pair, request) => calls.tokenize(engine, tokenizerAddress(handle), text, pair, request),
  tokenText: (handle, id) => calls.tokenText(engine, tokenizerAddress(handle), id),
  decode: (handle, ids, skips) => calls.decode(engine, tokenizerAddress(handle), ids, skips),
  cosine: (a, b) => calls.cosine(engine, a, b),
  maxSim: (query, document, size) => calls.maxSim(engine, query, document, size),
  index: (vectors, size, scan) => {
    const made = calls.index(engine, vectors, size, scan), { address } = made;
    released.register(made, () => calls.freeIndex(engine, address), made);
    return made;
  },
  releaseIndex: (index) => {
    released.unregister(index);
    calls.freeIndex(engine, index.address);
  },
  search: (index, query, top) => calls.search(engine, index, query, top),
  /** Bytes of the modules' memories, of this thread and of the models'. */
  memory: async () => engine.bytes.length + (await sumOver("memory")),
  /** Threads of models, beside their callers. */
  threads: () => sumOver("threads"),
};

// ---- What Model.load takes here ----

export const directories = { accepts: isSource, expected: "an address or files" };
export const MORE_OPTIONS = ["adapter", "worker", "cache", "onProgress", "signal"];
