// The addresses of the package's own files. Each address is written out, so that bundlers find the file and copy it. An
// address is made only when it is asked for, because a script that is not a module has no address.

/** Returns the page's settings, {base, worker, …}, which docs/BINDINGS.md describes. */
export const settings = () => globalThis.bertInfer ?? {};

const FILES = {
  "bert_infer.wasm": () => new URL("./bert_infer.wasm", import.meta.url),
  "bert_infer_relaxed.wasm": () => new URL("./bert_infer_relaxed.wasm", import.meta.url),
  "bert_infer_threads.wasm": () => new URL("./bert_infer_threads.wasm", import.meta.url),
};

// The build makes the built-in model's files.
const BUILTIN = {@web_builtin_addresses@,
};

const inBase = (name) => (settings().base ? new URL(name, settings().base).href : null);

export const moduleAddress = (name) => inBase(name) ?? FILES[name]().href;

/** Returns the addresses of the built-in model's files by their names. */
export function builtinAddresses() {
  const folder = settings().builtin ?? inBase("builtin/");
  const all = Object.entries(BUILTIN);
  return Object.fromEntries(all.map(([name, own]) => [name, (folder ? new URL(name, folder) : own()).href]));
}

/** Returns the address of thread.js that the page chose, or null, with which the worker finds the file itself. */
export const threadAddress = () => settings().thread ?? inBase("thread.js");

export function newWorker() {
  const { worker } = settings(), script = inBase("worker.js");
  if (worker) return new Worker(worker);
  if (script) return new Worker(script, { type: "module" });
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}
