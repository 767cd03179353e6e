// Threads: an engine on memory that is shared, and a worker for each further thread, which waits in the same memory
// before a model is loaded, since no worker begins while a function runs.
import { makeRuntime } from "./calls.js";
import { Engine, engineError } from "./engine.js";
import { platform } from "./platform.js";

// Of memory, in pages of 64 KiB. An engine reserves addresses for the most, four gigabytes, and memory as it grows.
const FIRST_PAGES = @web_shared_pages@;
const MOST_PAGES = 65536;

class Threads {
  #workers = [];
  #waiting = [];

  /** Resolves when a worker waits. What it says later is why its thread ended. */
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
 * An engine whose models are computed by so many threads, the caller's among them, which must be allowed to wait.
 * script: the address of thread.js, where the page named it.
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
