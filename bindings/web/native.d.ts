/**
 * The address of a directory, or its files: from a form or dropped on the page, or bytes by their names. In Node a path
 * is an address too.
 */
export type Directory =
  string | URL | Iterable<File> | ArrayLike<File> | Map<string, Bytes> | { [name: string]: Bytes };
export type Bytes = Blob | ArrayBuffer | ArrayBufferView;

export interface MoreLoadOptions {
  /** An adapter (LoRA) of the model, which is merged into the weights in memory. */
  adapter?: Directory;
  /** The names of the model's files at its address, in place of those that config.json and modules.json imply. */
  files?: readonly string[];
  /** Called while files are read; total is null if the server does not say it. */
  onProgress?: (progress: { file: string; loaded: number; total: number | null }) => void;
  /** Keeps fetched files in the browser's cache (Cache Storage); default true. */
  cache?: boolean;
  /** Computes in a worker, if the page can start one; default true. */
  worker?: boolean;
  /** Ends the loading before it begins. */
  signal?: AbortSignal;
}
