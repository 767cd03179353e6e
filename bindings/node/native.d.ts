/** A path, or a name in the hub's local cache. */
export type Directory = string;

export interface MoreLoadOptions {}
