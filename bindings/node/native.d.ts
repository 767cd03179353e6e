/** A path, or a name in the hub's local cache. */
export type Directory = string;

export interface MoreLoadOptions {
  /** An adapter (LoRA) of the model, which is merged into the weights in memory: a directory. */
  adapter?: string;
}
