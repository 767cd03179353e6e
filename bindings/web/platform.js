// What differs between a browser and Node, whose functions node.js puts in the place of these.
export const platform = {
  isNode: false,
  /** Of a network's address, or of one of the package's own files. */
  fetch: (...given) => fetch(...given),
  /** The address of a directory that a caller named, as he wrote it where it is relative to the page. */
  directory: (given) => given,
  /** A worker that computes a thread. script: its address, where it is not the package's own. */
  newThread: (script) => (script ? new Worker(script, { type: "module" })
    : new Worker(new URL("./thread.js", import.meta.url), { type: "module" })),
};
