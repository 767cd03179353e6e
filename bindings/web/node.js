// The package for Node, Deno and Bun, for tests and for programs without an addon. Files are read from the disk.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { platform } from "./platform.js";

const PIECE = 2 ** 20;

async function fileAnswer(address) {
  const path = new URL(address);
  const status = await stat(path).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  if (!status?.isFile()) return new Response(null, { status: 404 });
  const type = path.pathname.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  const headers = { "content-length": status.size, "content-type": type };
  return new Response(Readable.toWeb(createReadStream(path, { highWaterMark: PIECE })), { headers });
}

Object.assign(platform, {
  isNode: true,
  fetch: (address, options) =>
    String(address).startsWith("file:") ? fileAnswer(address) : fetch(address, options),
  directory: (given) => (/^(https?|file|blob|data):/.test(given) ? given : pathToFileURL(given).href),
  newThread() {
    const worker = new Worker(new URL("./thread_node.js", import.meta.url));
    const listen = (name, take) => worker.on(name, (data) => {
      worker.unref();  // lets the process end without waiting for the thread
      take(name === "message" ? { data } : data);
    });
    return Object.assign(worker, { addEventListener: listen });
  },
});

export * from "./index.js";
