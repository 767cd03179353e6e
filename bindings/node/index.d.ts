/// <reference lib="esnext.disposable" />
import type { Directory, MoreLoadOptions } from "./native.js";

export * from "./native.js";

/** Version of the library, such as "0.1.0". */
export const version: string;

export interface LoadOptions extends MoreLoadOptions {
  /** Branch, tag or commit of a model in the hub's local cache; default: "main". */
  revision?: string;
  /** The route or the adapter of a model with several, such as "query". */
  task?: string;
  /** Directory of the encoder, for a GLiNER model that only names its encoder. */
  encoder?: Directory;
  /** Number of threads for one call; default: the cores that the container allows. */
  threads?: number;
  /** "int8" makes 8-bit weights from floats when the model is loaded. */
  precision?: "stored" | "float32" | "int8" | "bfloat16";
  packing?: "automatic" | "never" | "always";
  ignoreUnexpected?: boolean;
  checkTensors?: boolean;
}

/** The options of Model.load, and two options under their names in transformers.js. */
export interface PipelineOptions extends LoadOptions {
  /** "fp32": float32; "q8", "int8" or "uint8": 8-bit weights, made when the model is loaded; "auto": as stored. */
  dtype?: "auto" | "fp32" | "q8" | "int8" | "uint8";
  device?: "auto" | "cpu" | "wasm";
}

export type Pooling =
  | "default" | "cls" | "mean" | "max" | "pooler" | "mean_sqrt_length" | "weighted_mean" | "last_token";

export interface EmbedOptions {
  /** Name of one of the model's prompts; default: the model's default prompt, if it has one. */
  prompt?: string;
  /** Replaces the pooling in the model's files. */
  pooling?: Pooling;
  normalize?: boolean;
  /** Keeps only so many of a vector's first numbers (Matryoshka). */
  dimensions?: number;
  /** "cut", the default, cuts a too long text. "error" makes it an error. */
  longText?: "cut" | "error";
  /** Ends the call when its running forward passes are done; the promise is rejected with the signal's reason. */
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
  /** 1 for tokens that the model's template added. */
  specialTokensMask: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
  /** Index of the token's word in its text; -1 for a token of the template. */
  wordIds: Int32Array;
  /** 0: of the text, 1: of the pair, -1: of the template. */
  sequenceIds: Int32Array;
  /** Number of tokens that maxLength removed. Without maxLength no token is removed, however long the text is. */
  truncated: number;
}

/** A result, and the number of tokens of its texts that were not read. */
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
  /** Number of tokens of the text that were not read; only from embedTokens. */
  truncatedTokens?: number;
}

/** Entries of the vocabulary, in ascending order of ids. */
export interface SparseVector {
  ids: Int32Array;
  weights: Float32Array;
  /** Number of tokens of the text that were not read. */
  truncatedTokens: number;
}

/** A word of an explained text; start and end are 0 for a word that the model adds. */
export interface ExplainedWord {
  word: string;
  start: number;
  end: number;
}

/** A token; tokens of one word have the same `word`. */
export interface ExplainedToken {
  token: string;
  id: number;
  word: number;
  start: number;
  end: number;
}

/** An entry of the vocabulary that both texts have, and its weight in this text. */
export interface ExplainedEntry {
  token: string;
  id: number;
  weight: number;
}

/** score is the sum of the terms and the remainder. */
export type SimilarityExplanation = {
  /** "cosine", "dot", "maxsim", … */
  function: string;
  score: number;
  remainder: number;
} & (
  | {
      /** A term for each token of one text with each token of the other; with token vectors, for each token of the
       * query with the document's token that it matches. */
      kind: "token pairs" | "matches";
      first: ExplainedToken[];
      second: ExplainedToken[];
      /** [first, second] */
      terms: Float64Array;
    }
  | { kind: "entries"; first: ExplainedEntry[]; second: ExplainedEntry[]; terms: Float64Array }
  | {
      kind: "words left out";
      /** Says why the score is not a sum of pairs. */
      noSum: string;
      first: ExplainedWord[];
      second: ExplainedWord[];
      /** The score minus the score without the word, for the words of first, then of second. */
      terms: Float64Array;
    }
);

export interface LabelExplanation {
  /** In the order of the model's outputs. score is the sum of the label's terms and its remainder. */
  labels: (LabelScore & { remainder: number })[];
  first: ExplainedWord[];
  second: ExplainedWord[];
  /** The score minus the score without the word: [words of first and then of second, labels]. */
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
  /** Index among the documents or choices. */
  index: number;
  score: number;
}

/** The words of a text, for `tag`, if the caller divides the text. */
export interface Words {
  words: readonly string[];
}

/** A word and its label. */
export interface WordLabel extends LabelScore {
  word: string;
}

/** A text with its names replaced; places are in the given text. */
export interface Redacted {
  text: string;
  replaced: { label: string; start: number; end: number }[];
}

// ---- Options of the tasks, written by tools/tasks/write_types.py ----

/** Options of classify. */
export interface ClassifyOptions {
  /** The labels to choose from, for a model that reads labels (GLiClass). */
  labels?: readonly string[];
  /** With labels, the name of each label in the results, so that a label can be a description. */
  names?: readonly string[];
  /** With labels, each label is scored independently, from 0 to 1. */
  multiLabel?: boolean;
  /** The largest number of labels for each text. */
  topK?: number;
  /** How a label's scores in the windows of a long text become one: their mean, or the largest. Default: "mean". */
  windowScores?: "mean" | "largest";
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "cut".
   */
  longText?: "cut" | "windows" | "error";
  /** The number of tokens that a window of a long text shares with the next window. */
  stride?: number;
}

/** Options of zeroShot. */
export interface ZeroShotOptions {
  /** The sentence that is tested for each label, with {} in the place of the label. Default: "This example is {}.". */
  hypothesisTemplate?: string;
  /** Each label is scored independently, because several may apply. */
  multiLabel?: boolean;
  /** The largest number of labels for each text. */
  topK?: number;
  /** How a label's scores in the windows of a long text become one: their mean, or the largest. Default: "mean". */
  windowScores?: "mean" | "largest";
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "cut".
   */
  longText?: "cut" | "windows" | "error";
  /** The number of tokens that a window of a long text shares with the next window. */
  stride?: number;
}

/** Options of tag. */
export interface TagOptions {
  /** The kinds of entities to find, for a model that reads labels (GLiNER). */
  labels?: readonly string[];
  /** With labels, the name of each label in the results, so that a label can be a description. */
  names?: readonly string[];
  /** With labels, the score that an entity must exceed. Default: 0.5. */
  threshold?: number;
  /** With labels, an entity may lie inside another one. */
  nested?: boolean;
  /** With labels, an entity may have several labels. */
  multiLabel?: boolean;
  /**
   * How tokens become entities: none leaves each token alone, simple joins neighbours of one label; first, average and
   * max give each word one label, by its first token, the mean of its tokens or the token with the highest score; an
   * input of words takes one of these three, by default first. Default: "simple". Not beside labels.
   */
  aggregation?: "none" | "simple" | "first" | "average" | "max";
  /**
   * The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) and S-
   * (single), bilou L- (last) and U- (unit); auto finds out by the labels. Default: "auto". Not beside labels.
   */
  scheme?: "auto" | "iob" | "bioes" | "bilou";
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "windows".
   */
  longText?: "cut" | "windows" | "error";
  /** The number of tokens that a window of a long text shares with the next window. */
  stride?: number;
}

/** Options of fillMask. */
export interface FillMaskOptions {
  /** The number of words for each mask. Default: 5. */
  topK?: number;
  /** The words to list, whose scores remain those among all words. */
  targets?: readonly string[];
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "cut".
   */
  longText?: "cut" | "error";
}

/** Options of answer. */
export interface AnswerOptions {
  /** The number of answers to each question. Default: 1. */
  topK?: number;
  /** The largest number of tokens in an answer. Default: 15. */
  maxAnswerTokens?: number;
  /** The answer may be "", which says that the context has none. */
  noAnswer?: boolean;
  /** The number of tokens in a window, at most as many as the model reads. Default: 384. */
  windowTokens?: number;
  /** An answer consists of whole words. Default: true. */
  alignToWords?: boolean;
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "windows".
   */
  longText?: "cut" | "windows" | "error";
  /** The number of tokens that a window of a long text shares with the next window. */
  stride?: number;
}

/** Options of nextSentence. */
export interface NextSentenceOptions {
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "cut".
   */
  longText?: "cut" | "error";
}

/** Options of choose. */
export interface ChooseOptions {
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "cut".
   */
  longText?: "cut" | "error";
}

/** Options of rerank. */
export interface RerankOptions {
  /** The name of the model's prompt that is put before each text. Not beside promptText. */
  prompt?: string;
  /** A prompt of your own that is put before each text. */
  promptText?: string;
  /** For a classifier with two labels, the label whose score counts: by default the one called relevant. */
  relevantLabel?: string;
  /** The largest number of results. */
  topK?: number;
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "cut".
   */
  longText?: "cut" | "windows" | "error";
  /** The number of tokens that a window of a long text shares with the next window. */
  stride?: number;
}

/** Options of redact. */
export interface RedactOptions {
  /** The kinds of entities to find, for a model that reads labels (GLiNER). */
  labels?: readonly string[];
  /**
   * LABEL=EXPRESSION: each match of the regular expression (Oniguruma's syntax) is replaced as a part with this label.
   */
  expressions?: readonly string[];
  /** The labels of the entities to replace: by default all. */
  only?: readonly string[];
  /** The score that an entity must exceed: by default 0.5 for a model that reads labels, 0 for others. */
  threshold?: number;
  /** How tokens become entities, as in tag. Default: "first". Not beside labels. */
  aggregation?: "none" | "simple" | "first" | "average" | "max";
  /**
   * The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) and S-
   * (single), bilou L- (last) and U- (unit); auto finds out by the labels. Default: "auto". Not beside labels.
   */
  scheme?: "auto" | "iob" | "bioes" | "bilou";
  /**
   * What replaces a part; {label} is the label of the part, {hash} a digest of its text by the key. Default:
   * "<{label}>".
   */
  replace?: string;
  /** A character that replaces each character of a part. Not beside replace. */
  mask?: string;
  /** The key of {hash}, at least 16 bytes; {hash} is the first 32 digits of HMAC-SHA-256. */
  key?: string;
  /**
   * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
   * all of it in windows, error refuses it. Default: "windows".
   */
  longText?: "windows" | "error";
  /** The number of tokens that a window of a long text shares with the next window. */
  stride?: number;
}

// ---- End of the options of the tasks ----

/** The texts of a call: one text, or several, for which the result is an array in the same order. */
export type Texts = string | readonly string[];
/** The result for one text, or an array of results for several texts. */
export type Each<Given, Result> = Given extends readonly unknown[] ? Result[] : Result;
/** The second part of one text, or an array with the second parts of several texts. */
export type Pair<Given> = Given extends readonly unknown[] ? readonly string[] : string;
/** The result of tag: entities of a text, or a label for each given word. */
export type Tagged<Given> =
  Given extends readonly (infer One)[] ? Tagged<One>[]
  : Given extends Words ? Counted<WordLabel[]> : Counted<Entity[]>;

/**
 * A model. Immutable: any number of calls may run at the same time, and no call blocks the event loop. An error of the
 * library has a `code`, such as "BERT_NOT_FOUND" (see bert.h), and a message of one line that says what, where, found,
 * expected.
 */
export class Model {
  private constructor();
  /** Loads a directory in the Hugging Face layout; without a directory, the built-in model. */
  static load(directory?: Directory | null, options?: LoadOptions): Promise<Model>;

  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  /** The default limit of a sequence, in tokens. */
  readonly maxLength: number;
  /** The id of the mask token; -1 if there is none. */
  readonly maskId: number;
  readonly precision: string;
  readonly hasPooler: boolean;
  readonly hasTokenizer: boolean;
  /** Messages for people about how the files were read. */
  readonly notices: string[];

  /** Frees the memory when the running calls have ended. */
  close(): void;
  /** Does the same as close, for `using model = await Model.load(…)`. */
  [Symbol.dispose](): void;

  /** Computes a vector. */
  embed<T extends Texts>(texts: T, options?: EmbedOptions): Promise<Each<T, Counted<Float32Array>>>;
  /** Computes a sparse vector, with a SPLADE model. maxActive: keeps only so many of a text's largest entries. */
  embedSparse<T extends Texts>(texts: T, options?: SparseOptions): Promise<Each<T, SparseVector>>;
  /** Computes a vector for each part of a text from one pass over the whole text (late chunking). */
  embedChunks(
    text: string, options: { tokens?: number; sentences?: boolean } & Pick<EmbedOptions, "longText">,
  ): Promise<Counted<Chunk[]>>;
  /** Computes a vector for each token, for maxSim (late interaction). */
  embedTokens(text: string, role?: "query" | "document"): Promise<TokenVectors>;

  /** Returns the encoder's output for each token of `tokenize`, special tokens included: [tokens, hiddenSize]. */
  lastHiddenState(text: string, options?: { pair?: string }): Promise<TokenVectors>;

  tokenize(text: string, options?: { pair?: string; maxLength?: number; specialTokens?: boolean }): Tokens;
  decode(ids: ArrayLike<number>, options?: { skipSpecialTokens?: boolean }): string;

  // A task takes one text or several. For several the result is an array in the same order, computed together.

  /** Returns the labels of a classifier, best first. pair: the second part of the text. */
  classify<T extends Texts>(
    texts: T, options?: ClassifyOptions & { pair?: Pair<T> },
  ): Promise<Each<T, Counted<LabelScore[]>>>;
  /** Returns candidate labels, best first, by a classifier of natural language inference. */
  zeroShot<T extends Texts>(
    texts: T, labels: readonly string[], options?: ZeroShotOptions,
  ): Promise<Each<T, Counted<LabelScore[]>>>;
  /** Returns the entities of a token classifier, in the order of the text, or a label for each of its words. */
  tag<T extends string | Words | readonly (string | Words)[]>(texts: T, options?: TagOptions): Promise<Tagged<T>>;
  /** Returns entities of the caller's labels, with a model that reads labels (GLiNER). */
  findEntities<T extends Texts>(
    texts: T, labels: readonly string[], options?: Omit<TagOptions, "labels">,
  ): Promise<Each<T, Counted<Entity[]>>>;
  /** Returns the caller's labels, best first, with a model that reads labels (GLiClass). multiLabel: scores are
   * independent. */
  scoreLabels<T extends Texts>(
    texts: T, labels: readonly string[], options?: Omit<ClassifyOptions, "labels">,
  ): Promise<Each<T, Counted<LabelScore[]>>>;
  /** Returns for each mask of the text the tokens that fit best. */
  fillMask<T extends Texts>(
    texts: T, options?: FillMaskOptions & { pair?: Pair<T> },
  ): Promise<Each<T, Counted<MaskCandidate[][]>>>;
  /** Replaces the names in a text, found by a token classifier, a model that reads labels, or expressions. */
  redact<T extends Texts>(texts: T, options?: RedactOptions): Promise<Each<T, Counted<Redacted>>>;
  /** Returns the parts of the context that answer the question, best first. */
  answer<T extends Texts>(
    questions: T, contexts: Pair<T>, options?: AnswerOptions,
  ): Promise<Each<T, Counted<Answer[]>>>;
  /** Returns how likely the second text follows the first, from 0 to 1, by BERT's training task. */
  nextSentence<T extends Texts>(a: T, b: Pair<T>, options?: NextSentenceOptions): Promise<Each<T, number>>;
  /** Sorts the documents by how well they fit the query, best first. */
  rerank(query: string, documents: readonly string[], options?: RerankOptions): Promise<Counted<Ranked[]>>;
  /** Sorts the choices by how well they continue the text, best first, by a head for multiple choice. */
  choose(text: string, choices: readonly string[], options?: ChooseOptions): Promise<Counted<Ranked[]>>;
  /**
   * Runs a task of docs/TASKS.md by its name, such as "next_sentence", and returns what it finds in a text, or in each
   * of several. Tasks that compare texts are not run by name: use rerank and choose.
   */
  task(name: string, texts: Texts, options?: Record<string, unknown>): Promise<any>;

  /** Explains the similarity of two texts: as a sum of terms, or by leaving out each word. */
  explainSimilarity(
    a: string, b: string, options?: { vectors?: "dense" | "sparse" | "tokens"; pooling?: Pooling },
  ): Promise<SimilarityExplanation>;
  /** Explains a classifier's scores by leaving out each word. */
  explainLabels(text: string, options?: { pair?: string }): Promise<LabelExplanation>;
  /** Explains the score of a reranker that is a classifier, by leaving out each word. */
  explainRelevance(
    query: string, document: string, options?: { relevantLabel?: string },
  ): Promise<RelevanceExplanation>;
}

export function cosineSimilarity(a: Float32Array, b: Float32Array): number;

/** Returns the sum, over the query's vectors, of the largest dot product of each with a vector of the document. */
export function maxSim(query: TokenVectors, document: TokenVectors): number;

/** Exact search among vectors of length 1; the score is the dot product. */
export class VectorIndex {
  constructor(vectors: readonly Float32Array[], options?: { scan?: "float32" | "int8" | "binary" });
  search(query: Float32Array, options?: { topK?: number }): { row: number; score: number }[];
  /** Frees the memory and the threads. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Data with a shape. Indexing or iterating yields the rows: tensors, or numbers if there is one dimension. */
export interface Tensor {
  readonly type: "float32" | "int8" | "uint8";
  readonly data: Float32Array | Int8Array | Uint8Array;
  readonly dims: readonly number[];
  readonly size: number;
  readonly [row: number]: Tensor;
  [Symbol.iterator](): IterableIterator<any>;
  item(): number;
  tolist(): any;
  /** Returns a copy. For each dimension: an index, which removes the dimension; [from, to]; or null for all of it. */
  slice(...parts: (number | readonly [number | null, number | null] | null)[]): Tensor;
}

export interface TensorOptions {
  /** The default is "none": a vector for each token, [texts, tokens, hiddenSize], with zeros after shorter texts. */
  pooling?: "none" | "mean" | "cls" | "first_token" | "last_token" | "eos";
  normalize?: boolean;
  /** Turns each number into one bit. */
  quantize?: boolean;
  precision?: "binary" | "ubinary";
}
export interface TokenLabel {
  /** Returns entities without an aggregation. */
  entity?: string;
  entity_group?: string;
  score: number;
  word: string;
  start: number;
  end: number;
}
export interface FilledMask {
  score: number;
  token: number;
  token_str: string;
  sequence: string;
}
export interface ZeroShotLabels {
  sequence: string;
  labels: string[];
  scores: number[];
}

/** The arguments and the result of each task's function. */
export interface Pipelines {
  "feature-extraction": (texts: Texts, options?: TensorOptions) => Promise<Tensor>;
  /** Returns the best label of each text in an array; with another top_k, the best labels of each text. */
  "text-classification": {
    (texts: Texts, options?: { top_k?: 1 }): Promise<LabelScore[]>;
    <T extends Texts>(texts: T, options: { top_k: number | null }): Promise<Each<T, LabelScore[]>>;
  };
  "token-classification": <T extends Texts>(
    texts: T,
    options?: { aggregation_strategy?: TagOptions["aggregation"]; ignore_labels?: readonly string[] },
  ) => Promise<Each<T, TokenLabel[]>>;
  "fill-mask": <T extends Texts>(texts: T, options?: { top_k?: number }) => Promise<Each<T, FilledMask[]>>;
  "question-answering": {
    <T extends Texts>(questions: T, contexts: Pair<T>, options?: { top_k?: 1 }): Promise<Each<T, Answer>>;
    <T extends Texts>(questions: T, contexts: Pair<T>, options: { top_k: number }): Promise<Each<T, Answer[]>>;
  };
  "zero-shot-classification": <T extends Texts>(
    texts: T, labels: Texts, options?: { hypothesis_template?: string; multi_label?: boolean },
  ) => Promise<Each<T, ZeroShotLabels>>;
  embeddings: Pipelines["feature-extraction"];
  "sentiment-analysis": Pipelines["text-classification"];
  ner: Pipelines["token-classification"];
}
export type PipelineTask = keyof Pipelines;

/** Returns a function with the options and the results that transformers.js has for the task. */
export function pipeline<T extends PipelineTask>(
  task: T, model?: Directory | Model | null, options?: PipelineOptions,
): Promise<Pipelines[T] & { task: string; model: Model; dispose(): Promise<void> }>;
