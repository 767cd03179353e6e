// The functions that differ between a browser and Node. In Node, node.js replaces them.
export const platform = {
  isNode: false,
  /** Fetches an address in the network, or one of the package's own files. */
  fetch: (...given) => fetch(...given),
  /** Returns the address of a directory that a caller named. A relative name is relative to the page. */
  directory: (given) => given,
  /** Starts a worker that computes a thread. script: its address, if it is not the package's own. */
  newThread: (script) => (script ? new Worker(script, { type: "module" })
    : new Worker(new URL("./thread.js", import.meta.url), { type: "module" })),
};
