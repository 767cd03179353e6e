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

/** A result, with how many tokens of its texts were not read. */
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
  /** Of the documents or choices. */
  index: number;
  score: number;
}

/** The words of a text that the caller divided, of `tag`. */
export interface Words {
  words: string[];
}

/** The label of a word. */
export interface WordLabel extends LabelScore {
  word: string;
}

/** A text without the names in it; the places of what was replaced are in the given text. */
export interface Redacted {
  text: string;
  replaced: { label: string; start: number; end: number }[];
}

// ---- Options of the tasks, written by tools/tasks/write_types.py ----

/** Options of classify. */
export interface ClassifyOptions {
  /** Of a model that reads labels (GLiClass): those that a text may have. */
  labels?: string[];
  /** With labels: what results have in place of each label, which then may be a description. */
  names?: string[];
  /** With labels: each score stands alone, from 0 to 1. */
  multiLabel?: boolean;
  /** Labels of each result at most. */
  topK?: number;
  /** Of windows: a label's score is the mean of its windows', or the largest. Default: "mean". */
  windowScores?: "mean" | "largest";
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "cut".
   */
  longText?: "cut" | "windows" | "error";
  /** A long text is read in windows, which share so many tokens. */
  stride?: number;
}

/** Options of zeroShot. */
export interface ZeroShotOptions {
  /** The hypothesis for a label, with {} in its place. Default: "This example is {}.". */
  hypothesisTemplate?: string;
  /** Several labels may apply: each score stands alone. */
  multiLabel?: boolean;
  /** Labels of each result at most. */
  topK?: number;
  /** Of windows: a label's score is the mean of its windows', or the largest. Default: "mean". */
  windowScores?: "mean" | "largest";
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "cut".
   */
  longText?: "cut" | "windows" | "error";
  /** A long text is read in windows, which share so many tokens. */
  stride?: number;
}

/** Options of tag. */
export interface TagOptions {
  /** Of a model that reads labels (GLiNER): what is looked for. */
  labels?: string[];
  /** With labels: what results have in place of each label, which then may be a description. */
  names?: string[];
  /** With labels: entities have scores above it. Default: 0.5. */
  threshold?: number;
  /** With labels: an entity may lie in another one. */
  nested?: boolean;
  /** With labels: an entity may have several of them. */
  multiLabel?: boolean;
  /**
   * How tokens become entities: each alone, neighbours of one kind together, or by words, with the label of the first
   * token, of the mean or of the highest-scoring token; of words the last three, by default first. Default: "simple".
   * Not beside labels.
   */
  aggregation?: "none" | "simple" | "first" | "average" | "max";
  /**
   * What the letter before a label means where labels become entities: auto is the scheme of the model's labels; B- and
   * I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). Default: "auto". Not beside labels.
   */
  scheme?: "auto" | "iob" | "bioes" | "bilou";
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "windows".
   */
  longText?: "cut" | "windows" | "error";
  /** A long text is read in windows, which share so many tokens. */
  stride?: number;
}

/** Options of fillMask. */
export interface FillMaskOptions {
  /** Words for each mask. Default: 5. */
  topK?: number;
  /** Only these words are listed; scores stay those among all words. */
  targets?: string[];
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "cut".
   */
  longText?: "cut" | "error";
}

/** Options of answer. */
export interface AnswerOptions {
  /** Answers of each question. Default: 1. */
  topK?: number;
  /** The longest answer. Default: 15. */
  maxAnswerTokens?: number;
  /** "" may be the best answer. */
  noAnswer?: boolean;
  /** Tokens of a window, or as many as the model has. Default: 384. */
  windowTokens?: number;
  /** An answer has whole words. Default: true. */
  alignToWords?: boolean;
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "windows".
   */
  longText?: "cut" | "windows" | "error";
  /** A long text is read in windows, which share so many tokens. */
  stride?: number;
}

/** Options of nextSentence. */
export interface NextSentenceOptions {
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "cut".
   */
  longText?: "cut" | "error";
}

/** Options of choose. */
export interface ChooseOptions {
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "cut".
   */
  longText?: "cut" | "error";
}

/** Options of rerank. */
export interface RerankOptions {
  /** The name of one of the model's prompts, which goes before a text. Not beside promptText. */
  prompt?: string;
  /** A prompt of your own in its place. */
  promptText?: string;
  /** Of a classifier of two labels, the one that is the score: by default the one called relevant. */
  relevantLabel?: string;
  /** Results at most. */
  topK?: number;
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "cut".
   */
  longText?: "cut" | "windows" | "error";
  /** A long text is read in windows, which share so many tokens. */
  stride?: number;
}

/** Options of redact. */
export interface RedactOptions {
  /** Of a model that reads labels (GLiNER): what is looked for. */
  labels?: string[];
  /** LABEL=EXPRESSION: matches of a regular expression in Oniguruma's syntax are parts with this label. */
  expressions?: string[];
  /** Of a model's entities only those with these labels. */
  only?: string[];
  /** Entities have scores above it: by default 0.5 of a model that reads labels, 0 of others. */
  threshold?: number;
  /** How tokens become entities, as in tag. Default: "first". Not beside labels. */
  aggregation?: "none" | "simple" | "first" | "average" | "max";
  /**
   * What the letter before a label means where labels become entities: auto is the scheme of the model's labels; B- and
   * I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). Default: "auto". Not beside labels.
   */
  scheme?: "auto" | "iob" | "bioes" | "bilou";
  /** What takes the place of a part; {label} is its label, {hash} a digest of it by the key. Default: "<{label}>". */
  replace?: string;
  /** Instead this character for each character of a part. Not beside replace. */
  mask?: string;
  /** The key of {hash}, the first 32 digits of HMAC-SHA-256: at least 16 bytes. */
  key?: string;
  /**
   * What is done with a text that is too long: its beginning is read and the rest counted, all of it is read in
   * windows, or it is an error. Default: "windows".
   */
  longText?: "windows" | "error";
  /** A long text is read in windows, which share so many tokens. */
  stride?: number;
}

// ---- End of the options of the tasks ----

/** Of one text and its pair. */
type OfPair<Options> = Options & { pair?: string };
/** Of several texts, each with its pair. */
type OfPairs<Options> = Options & { pair?: string[] };

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

  // A task takes one text, or several: then the result is an array, in their order, computed together.

  /** The labels of a classifier, best first; pair: the text's second part. */
  classify(text: string, options?: OfPair<ClassifyOptions>): Promise<Counted<LabelScore[]>>;
  classify(texts: string[], options?: OfPairs<ClassifyOptions>): Promise<Counted<LabelScore[]>[]>;
  /** Candidate labels, best first, by a classifier of natural language inference. */
  zeroShot(text: string, labels: string[], options?: ZeroShotOptions): Promise<Counted<LabelScore[]>>;
  zeroShot(texts: string[], labels: string[], options?: ZeroShotOptions): Promise<Counted<LabelScore[]>[]>;
  /** The entities of a token classifier, in the text's order, or a label for each of its words. */
  tag(text: string, options?: TagOptions): Promise<Counted<Entity[]>>;
  tag(text: Words, options?: TagOptions): Promise<Counted<WordLabel[]>>;
  tag(texts: string[], options?: TagOptions): Promise<Counted<Entity[]>[]>;
  tag(texts: Words[], options?: TagOptions): Promise<Counted<WordLabel[]>[]>;
  /** Entities by labels of your own, of a model that reads them (GLiNER). */
  findEntities(text: string, labels: string[], options?: Omit<TagOptions, "labels">): Promise<Counted<Entity[]>>;
  findEntities(texts: string[], labels: string[], options?: Omit<TagOptions, "labels">): Promise<Counted<Entity[]>[]>;
  /** Labels of your own, best first, of a model that reads them (GLiClass). multiLabel: each score stands alone. */
  scoreLabels(
    text: string, labels: string[], options?: Omit<ClassifyOptions, "labels">,
  ): Promise<Counted<LabelScore[]>>;
  scoreLabels(
    texts: string[], labels: string[], options?: Omit<ClassifyOptions, "labels">,
  ): Promise<Counted<LabelScore[]>[]>;
  /** For each mask of the text the tokens that fit best. */
  fillMask(text: string, options?: OfPair<FillMaskOptions>): Promise<Counted<MaskCandidate[][]>>;
  fillMask(texts: string[], options?: OfPairs<FillMaskOptions>): Promise<Counted<MaskCandidate[][]>[]>;
  /** The text without the names in it, by a token classifier, a model that reads labels, or expressions. */
  redact(text: string, options?: RedactOptions): Promise<Counted<Redacted>>;
  redact(texts: string[], options?: RedactOptions): Promise<Counted<Redacted>[]>;
  /** The parts of the context that answer the question, best first. */
  answer(question: string, context: string, options?: AnswerOptions): Promise<Counted<Answer[]>>;
  answer(questions: string[], contexts: string[], options?: AnswerOptions): Promise<Counted<Answer[]>[]>;
  /** How likely the second text follows the first, from 0 to 1, by BERT's training task. */
  nextSentence(a: string, b: string, options?: NextSentenceOptions): Promise<number>;
  nextSentence(a: string[], b: string[], options?: NextSentenceOptions): Promise<number[]>;
  /** The documents by how well they fit the query, best first. */
  rerank(query: string, documents: string[], options?: RerankOptions): Promise<Counted<Ranked[]>>;
  /** The choices by how well they go on after the text, best first, by a head for multiple choice. */
  choose(text: string, choices: string[], options?: ChooseOptions): Promise<Counted<Ranked[]>>;
  /**
   * What a task of docs/TASKS.md finds in a text, or in each of several, asked by the library's name for it:
   * "next_sentence". Those that compare texts are rerank and choose.
   */
  task(name: string, texts: string | string[], options?: Record<string, unknown>): Promise<any>;

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
