// A worker of threads.js. It has an instance of the module on shared memory and computes one thread.
let functions;

async function answer({ module, memory, thread, routine, given, stack }, send) {
  if (module) {
    try {
      const now = () => performance.timeOrigin + performance.now();
      const imports = { env: { memory }, page: { now, start_thread: () => {} } };  // a thread starts no other thread
      functions = (await WebAssembly.instantiate(module, imports)).exports;
      send(null);
    } catch (error) {
      send(error.message);
    }
    return;
  }
  functions.stackRestore(stack);
  try {
    functions.run_thread(thread, routine, given);
  } catch (error) {
    functions.stackRestore(stack);
    functions.end_thread();  // threads that wait for this thread end too
    send(error.message);
  }
}

addEventListener("message", ({ data }) => answer(data, (line) => postMessage(line)));
