// Where a model's files come from: addresses, files that were dropped on a page, or memory. What comes from the network
// goes straight into the module's memory, and into the browser's cache if it has one.
import { engineError } from "./engine.js";
import { platform } from "./platform.js";

const CACHE = "bert-infer";
const SMALL = 16 * 2 ** 20;  // of a file that a tokenizer reads
const WEIGHTS = "model.safetensors";
const SHARDS = "model.safetensors.index.json";
const ADAPTER_FILES = ["adapter_config.json", "adapter_model.safetensors"];
const HEAD_FOLDERS = ["colbert_linear", "sparse_linear"];
const LABELS_FOLDER = "labels_tokenizer";
const VOCABULARIES = [
  ["vocab.txt"], ["vocab.json", "merges.txt"], ["sentencepiece.bpe.model"], ["spiece.model"], ["spm.model"],
];
// Those that are no encoder; the others are encoders' where they are the first.
const MODULES_WITHOUT_WEIGHTS = ["Pooling", "SpladePooling", "Normalize", "Dropout", "LogitScore", "MultiVectorMask"];
const MODULES = [...MODULES_WITHOUT_WEIGHTS, "Dense", "LayerNorm"];

/** The address of a model's directory, with a "/" at its end. */
export function directoryAddress(given) {
  try {
    return new URL(platform.directory(given.endsWith("/") ? given : `${given}/`), globalThis.location?.href).href;
  } catch {
    throw engineError("BERT_INVALID_ARGUMENT", `${JSON.stringify(given)}: expected an address`);
  }
}

/** The path of a file from a page's form: the folder that was chosen or dropped is left out. */
function pathOf(file) {
  const path = file.webkitRelativePath || file.name;
  return path.includes("/") ? path.slice(path.indexOf("/") + 1) : path;
}

/** A table from names to Blobs and bytes, of what a caller gave. */
export function fileTable(given) {
  const entries = given instanceof Map ? [...given]
    : typeof given[Symbol.iterator] === "function" || typeof given.length === "number"
      ? Array.from(given, (file) => [pathOf(file), file])
      : Object.entries(given);
  for (const [name, file] of entries) {
    const isKnown = file instanceof Blob || file instanceof ArrayBuffer || ArrayBuffer.isView(file);
    if (isKnown && typeof name === "string") continue;
    throw new TypeError(`files: found ${JSON.stringify(name)} without a Blob or bytes, expected files by their names`);
  }
  return new Map(entries);
}

/** Whether it is what Model.load takes: an address, or files. */
export function isSource(given) {
  return typeof given === "string" || given instanceof URL || (typeof given === "object" && given !== null);
}

const lineOf = (error) => String(error?.message ?? error).replaceAll(/\s*\n\s*/g, " ");

/** An open file: its bytes in pieces, which are valid until the next one, and how many they will be if that is known. */
class Stream {
  constructor(pieces, total) {
    this.pieces = pieces;
    this.total = total;
  }
}

async function* piecesOf(body) {
  const reader = body.getReader();
  try {
    for (let piece; !(piece = await reader.read()).done; ) yield piece.value;
  } finally {
    reader.releaseLock();
  }
}

/** Answers of the network, kept in the browser's cache; without one, or where it is full, they are used as they come. */
class Network {
  /** cached: gets the addresses whose files are in the cache, or go there. */
  constructor({ cache = true, signal, notices, cached }) {
    this.keeps = cache && typeof caches === "object";
    this.cached = cached;
    this.signal = signal;
    this.notices = notices;
  }

  async #request(address, headers = {}) {
    try {
      return await platform.fetch(address, { signal: this.signal, headers });
    } catch (error) {
      if (this.signal?.aborted) throw this.signal.reason;
      throw engineError("BERT_IO", `${address}: cannot be fetched: ${lineOf(error)}`);
    }
  }

  /** The rest of an answer whose connection broke after `loaded` bytes; null if the server has no part of that file. */
  async #rest(address, first, loaded) {
    const answer = await this.#request(address, { range: `bytes=${loaded}-` });
    const isRest = answer.status === 206 && answer.headers.get("etag") === first.headers.get("etag") &&
      answer.headers.get("content-range")?.startsWith(`bytes ${loaded}-`);
    if (isRest) return answer;
    await answer.body?.cancel();
    return null;
  }

  /** The bytes of an answer. Where the connection breaks, they go on from there, if the server names the content. */
  async *#pieces(address, first, total) {
    let loaded = 0, last = 0;
    for (let answer = first; ; last = loaded) {
      try {
        for await (const piece of piecesOf(answer.body)) {
          loaded += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        const goesOn = total !== null && loaded > last && first.headers.get("etag") && !this.signal?.aborted;
        answer = goesOn ? await this.#rest(address, first, loaded) : null;
        if (answer === null) throw error;
      }
    }
  }

  /** The same pieces, which go to the cache too as they come; where that fails, they come all the same. */
  async *#kept(address, answer, pieces) {
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    let keeps = true;
    const kept = caches.open(CACHE)
      .then((cache) => cache.put(address, new Response(readable, { headers: answer.headers })))
      .catch((error) => {
        if (keeps) this.#keepsNone(error);
        keeps = false;
      });
    let isWhole = false;
    try {
      for await (const piece of pieces) {
        yield piece;
        if (keeps) await Promise.race([writer.write(piece).catch(() => {}), kept]);
      }
      isWhole = true;
    } finally {
      if (!isWhole) keeps = false;  // said as the reading's error
      await (isWhole ? writer.close() : writer.abort()).catch(() => {});
      await kept;
    }
  }

  #keepsNone(error) {
    if (this.keeps) this.notices.push(`the browser keeps no copy of the model: ${lineOf(error)}`);
    this.keeps = false;  // full, or not allowed
  }

  async #found(address) {
    if (!this.keeps || !/^https?:/.test(address)) return undefined;
    try {
      return await (await caches.open(CACHE)).match(address);
    } catch (error) {
      this.#keepsNone(error);
      return undefined;
    }
  }

  /** null if there is no such file: some servers answer with a page of their own then. */
  async open(address) {
    const found = await this.#found(address);
    const answer = found ?? (await this.#request(address));
    const isPage = answer.headers.get("content-type")?.includes("text/html");
    if ([403, 404, 410].includes(answer.status) || isPage) return null;
    if (!answer.ok) throw engineError("BERT_IO", `${address}: the server answered ${answer.status}, expected 200`);
    const length = answer.headers.get("content-length");
    const total = length !== null && !answer.headers.get("content-encoding") ? Number(length) : null;
    const isKept = this.keeps && /^https?:/.test(address);
    if (isKept) this.cached.add(address);
    if (found) return new Stream(piecesOf(found.body), total);
    const pieces = this.#pieces(address, answer, total);
    return new Stream(isKept ? this.#kept(address, answer, pieces) : pieces, total);
  }
}

/** Takes files out of the browser's cache: the next load fetches them again. */
export async function forget(addresses) {
  if (addresses.size === 0) return;
  const cache = await caches.open(CACHE).catch(() => null);
  for (const address of addresses) await cache?.delete(address).catch(() => false);
}

/** A model's files by their names; null where there is none. */
class AddressFiles {
  /** table: the addresses of the built-in model's files by their names. */
  constructor(address, table, network) {
    Object.assign(this, { address, table, network });
    const last = table ? "builtin" : decodeURIComponent(new URL(address).pathname).split("/").filter(Boolean).pop();
    this.name = last ?? "model";
  }
  placeOf(name) {
    return this.table?.[name] ?? new URL(name.split("/").map(encodeURIComponent).join("/"), this.address).href;
  }
  open(name) {
    return this.network.open(this.placeOf(name));
  }
}

class TableFiles {
  constructor(files) {
    this.files = files;
    this.name = "files";
  }
  placeOf(name) {
    return name;
  }
  async open(name) {
    const file = this.files.get(name);
    if (file === undefined) return null;
    if (file instanceof Blob) return new Stream(piecesOf(file.stream()), file.size);
    const bytes = file instanceof ArrayBuffer ? new Uint8Array(file)
      : new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
    return new Stream([bytes], bytes.length);
  }
}

/** Reads files of a model into an engine's memory, under a folder of its own. */
class Reader {
  constructor(files, engine, folder, onProgress) {
    Object.assign(this, { files, engine, folder, onProgress });
    this.small = new Map();  // copies for another engine's tokenizer
    this.asked = new Map();
  }

  #wrongSize(place, found, expected) {
    return engineError("BERT_IO", `${place}: ${found} bytes came, expected ${expected}`);
  }

  async #known(name, stream) {
    const place = this.files.placeOf(name);
    const { total } = stream;
    const address = this.engine.addFile(`${this.folder}/${name}`, total);
    let loaded = 0;
    for await (const piece of stream.pieces) {
      if (loaded + piece.length > total) throw this.#wrongSize(place, "more", total);
      this.engine.write(address + loaded, piece);
      loaded += piece.length;
      this.onProgress?.({ file: name, loaded, total });
    }
    if (loaded !== total) throw this.#wrongSize(place, loaded, total);
    return address;
  }

  async #unknown(name, stream) {
    const pieces = [];
    let loaded = 0;
    for await (const piece of stream.pieces) {
      pieces.push(piece);
      loaded += piece.length;
      this.onProgress?.({ file: name, loaded, total: null });
    }
    const address = this.engine.addFile(`${this.folder}/${name}`, loaded);
    let at = address;
    for (const piece of pieces) {
      this.engine.write(at, piece);
      at += piece.length;
    }
    stream.total = loaded;
    return address;
  }

  /** Whether the file is there; it is in the module's memory then. It is asked for once. */
  read(name) {
    if (!this.asked.has(name)) this.asked.set(name, this.#read(name));
    return this.asked.get(name);
  }

  async #read(name) {
    const stream = await this.files.open(name);
    if (stream === null) return false;
    try {
      const address = await (stream.total === null ? this.#unknown(name, stream) : this.#known(name, stream));
      if (stream.total <= SMALL && !name.endsWith(".safetensors")) {
        this.small.set(name, this.engine.numbers(Uint8Array, address, stream.total));
      }
    } catch (error) {
      if (error.code?.startsWith?.("BERT_") || error instanceof WebAssembly.RuntimeError) throw error;
      throw engineError("BERT_IO", `${this.files.placeOf(name)}: reading failed: ${lineOf(error)}`);
    }
    return true;
  }

  /** Of each name whether the file is there. */
  readAll(names) {
    return Promise.all(names.map((name) => this.read(name)));
  }

  /** A JSON file that was read; null if there is none or it is no JSON, which the library reports by name. */
  json(name) {
    const bytes = this.small.get(name);
    try {
      return bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return null;
    }
  }
}

/** Names in a JSON file lead to files of the model's own folder alone. */
const isInside = (name) => typeof name === "string" && name !== "" && !/(^|\/)\.\.?(\/|$)|^\/|:|\\/.test(name);

async function readWeights(reader, folder) {
  if (await reader.read(`${folder}${WEIGHTS}`)) return true;
  if (!(await reader.read(`${folder}${SHARDS}`))) return false;
  const shards = new Set(Object.values(reader.json(`${folder}${SHARDS}`)?.weight_map ?? {}));
  for (const shard of shards) if (isInside(shard)) await reader.read(`${folder}${shard}`);
  return true;
}

/** tokenizer_config.json and tokenizer.json, and of the other files those that these do not stand for. */
async function readTokenizer(reader, folder) {
  const readAll = (...names) => reader.readAll(names.map((name) => `${folder}${name}`));
  const [, isWhole] = await readAll("tokenizer_config.json", "tokenizer.json");
  const config = reader.json(`${folder}tokenizer_config.json`);
  if (config?.added_tokens_decoder === undefined) await readAll("special_tokens_map.json", "added_tokens.json");
  for (let i = 0, isFound = isWhole; !isFound && i < VOCABULARIES.length; ++i) {
    isFound = (await readAll(...VOCABULARIES[i])).includes(true);
  }
}

/** A model's configuration, tokenizer and weights: whether there are weights. */
async function readEncoder(reader, folder, isModule = false) {
  await Promise.all([reader.read(`${folder}config.json`), readTokenizer(reader, folder)]);
  const { model_type: type } = reader.json(`${folder}config.json`) ?? {};
  if (type === "openai_privacy_filter") await reader.read(`${folder}viterbi_calibration.json`);
  if (isModule && !(await reader.read(`${folder}sentence_bert_config.json`)) && type !== "bert" && isInside(type)) {
    await reader.read(`${folder}sentence_${type}_config.json`);
  }
  return readWeights(reader, folder);
}

/** A module of modules.json or of a router. */
async function readModule(reader, { path, type }, isFirst) {
  const folder = path ? `${path}/` : "", kind = String(type).split(".").pop();
  if (path && !isInside(path)) return;
  if (kind === "Router" || kind === "Asym") {
    const names = [`${folder}router_config.json`, `${folder}config.json`];
    if (!(await reader.read(names[0]))) await reader.read(names[1]);
    const types = (reader.json(names[0]) ?? reader.json(names[1]))?.types ?? {};
    for (const route of Object.keys(types)) {
      await readModule(reader, { path: `${folder}${route}`, type: types[route] }, true);
    }
  } else if (isFirst && !kind.endsWith("StaticEmbedding") && !MODULES.includes(kind)) {
    await readEncoder(reader, folder, true);
  } else if (folder !== "" || isFirst) {
    await reader.read(`${folder}config.json`);
    if (kind === "LogitScore") await reader.read("chat_template.jinja");
    if (!MODULES_WITHOUT_WEIGHTS.includes(kind)) await readWeights(reader, folder);
    if (isFirst) await reader.read(`${folder}tokenizer.json`);
  }
}

/** What a directory without modules.json may have beside an encoder, as config.json says. */
async function readSigns(reader, config) {
  const architectures = [config?.architectures ?? []].flat().map(String);
  if (architectures.includes("HF_ColBERT")) await reader.read("artifact.metadata");
  const isOther = architectures.some((name) => /For(?!MaskedLM|PreTraining)/.test(name));
  if (!isOther) await reader.read("gliner_config.json");
  if (!config) await reader.read("adapter_config.json");
  if (config?.model_type === "extractor") await reader.read("encoder_config/config.json");  // GLiNER2
  const { labels_encoder: ofLabels } = reader.json("gliner_config.json") ?? {};
  if (ofLabels || config?.model_type === "GLiClass") await readTokenizer(reader, `${LABELS_FOLDER}/`);
}

/** The files that modules.json and config.json imply; names: in their place. Whether there is any. */
async function readDirectory(reader, names) {
  if (names) return (await reader.readAll(names)).includes(true);
  const [isConfigured, hasModules] = await reader.readAll(["config.json", "modules.json"]);
  const config = reader.json("config.json"), modules = reader.json("modules.json");
  if (Array.isArray(modules)) {
    await reader.read("config_sentence_transformers.json");
    for (const [i, module] of modules.entries()) await readModule(reader, module ?? {}, i === 0);
  } else {
    await readSigns(reader, config);
    const hasWeights = await readWeights(reader, "");
    if (!isConfigured && !hasModules && !hasWeights && reader.small.size === 0) return false;
    await readEncoder(reader, "");
  }
  const { pooling_mode: mode, pooling_mode_cls_token: isFirst } = reader.json("1_Pooling/config.json") ?? {};
  for (const path of isFirst || mode === "cls" ? HEAD_FOLDERS : []) {  // BGE-M3's, whose dense vector is of that token
    if (await reader.read(`${path}/config.json`)) await reader.read(`${path}/${WEIGHTS}`);
  }
  return true;
}

function readerOf(engine, source, folder, options) {
  const files = source.files ? new TableFiles(source.files)
    : new AddressFiles(source.address, source.table, new Network(options));
  const place = source.isBuiltin ? folder : `${folder}/${files.name}`;
  return new Reader(files, engine, place, options.onProgress);
}

/** Reads an adapter and says in which folder it is. */
export async function readAdapter(engine, source, folder, options) {
  const reader = readerOf(engine, source, folder, options);
  const names = source.files ? [...source.files.keys()] : ADAPTER_FILES;
  const found = await Promise.all(names.map((name) => reader.read(name)));
  if (found.includes(true)) return { place: reader.folder };
  throw engineError("BERT_NOT_FOUND", `${source.address}: no such directory, expected ${ADAPTER_FILES[0]} there`);
}

/** Reads all files of a model and says where they are: the folder, and the small files for a tokenizer elsewhere. */
export async function readModel(engine, source, folder, options) {
  const reader = readerOf(engine, source, folder, options);
  const names = source.files ? [...source.files.keys()] : source.isBuiltin ? Object.keys(source.table) : source.names;
  if (!(await readDirectory(reader, names)) && !source.files) {
    throw engineError("BERT_NOT_FOUND", `${source.address}: no such directory, expected config.json there`);
  }
  return { place: reader.folder, small: reader.small };
}
