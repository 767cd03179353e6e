import type { Directory, MoreLoadOptions } from "./native.js";

/** Version of the library, "0.1.0". */
export const version: string;

export interface LoadOptions extends MoreLoadOptions {
  /** Of a model in the hub's local cache; default "main". */
  revision?: string;
  /** Of a model with a route or an adapter for each: "query", say. */
  task?: string;
  /** Of a model that only names its encoder: its directory. */
  encoder?: string;
  /** Threads of one call; default: the cores that the container allows. */
  threads?: number;
  /** "int8" makes 8-bit weights of floats when the model is loaded. */
  precision?: "stored" | "float32" | "int8";
  packing?: "automatic" | "never" | "always";
  ignoreUnexpected?: boolean;
  checkTensors?: boolean;
}

export type Pooling =
  | "default" | "cls" | "mean" | "max" | "pooler" | "mean_sqrt_length" | "weighted_mean" | "last_token";

export interface EmbedOptions {
  /** The name of one of the model's prompts; default: the model's own, if any. */
  prompt?: string;
  /** In place of what the model's files say. */
  pooling?: Pooling;
  normalize?: boolean;
  /** The vector's first numbers, this many (Matryoshka). */
  dimensions?: number;
  /** Ends the call after the forward passes that run; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

/** Tokens of a text; places are in UTF-16 units, as `text.slice(start, end)` takes them. */
export interface Tokens {
  tokens: string[];
  ids: Int32Array;
  typeIds: Int32Array;
  /** 1 on tokens that the model's template added. */
  specialTokensMask: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
  /** Index of the word in its text; -1 on the template's tokens. */
  wordIds: Int32Array;
  /** 0: the text, 1: the pair, -1: the template. */
  sequenceIds: Int32Array;
  /** Tokens that maxLength removed. */
  truncated: number;
}

export interface LabelScore {
  label: string;
  score: number;
}

/** word is text.slice(start, end). */
export interface Entity extends LabelScore {
  start: number;
  end: number;
  word: string;
}

export interface Chunk {
  start: number;
  end: number;
  text: string;
  vector: Float32Array;
}

export interface TokenVectors {
  /** [vectors, size] */
  data: Float32Array;
  size: number;
}

export interface MaskCandidate {
  token: string;
  id: number;
  score: number;
}

export interface Answer {
  answer: string;
  score: number;
  start: number;
  end: number;
}

export interface Ranked {
  /** Of the documents. */
  index: number;
  score: number;
}

export type Aggregation = "none" | "simple" | "first" | "average" | "max";

/**
 * A model. Immutable: any number of calls may run at once, and none blocks the event loop. An error of the library has
 * a `code`, "BERT_NOT_FOUND" or another of bert.h, and one line that says what, where, found, expected.
 */
export class Model {
  private constructor();
  /** A directory in the Hugging Face layout; without one the built-in model. */
  static load(directory?: Directory | null, options?: LoadOptions): Promise<Model>;

  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  /** Of a sequence, in tokens. */
  readonly maxLength: number;
  /** The id of the mask token; -1: none. */
  readonly maskId: number;
  readonly precision: string;
  readonly hasPooler: boolean;
  readonly hasTokenizer: boolean;
  /** Messages about how the files were read, for people. */
  readonly notices: string[];

  /** Lets the memory go when the running calls have ended. */
  close(): void;

  /** One vector for a text; of several texts an array of vectors, in their order. */
  embed(text: string, options?: EmbedOptions): Promise<Float32Array>;
  embed(texts: string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Late chunking: a vector for each part of a text, which has seen the whole. */
  embedChunks(text: string, options: { tokens?: number; sentences?: boolean }): Promise<Chunk[]>;
  /** Late interaction: a vector for each token, for maxSim. */
  embedTokens(text: string, role?: "query" | "document"): Promise<TokenVectors>;

  tokenize(text: string, options?: { pair?: string; maxLength?: number; specialTokens?: boolean }): Tokens;
  decode(ids: ArrayLike<number>, options?: { skipSpecialTokens?: boolean }): string;

  /** All labels of a classifier, best first. */
  classify(text: string, options?: { pair?: string; topK?: number }): Promise<LabelScore[]>;
  /** Candidate labels, best first, by a classifier of natural language inference. */
  zeroShot(
    text: string, labels: string[], options?: { hypothesisTemplate?: string; multiLabel?: boolean },
  ): Promise<LabelScore[]>;
  /** The entities of a token classifier, in the text's order. */
  tag(text: string, options?: { aggregation?: Aggregation }): Promise<Entity[]>;
  /** Entities by labels of your own, of a model that reads them (GLiNER). */
  findEntities(
    text: string, labels: string[], options?: { threshold?: number; nested?: boolean; multiLabel?: boolean },
  ): Promise<Entity[]>;
  /** For each mask of the text the tokens that fit best. */
  fillMask(text: string, options?: { topK?: number; targets?: string[] }): Promise<MaskCandidate[][]>;
  /** The parts of the context that answer the question, best first. */
  answer(
    question: string, context: string, options?: { topK?: number; maxAnswerTokens?: number; noAnswer?: boolean },
  ): Promise<Answer[]>;
  /** The documents by how well they fit the query, best first. */
  rerank(
    query: string, documents: string[], options?: { topK?: number; prompt?: string; relevantLabel?: string },
  ): Promise<Ranked[]>;
}

export function cosineSimilarity(a: Float32Array, b: Float32Array): number;

/** The sum, over the query's vectors, of the largest dot product with one of the document's. */
export function maxSim(query: TokenVectors, document: TokenVectors): number;

/** Exact search among vectors of length 1: the score is the dot product. */
export class VectorIndex {
  constructor(vectors: Float32Array[], options?: { scan?: "float32" | "int8" | "binary" });
  search(query: Float32Array, options?: { topK?: number }): { row: number; score: number }[];
  /** Lets the memory and the threads go. */
  close(): void;
}

export type PipelineTask =
  | "feature-extraction" | "embeddings" | "text-classification" | "sentiment-analysis" | "token-classification"
  | "ner" | "fill-mask" | "question-answering" | "zero-shot-classification";

/** A function with the options and the results that transformers.js has for the task. */
export function pipeline(
  task: PipelineTask, model?: Directory | Model | null, options?: LoadOptions,
): Promise<((...given: any[]) => Promise<any>) & { task: string; model: Model; dispose(): Promise<void> }>;
