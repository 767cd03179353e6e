// Runs thread.js in a thread of Node.
import { parentPort } from "node:worker_threads";

globalThis.postMessage = (message) => parentPort.postMessage(message);
globalThis.addEventListener = (name, take) => parentPort.on(name, (data) => take({ data }));
await import("./thread.js");
