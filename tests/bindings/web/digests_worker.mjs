// A worker of browser_page.html that computes digests of models with two threads. A page cannot wait for threads.
import * as calls from "/package/calls.js";
import { threadedEngine } from "/package/threads.js";
import { digestAt } from "./digests.mjs";

let begun = null;
async function begin() {
  const module = await WebAssembly.compileStreaming(fetch("/package/bert_infer_threads.wasm"));
  return threadedEngine(module, {}, 2);
}

addEventListener("message", async ({ data }) => {
  const engine = await (begun ??= begin());
  postMessage(await digestAt(calls, engine, ...data));
});
