// The files of the live page from where it is served; live_file.py writes another file in its place.
import { hasRelaxedSimd } from "./engine.js";

const BUILTIN_FILES = [@web_builtin_files@];

async function fetched(name) {
  const address = new URL(name, import.meta.url);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${name}: the server answered ${answer.status}, expected 200`);
  if (!navigator.serviceWorker?.controller) keep(address, answer.clone());
  return answer;
}

/** For offline.js, which does this on later visits; where nothing can be kept, nothing is. */
async function keep(address, answer) {
  try {
    await (await caches.open("@live_cache@")).put(address, answer);
  } catch {
    await answer.body?.cancel();
  }
}

export async function compiledModule() {
  const answer = await fetched(hasRelaxedSimd() ? "bert_live_relaxed.wasm" : "bert_live.wasm");
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** onProgress: a share from 0 to 1 of the weights. */
export async function builtinFiles(onProgress) {
  return Promise.all(BUILTIN_FILES.map(async (name) => {
    const answer = await fetched(`builtin/${name}`);
    const total = Number(answer.headers.get("content-length"));
    if (!name.endsWith(".safetensors") || !total) return [name, new Uint8Array(await answer.arrayBuffer())];
    const pieces = [];
    let loaded = 0;
    const reader = answer.body.getReader();
    for (let piece; !(piece = await reader.read()).done; onProgress(Math.min(loaded / total, 1))) {
      pieces.push(piece.value);
      loaded += piece.value.length;
    }
    const bytes = new Uint8Array(loaded);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return [name, bytes];
  }));
}

/** A worker, or null where the page may start none. */
export function startWorker() {
  try {
    return new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  } catch {
    return null;
  }
}

/** After the first visit the page is read from the browser's cache, also without a network. */
export function keepOffline() {
  navigator.serviceWorker?.register(new URL("offline.js", import.meta.url)).catch(() => {});
}
