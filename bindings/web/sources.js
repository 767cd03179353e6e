// The sources of a model's files: addresses, files that were dropped on a page, or memory. Files from the network are
// written directly into the module's memory, and into the browser's cache if there is one.
import { DirectoryReader, readDirectory } from "./directory.js";
import { engineError } from "./engine.js";
import { platform } from "./platform.js";

const CACHE = "bert-infer";
const SMALL = 16 * 2 ** 20;  // the largest file that a tokenizer reads
const ADAPTER_FILES = ["adapter_config.json", "adapter_model.safetensors"];

/** Returns the address of a model's directory, with "/" at its end. */
export function directoryAddress(given) {
  try {
    return new URL(platform.directory(given.endsWith("/") ? given : `${given}/`), globalThis.location?.href).href;
  } catch {
    throw engineError("BERT_INVALID_ARGUMENT", `${JSON.stringify(given)}: expected an address`);
  }
}

/** Returns the path of a file from a page's form, without the folder that was chosen or dropped. */
function pathOf(file) {
  const path = file.webkitRelativePath || file.name;
  return path.includes("/") ? path.slice(path.indexOf("/") + 1) : path;
}

/** Returns a table from names to Blobs or bytes. */
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

/** Returns whether the value is an argument of Model.load: an address, or files. */
export function isSource(given) {
  return typeof given === "string" || given instanceof URL || (typeof given === "object" && given !== null);
}

const lineOf = (error) => String(error?.message ?? error).replaceAll(/\s*\n\s*/g, " ");

/** An open file. Its bytes come in pieces, each valid until the next one; the total size is given if it is known. */
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

/** Answers of the network, which are kept in the browser's cache, unless there is no cache or it is full. */
class Network {
  /** cached: gets the addresses of files that are in the cache or are being put into it. */
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

  /** Returns the rest of an answer whose connection broke after `loaded` bytes; null if the server cannot send it. */
  async #rest(address, first, loaded) {
    const answer = await this.#request(address, { range: `bytes=${loaded}-` });
    const isRest = answer.status === 206 && answer.headers.get("etag") === first.headers.get("etag") &&
      answer.headers.get("content-range")?.startsWith(`bytes ${loaded}-`);
    if (isRest) return answer;
    await answer.body?.cancel();
    return null;
  }

  /** Yields the bytes of an answer. After a broken connection it continues, if the server identifies the content. */
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

  /** Yields the same pieces and writes them to the cache too; an error of the cache does not end the reading. */
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
      if (!isWhole) keeps = false;  // the reader reports the error
      await (isWhole ? writer.close() : writer.abort()).catch(() => {});
      await kept;
    }
  }

  #keepsNone(error) {
    if (this.keeps) this.notices.push(`the browser keeps no copy of the model: ${lineOf(error)}`);
    this.keeps = false;  // the cache is full or not allowed
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

  /** Opens a file. Returns null if it does not exist, also if the server answers with a page of its own. */
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

/** Removes files from the browser's cache, so that the next load fetches them again. */
export async function forget(addresses) {
  if (addresses.size === 0) return;
  const cache = await caches.open(CACHE).catch(() => null);
  for (const address of addresses) await cache?.delete(address).catch(() => false);
}

/** A model's files by their names; null for a name without a file. */
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

/** Reads files of a model into an engine's memory, where each model has its own folder. */
class Reader extends DirectoryReader {
  constructor(files, engine, folder, onProgress) {
    super();
    Object.assign(this, { files, engine, folder, onProgress });
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

  /** Returns whether the file exists; if so, it is then in the module's memory. */
  async load(name) {
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
}

function readerOf(engine, source, folder, options) {
  const files = source.files ? new TableFiles(source.files)
    : new AddressFiles(source.address, source.table, new Network(options));
  const place = source.isBuiltin ? folder : `${folder}/${files.name}`;
  return new Reader(files, engine, place, options.onProgress);
}

/** Reads an adapter and returns its folder. */
export async function readAdapter(engine, source, folder, options) {
  const reader = readerOf(engine, source, folder, options);
  const names = source.files ? [...source.files.keys()] : ADAPTER_FILES;
  const found = await Promise.all(names.map((name) => reader.read(name)));
  if (found.includes(true)) return { place: reader.folder };
  throw engineError("BERT_NOT_FOUND", `${source.address}: no such directory, expected ${ADAPTER_FILES[0]} there`);
}

/** Reads all files of a model. Returns their folder, and the small files, from which another module can tokenize. */
export async function readModel(engine, source, folder, options) {
  const reader = readerOf(engine, source, folder, options);
  const names = source.files ? [...source.files.keys()] : source.isBuiltin ? Object.keys(source.table) : source.names;
  if (!(await readDirectory(reader, names)) && !source.files) {
    throw engineError("BERT_NOT_FOUND", `${source.address}: no such directory, expected config.json there`);
  }
  return { place: reader.folder, small: reader.small };
}
