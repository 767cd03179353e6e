// The functions of bindings/node/src, with the same names and results, over an Engine. They compute at once, in the
// calling thread. A model, a tokenizer and an index are addresses.
import { engineError } from "./engine.js";

const loading = (given, name, options, { runtime }) => [
  given.name(name), ...["revision", "task", "encoder", "adapter"].map((each) => given.name(options[each])),
  runtime ? 0 : (options.threads ?? 0), options.precision ?? 0, options.packing ?? 0, options.ignoreUnexpected ? 1 : 0,
  options.checkTensors ? 1 : 0, runtime,
];

/** Makes the runtime whose threads all models share. */
export function makeRuntime(engine, threads) {
  return engine.call("make_runtime", () => [threads], ({ results, check }) => {
    check();
    return results[0];
  });
}

export function loadModel(engine, name, options) {
  return engine.call("load_model", (given) => loading(given, name, options, engine), ({ results, check }) => {
    check();
    return results[0];
  });
}

export function loadTokenizer(engine, name, options) {
  return engine.call("load_tokenizer", (given) => loading(given, name, options, engine), ({ results, check }) => {
    check();
    return results[0];
  });
}

export function describe(engine, model) {
  return engine.guarded(() => {
    const { functions } = engine;
    const notices = [];
    for (let notice; (notice = engine.name(functions.bert_model_notice(model, notices.length))) !== null; ) {
      notices.push(notice);
    }
    return {
      hiddenSize: functions.bert_model_hidden_size(model),
      layers: functions.bert_model_layers(model),
      heads: functions.bert_model_heads(model),
      maxLength: functions.bert_model_max_length(model),
      precision: engine.name(functions.bert_model_precision(model)),
      hasPooler: functions.bert_model_has_pooler(model) !== 0,
      hasTokenizer: functions.bert_model_tokenizer(model) !== 0,
      notices,
      maskId: functions.bert_model_mask_id(model),
    };
  });
}

export function freeModel(engine, model) {
  engine.guarded(() => engine.functions.bert_model_free(model));
}

export function freeTokenizer(engine, tokenizer) {
  engine.guarded(() => engine.functions.bert_tokenizer_free(tokenizer));
}

export function tokenize(engine, tokenizer, text, pair, options) {
  const arrange = (given) => [
    tokenizer, given.text(text), given.text(pair), options.maxLength ?? 0, options.withoutSpecialTokens ? 1 : 0,
  ];
  return engine.callFor("tokenize", engine.functions.free, arrange, ([address, size, truncated]) => {
    const array = (n, Type = Int32Array) => engine.numbers(Type, address + n * size * 4, size);
    return {
      ids: array(0), typeIds: array(1), specialTokensMask: array(6, Uint8Array), starts: array(2), ends: array(3),
      wordIds: array(4), sequenceIds: array(5), truncated,
    };
  });
}

export function tokenText(engine, tokenizer, id) {
  const { bert_token_text: call } = engine.functions;
  return engine.sizedText((buffer, capacity, size) => call(tokenizer, id, buffer, capacity, size));
}

export function decode(engine, tokenizer, ids, skipsSpecialTokens) {
  const { bert_decode: call } = engine.functions;
  const skip = skipsSpecialTokens ? 1 : 0;
  return engine.sizedText((buffer, capacity, size, given) =>
    call(tokenizer, given.bytes(ids), ids.length, skip, buffer, capacity, size));
}

export function embed(engine, model, texts, options) {
  const arrange = (given) => [
    model, given.texts(texts), given.name(options.prompt), options.pooling ?? 0, options.normalize ?? 0,
    options.dimensions ?? 0, options.longText ?? 0,
  ];
  return engine.callFor("embed", engine.functions.free, arrange, ([address, size]) => {
    const count = texts.length * size;
    return {
      data: engine.numbers(Float32Array, address, count),
      size,
      truncatedTokens: engine.numbers(Uint32Array, address + 4 * count, texts.length),
    };
  });
}

/**
 * Returns `starts` (the index of each text's first entry, then the number of all entries), the ids and weights of all
 * entries, and the number of truncated tokens of each text.
 */
export function embedSparse(engine, model, texts, options) {
  const arrange = (given) => [model, given.texts(texts), options.maxActive ?? 0, options.longText ?? 0];
  return engine.callFor("embed_sparse", engine.functions.free, arrange, ([address, entries]) => {
    const ids = address + 4 * (texts.length + 1);
    return {
      starts: engine.numbers(Int32Array, address, texts.length + 1),
      ids: engine.numbers(Int32Array, ids, entries),
      weights: engine.numbers(Float32Array, ids + 4 * entries, entries),
      truncatedTokens: engine.numbers(Uint32Array, ids + 8 * entries, texts.length),
    };
  });
}

/** Writes a sequence {ids, typeIds, mask}; typeIds and mask are optional. */
const sequences = (given, all) => given.bytes(Uint32Array.from(all.flatMap(({ ids, typeIds, mask }) => [
  given.bytes(Int32Array.from(ids)), typeIds ? given.bytes(Int32Array.from(typeIds)) : 0,
  mask ? given.bytes(Uint8Array.from(mask)) : 0, ids.length,
])));

/** Returns one vector for each sequence of ids, all in one array. */
export function embedIds(engine, model, all) {
  const arrange = (given) => [model, sequences(given, all), all.length];
  return engine.callFor("embed_ids", engine.functions.free, arrange, ([address, size]) => {
    return { data: engine.numbers(Float32Array, address, all.length * size), size };
  });
}

/** Returns the encoder's inner outputs for a sequence of ids, as arrays named as in bert_encode_buffers. */
export function encode(engine, model, sequence, isOnlyLast = false) {
  const arrange = (given) => [model, sequences(given, [sequence]), isOnlyLast ? 1 : 0];
  return engine.callFor("encode", engine.functions.free, arrange, ([address, last, pooler, hidden, attention, rows]) => {
    let at = address;
    const next = (count) => engine.numbers(Float32Array, (at += 4 * count) - 4 * count, count);
    return {
      rows, lastHiddenState: next(last), poolerOutput: next(pooler), hiddenStates: next(hidden),
      attentions: next(attention),
    };
  });
}

/** Returns the outputs of a head (bert_head): [rows, outputs]. */
export function logits(engine, model, head, sequence) {
  const arrange = (given) => [model, head, sequences(given, [sequence])];
  return engine.callFor("logits", engine.functions.free, arrange, ([address, rows, outputs]) => {
    return { rows, outputs, data: engine.numbers(Float32Array, address, rows * outputs) };
  });
}

export function embedParts(engine, model, text, options) {
  const isTokens = options.role !== undefined;
  const arrange = (given) => [
    model, given.text(text),
    ...(isTokens ? [options.role] : [options.tokens ?? 0, options.sentences ? 1 : 0, options.longText ?? 0]),
  ];
  const { functions } = engine;
  return engine.callFor(isTokens ? "embed_tokens" : "embed_chunks", functions.bert_vectors_free, arrange, ([made]) => {
    const count = functions.bert_vectors_count(made), size = functions.bert_vectors_size(made);
    const data = engine.numbers(Float32Array, functions.bert_vectors_data(made) >>> 0, count * size);
    const truncatedTokens = functions.bert_vectors_truncated_tokens(made);
    if (isTokens) return { data, size, truncatedTokens };
    const places = (address) => engine.numbers(Int32Array, address >>> 0, count);
    return {
      data, size, truncatedTokens, starts: places(functions.bert_vectors_starts(made)),
      ends: places(functions.bert_vectors_ends(made)),
    };
  });
}

/** Reads `count` structures bert_item. */
function itemsAt(engine, address, count) {
  const { view } = engine;
  const at = address >>> 0;
  return Array.from({ length: count }, (_, i) => {
    const word = (n) => view.getUint32(at + 32 * i + 4 * n, true);
    const item = { score: view.getFloat64(at + 32 * i + 8, true), index: word(4), id: word(5) | 0, start: word(6),
                   end: word(7) };
    return word(0) === 0 ? item : { text: engine.text(word(0), word(1)), ...item };
  });
}

/** Returns the results of a task. scratch: the address of a word. */
function readResults(engine, results, scratch) {
  const { functions: f } = engine;
  const counted = (call, ...input) => [call(results, ...input, scratch) >>> 0, engine.view.getUint32(scratch, true)];
  return {
    results: Array.from({ length: f.bert_results_count(results) }, (_, i) => {
      const [text, bytes] = counted(f.bert_results_text, i);
      const one = {
        items: itemsAt(engine, ...counted(f.bert_results_items, i)),
        truncatedTokens: f.bert_results_truncated_tokens(results, i),
      };
      return text === 0 ? one : { ...one, text: engine.text(text, bytes) };
    }),
    ranking: engine.numbers(Uint32Array, ...counted(f.bert_results_ranking)),
  };
}

/** Writes an input as a bert_input. */
const inputWords = (given, { text, pair, words }) =>
  [...given.text(text), ...given.text(pair), ...(words ? given.texts(words) : [0, 0])];

export function task(engine, model, name, inputs, options) {
  const arrange = (given) => [
    model, given.name(name), given.text(options),
    given.bytes(Uint32Array.from(inputs.flatMap((input) => inputWords(given, input)))), inputs.length,
  ];
  return engine.callFor("task", engine.functions.bert_results_free, arrange,
    ([results], scratch) => readResults(engine, results, scratch));
}

const EXPLAINED = ["similarity", "labels", "relevance"];
const WORDS_LEFT_OUT = 3, ENTRIES = 1;

export function explain(engine, model, name, request) {
  const arrange = (given) => [
    model, EXPLAINED.indexOf(name), given.text(request.first), given.text(request.second), request.vectors ?? 0,
    request.pooling ?? 0, given.name(request.relevantLabel),
  ];
  const { functions: f } = engine;
  return engine.callFor("explain", f.bert_explanation_free, arrange, ([why]) => {
    const kind = f.bert_explanation_kind_of(why), count = f.bert_explanation_output_count(why);
    const [first, second] = [0, 1].map((i) =>
      itemsAt(engine, f.bert_explanation_parts(why, i), f.bert_explanation_part_count(why, i)));
    const terms = kind === WORDS_LEFT_OUT ? (first.length + second.length) * count
      : kind === ENTRIES ? first.length : first.length * second.length;
    return {
      kind,
      function: engine.name(f.bert_explanation_function(why)),
      noSum: engine.name(f.bert_explanation_no_sum(why)),
      outputs: itemsAt(engine, f.bert_explanation_outputs(why), count),
      remainders: engine.numbers(Float64Array, f.bert_explanation_remainders(why) >>> 0, count),
      first,
      second,
      terms: engine.numbers(Float64Array, f.bert_explanation_terms(why) >>> 0, terms),
    };
  });
}

/** Returns a function that reads a double from the results. */
const double = (engine) => ({ place, check }) => {
  check();
  return engine.view.getFloat64(place, true);
};

export function cosine(engine, a, b) {
  return engine.call("cosine", (given) => [given.bytes(a), given.bytes(b), a.length], double(engine));
}

export function maxSim(engine, query, document, size) {
  const rows = (vectors) => (size === 0 ? 0 : Math.trunc(vectors.length / size));
  const arrange = (given) => [given.bytes(query), rows(query), given.bytes(document), rows(document), size];
  return engine.call("max_sim", arrange, double(engine));
}

export function index(engine, vectors, size, scan) {
  const count = size === 0 ? 0 : Math.trunc(vectors.length / size);
  return engine.call("make_index", (given) => [given.bytes(vectors), count, size, scan], ({ results, check }) => {
    check();
    return { address: results[0], count, size };
  });
}

export function freeIndex(engine, address) {
  engine.guarded(() => engine.functions.bert_index_free(address));
}

export function search(engine, { address, count, size }, query, top) {
  if (query.length !== size) {
    throw engineError("BERT_INVALID_ARGUMENT", `a query of ${query.length} numbers, expected ${size}`);
  }
  const arrange = (given) => [address, given.bytes(query), Math.min(top, count)];
  return engine.callFor("search_index", engine.functions.free, arrange, ([at, found]) => {
    const { view } = engine;
    return Array.from({ length: found }, (_, i) => {
      return { row: view.getUint32(at + 16 * i, true), score: view.getFloat64(at + 16 * i + 8, true) };
    });
  });
}
