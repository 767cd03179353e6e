// Where the package's own files are. Each address is written out, so that bundlers find the file and copy it; it is made
// when it is asked for, since a script that is no module has no address.

/** What a page chose: {base, worker, …}, as docs/BINDINGS.md describes it. */
export const settings = () => globalThis.bertInfer ?? {};

const FILES = {
  "bert_infer.wasm": () => new URL("./bert_infer.wasm", import.meta.url),
  "bert_infer_relaxed.wasm": () => new URL("./bert_infer_relaxed.wasm", import.meta.url),
  "bert_infer_threads.wasm": () => new URL("./bert_infer_threads.wasm", import.meta.url),
};

// The build writes the built-in model's files.
const BUILTIN = {@web_builtin_addresses@,
};

const inBase = (name) => (settings().base ? new URL(name, settings().base).href : null);

export const moduleAddress = (name) => inBase(name) ?? FILES[name]().href;

/** The built-in model's files: their addresses by their names. */
export function builtinAddresses() {
  const folder = settings().builtin ?? inBase("builtin/");
  const all = Object.entries(BUILTIN);
  return Object.fromEntries(all.map(([name, own]) => [name, (folder ? new URL(name, folder) : own()).href]));
}

/** Of thread.js where the page named it; else null, and the worker knows where it is. */
export const threadAddress = () => settings().thread ?? inBase("thread.js");

export function newWorker() {
  const { worker } = settings(), script = inBase("worker.js");
  if (worker) return new Worker(worker);
  if (script) return new Worker(script, { type: "module" });
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}
