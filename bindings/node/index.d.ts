/// <reference lib="esnext.disposable" />
import type { Directory, MoreLoadOptions } from "./native.js";

/** Version of the library, "0.1.0". */
export const version: string;

export interface LoadOptions extends MoreLoadOptions {
  /** Of a model in the hub's local cache; default "main". */
  revision?: string;
  /** Of a model with a route or an adapter for each: "query", say. */
  task?: string;
  /** Of a GLiNER model that only names its encoder: its directory. */
  encoder?: Directory;
  /** Threads of one call; default: the cores that the container allows. */
  threads?: number;
  /** "int8" makes 8-bit weights of floats when the model is loaded. */
  precision?: "stored" | "float32" | "int8" | "bfloat16";
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
  /** A text that is too long is cut off, by default, or an error. */
  longText?: "cut" | "error";
  /** Ends the call after the forward passes that run; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
}

export interface SparseOptions extends Pick<EmbedOptions, "longText" | "signal"> {
  maxActive?: number;
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
  /** Tokens that maxLength removed; without maxLength none is removed, of however long a text. */
  truncated: number;
}

/** A result, with how many tokens of the call's texts were not read. */
export type Counted<Result> = Result & { readonly truncatedTokens: number };

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
  /** Tokens of the text that were not read; of embedTokens. */
  truncatedTokens?: number;
}

/** Entries of the vocabulary, by ascending ids. */
export interface SparseVector {
  ids: Int32Array;
  weights: Float32Array;
  /** Tokens of the text that were not read. */
  truncatedTokens: number;
}

/** What is done with a text that is too long: by default it is cut off. */
export interface Windows {
  /** Default: "windows" with a stride, else "cut". */
  longText?: "cut" | "windows" | "error";
  /** It is read in windows that share so many tokens. */
  stride?: number;
}

export interface ScoredWindows extends Windows {
  /** What a label's score is of its windows' scores; default "mean". */
  windowScores?: "mean" | "largest";
}

/** A word of an explained text; 0 and 0 for one that the model adds. */
export interface ExplainedWord {
  word: string;
  start: number;
  end: number;
}

/** A token; those of one word have the same number. */
export interface ExplainedToken {
  token: string;
  id: number;
  word: number;
  start: number;
  end: number;
}

/** An entry of the vocabulary that both texts have, with its weight in this one. */
export interface ExplainedEntry {
  token: string;
  id: number;
  weight: number;
}

/** score is the sum of terms and remainder. */
export type SimilarityExplanation = {
  /** "cosine", "dot", "maxsim", … */
  function: string;
  score: number;
  remainder: number;
} & (
  | {
      /** Each token of one text with each of the other; of a query's tokens the one of the document that it matches. */
      kind: "token pairs" | "matches";
      first: ExplainedToken[];
      second: ExplainedToken[];
      /** [first, second] */
      terms: Float64Array;
    }
  | { kind: "entries"; first: ExplainedEntry[]; second: ExplainedEntry[]; terms: Float64Array }
  | {
      kind: "words left out";
      /** Why the score is no sum of pairs. */
      noSum: string;
      first: ExplainedWord[];
      second: ExplainedWord[];
      /** The score minus that without the word: of the words of first, then of second. */
      terms: Float64Array;
    }
);

export interface LabelExplanation {
  /** In the order of the model's outputs; score is the sum of the label's terms and remainder. */
  labels: (LabelScore & { remainder: number })[];
  first: ExplainedWord[];
  second: ExplainedWord[];
  /** The score minus that without the word: [first and then second, labels]. */
  terms: Float64Array;
}

export interface RelevanceExplanation {
  score: number;
  remainder: number;
  first: ExplainedWord[];
  second: ExplainedWord[];
  terms: Float64Array;
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
  /** The same, for `using model = await Model.load(…)`. */
  [Symbol.dispose](): void;

  /** One vector for a text; of several texts an array of vectors, in their order. */
  embed(text: string, options?: EmbedOptions): Promise<Counted<Float32Array>>;
  embed(texts: string[], options?: EmbedOptions): Promise<Counted<Float32Array>[]>;
  /** Of a model that makes sparse vectors (SPLADE). maxActive: the most entries of a text, the largest. */
  embedSparse(text: string, options?: SparseOptions): Promise<SparseVector>;
  embedSparse(texts: string[], options?: SparseOptions): Promise<SparseVector[]>;
  /** Late chunking: a vector for each part of a text, which has seen the whole. */
  embedChunks(
    text: string, options: { tokens?: number; sentences?: boolean } & Pick<EmbedOptions, "longText">,
  ): Promise<Counted<Chunk[]>>;
  /** Late interaction: a vector for each token, for maxSim. */
  embedTokens(text: string, role?: "query" | "document"): Promise<TokenVectors>;

  tokenize(text: string, options?: { pair?: string; maxLength?: number; specialTokens?: boolean }): Tokens;
  decode(ids: ArrayLike<number>, options?: { skipSpecialTokens?: boolean }): string;

  /** All labels of a classifier, best first. */
  classify(text: string, options?: { pair?: string; topK?: number } & ScoredWindows): Promise<Counted<LabelScore[]>>;
  /** Candidate labels, best first, by a classifier of natural language inference. */
  zeroShot(
    text: string, labels: string[], options?: { hypothesisTemplate?: string; multiLabel?: boolean } & ScoredWindows,
  ): Promise<Counted<LabelScore[]>>;
  /**
   * The entities of a token classifier, in the text's order. A long text is read in windows by default; stride: 32.
   * scheme: what the letters before a label mean; "auto": as the model's labels say.
   */
  tag(
    text: string, options?: { aggregation?: Aggregation; scheme?: "auto" | "iob" | "bioes" | "bilou" } & Windows,
  ): Promise<Counted<Entity[]>>;
  /** Entities by labels of your own, of a model that reads them (GLiNER). */
  findEntities(
    text: string, labels: string[],
    options?: { threshold?: number; nested?: boolean; multiLabel?: boolean } & Windows,
  ): Promise<Counted<Entity[]>>;
  /** Labels of your own, best first, of a model that reads them (GLiClass). multiLabel: each score stands alone. */
  scoreLabels(
    text: string, labels: string[], options?: { multiLabel?: boolean } & ScoredWindows,
  ): Promise<Counted<LabelScore[]>>;
  /** For each mask of the text the tokens that fit best. */
  fillMask(
    text: string, options?: { topK?: number; targets?: string[] } & Pick<EmbedOptions, "longText">,
  ): Promise<Counted<MaskCandidate[][]>>;
  /** The parts of the context that answer the question, best first. */
  answer(
    question: string, context: string, options?: { topK?: number; maxAnswerTokens?: number; noAnswer?: boolean },
  ): Promise<Counted<Answer[]>>;
  /** The documents by how well they fit the query, best first. */
  rerank(
    query: string, documents: string[],
    options?: { topK?: number; prompt?: string; relevantLabel?: string } & Windows,
  ): Promise<Counted<Ranked[]>>;

  /** What the similarity of two texts is the sum of, or what it is without each word. */
  explainSimilarity(
    a: string, b: string, options?: { vectors?: "dense" | "sparse" | "tokens"; pooling?: Pooling },
  ): Promise<SimilarityExplanation>;
  /** What a classifier's scores are without each word. */
  explainLabels(text: string, options?: { pair?: string }): Promise<LabelExplanation>;
  /** The same of a reranker that is a classifier. */
  explainRelevance(
    query: string, document: string, options?: { relevantLabel?: string },
  ): Promise<RelevanceExplanation>;
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
  [Symbol.dispose](): void;
}

export type PipelineTask =
  | "feature-extraction" | "embeddings" | "text-classification" | "sentiment-analysis" | "token-classification"
  | "ner" | "fill-mask" | "question-answering" | "zero-shot-classification";

/** A function with the options and the results that transformers.js has for the task. */
export function pipeline(
  task: PipelineTask, model?: Directory | Model | null, options?: LoadOptions,
): Promise<((...given: any[]) => Promise<any>) & { task: string; model: Model; dispose(): Promise<void> }>;
