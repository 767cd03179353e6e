// Makes an engine on shared memory, and a worker for each further thread. The workers wait in this memory before a
// model is loaded, because a worker cannot start while a function runs.
import { makeRuntime } from "./calls.js";
import { Engine, engineError } from "./engine.js";
import { platform } from "./platform.js";

// Memory in pages of 64 KiB. An engine reserves addresses for the maximum, four gigabytes, and memory only as it grows.
const FIRST_PAGES = @web_shared_pages@;
const MOST_PAGES = 65536;

class Threads {
  #workers = [];
  #waiting = [];

  /** Resolves when a worker waits. A later message says why the worker's thread ended. */
  async add({ module, memory, script }, onEnd) {
    const worker = platform.newThread(script);
    this.#workers.push(worker);
    const problem = await new Promise((resolve) => {
      let isWaiting = false;
      const take = (line) => {
        if (isWaiting) onEnd(line);
        isWaiting = true;
        resolve(line);
      };
      const fail = (error) => {
        error.preventDefault?.();
        take(error.message ?? "it could not be loaded");
      };
      worker.addEventListener("message", ({ data }) => take(data));
      worker.addEventListener("error", fail);
      worker.postMessage({ module, memory });
    });
    if (problem !== null) throw engineError("BERT_INTERNAL", `a thread's worker did not start: ${problem}`);
    this.#waiting.push(worker);
  }

  take(thread, routine, given, stack) {
    this.#waiting.pop().postMessage({ thread, routine, given, stack });
  }

  end() {
    for (const worker of this.#workers) worker.terminate();
  }
}

/**
 * Returns an engine whose models are computed by `threads` threads, the calling thread included, which must be allowed
 * to wait. script: the address of thread.js, if the page has chosen one.
 */
export async function threadedEngine(module, environment, count, script = null) {
  const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES, shared: true });
  const engine = await Engine.create(module, environment, memory);  // the first instance initialises the memory
  const threads = new Threads();
  const given = { module, memory, script };
  try {
    await Promise.all(Array.from({ length: count - 1 }, () =>
      threads.add(given, (line) => engine.end(line))));
    engine.startThread = (...thread) => threads.take(...thread);
    engine.functions.offer_threads(count - 1);
    engine.runtime = makeRuntime(engine, count);
  } catch (error) {
    threads.end();
    throw error;
  }
  engine.endThreads = () => threads.end();
  return engine;
}
