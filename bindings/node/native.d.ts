/** A path, or a name in the hub's local cache. */
export type Directory = string;

export interface MoreLoadOptions {
  /** An adapter (LoRA) of the model, which is merged into the weights in memory: a directory. */
  adapter?: string;
}

/**
* Fetches a model's files into the hub's local cache, where Model.load(name) finds them, and returns their directory.
* name: such as "sentence-transformers/all-MiniLM-L6-v2". revision: a branch, a tag or a commit; default "main".
*/
export function fetchModel(
  name: string,
  options?: {
    revision?: string;
    onProgress?: (progress: { file: string; loaded: number; total: number }) => void;
  },
): Promise<string>;
