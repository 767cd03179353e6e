// An instance of the module: its memory, and calls of the C interface with JavaScript's values. All calls compute
// synchronously, in the calling thread.

/** An error of the library: a message of one line, and a code of bert.h such as "BERT_NOT_FOUND". */
export function engineError(code, message) {
  return Object.assign(new Error(message), { code });
}

const MOST_BYTES = 2 ** 32 - 1;  // the most bytes that an address can name
const RESULTS = 24;  // kResults of src/calls.cc
const WORDS = 32;
const BUFFER_TOO_SMALL = 8;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

// A module with one relaxed multiply-add: (func (result v128) …) with i8x16 constants. Engines without relaxed
// instructions reject it.
const RELAXED_PROBE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15,
  65, 0, 253, 15, 253, 133, 2, 11,
);

/** Returns whether this engine has relaxed instructions, and so can load bert_infer_relaxed.wasm. */
export function hasRelaxedSimd() {
  return WebAssembly.validate(RELAXED_PROBE);
}

/** Memory for the arguments of one call. */
class Arguments {
  #engine;
  #blocks = [];

  constructor(engine) {
    this.#engine = engine;
  }

  memory(bytes) {
    const address = this.#engine.allocate(bytes);
    this.#blocks.push(address);
    return address;
  }

  bytes(data) {
    const address = this.memory(data.byteLength);
    this.#engine.write(address, data);
    return address;
  }

  /** Writes a text; returns its address and size, or 0 and 0 for no text. */
  text(value) {
    if (value === undefined || value === null) return [0, 0];
    const data = encoder.encode(value);
    return [this.bytes(data), data.length];
  }

  /** Writes a text that ends with a zero byte; returns 0 for no text. */
  name(value) {
    if (value === undefined || value === null) return 0;
    if (value.includes("\0")) throw engineError("BERT_INVALID_ARGUMENT", `${JSON.stringify(value)}: a NUL in a name`);
    return this.bytes(encoder.encode(`${value}\0`));
  }

  /** Writes a bert_text for each text; returns the address and the number. */
  texts(values) {
    return [this.bytes(Uint32Array.from(values.flatMap((value) => this.text(value)))), values.length];
  }

  free() {
    for (const address of this.#blocks) this.#engine.functions.free(address);
  }
}

export class Engine {
  #memory;
  #bytes;
  #ended = null;

  // threads.js sets these if the memory is shared.
  startThread = null;
  endThreads = () => {};
  runtime = 0;

  /**
   * module: a WebAssembly.Module, which workers can share. environment: variables such as BERT_INFER_ISA. memory: for a
   * module that has no memory of its own.
   */
  static async create(module, environment = {}, memory = undefined) {
    const now = () => performance.timeOrigin + performance.now();
    let engine = null;
    const page = { now, start_thread: (...given) => engine.startThread(...given) };
    engine = new Engine(await WebAssembly.instantiate(module, { page, env: { memory } }), memory);
    for (const [name, value] of Object.entries(environment)) {
      engine.call("set_variable", (given) => [given.name(name), given.name(value)]);
    }
    return engine;
  }

  constructor(instance, memory = instance.exports.memory) {
    this.functions = instance.exports;
    this.#memory = memory;
    this.functions._initialize();
  }

  /** A view of all memory. A new one is made after the memory has grown. */
  get bytes() {
    if (this.#bytes?.buffer !== this.#memory.buffer) this.#bytes = new Uint8Array(this.#memory.buffer);
    return this.#bytes;
  }

  get view() {
    return new DataView(this.#memory.buffer);
  }

  allocate(bytes) {
    const address = bytes > MOST_BYTES ? 0 : this.functions.malloc(Math.max(bytes, 1)) >>> 0;
    if (address === 0) throw engineError("BERT_OUT_OF_MEMORY", `no memory for ${bytes} bytes`);
    return address;
  }

  write(address, data) {
    this.bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), address);
  }

  /** Returns a copy of `count` numbers, in memory that is not shared. */
  numbers(Type, address, count) {
    return new Type(this.bytes.slice(address, address + count * Type.BYTES_PER_ELEMENT).buffer);
  }

  text(address, bytes) {
    return decoder.decode(this.bytes.slice(address, address + bytes));  // the decoder rejects shared memory
  }

  /** Returns the text up to the zero byte; null for the address 0. */
  name(address) {
    address >>>= 0;
    return address === 0 ? null : this.text(address, this.bytes.indexOf(0, address) - address);
  }

  /** Throws an error unless the status is BERT_OK. */
  check(status) {
    if (status === 0) return;
    const code = this.name(this.functions.bert_status_name(status)) || "BERT_INTERNAL";
    const message = this.name(this.functions.bert_error_message());
    throw engineError(code, message || (code === "BERT_OUT_OF_MEMORY" ? "no memory for the result" : code));
  }

  /** Makes every later call an error, because a thread of the module trapped. */
  end(line) {
    this.#ended ??= line;
  }

  /** Returns the result of `use`. If the module traps, for example because its stack is full, it is not used again. */
  guarded(use) {
    if (this.#ended) throw engineError("BERT_INTERNAL", `the module has ended: ${this.#ended}`);
    try {
      return use();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#ended = error.message;
      throw engineError("BERT_INTERNAL", `the module ended: ${error.message}`);
    }
  }

  /** Calls a function of src/calls.cc with the words that `arrange` returns, and returns the result of `take`. */
  call(name, arrange, take = () => undefined) {
    return this.guarded(() => {
      const given = new Arguments(this);
      try {
        const words = given.memory(WORDS * 4);
        this.bytes.fill(0, words, words + WORDS * 4);
        this.write(words, Uint32Array.from(arrange(given).flat()));
        const status = this.functions[name](words);
        const results = this.numbers(Uint32Array, words + RESULTS * 4, WORDS - RESULTS);
        return take({ results, place: words + RESULTS * 4, status, check: () => this.check(status) });
      } finally {
        if (!this.#ended) given.free();
      }
    });
  }

  /**
  * Makes a call whose result is memory. `read` gets the results and their address, and copies the memory. Then the
  * memory is freed, also after an error.
  */
  callFor(name, free, arrange, read) {
    return this.call(name, arrange, ({ results, place, check }) => {
      try {
        check();
        return read(results, place);
      } finally {
        free(results[0]);
      }
    });
  }

  /** Returns a text that a function writes. The function is called twice, first for the size. */
  sizedText(call) {
    return this.guarded(() => {
      const given = new Arguments(this);
      try {
        const size = given.memory(4);
        const status = call(0, 0, size, given);
        if (status !== BUFFER_TOO_SMALL) this.check(status);
        const capacity = this.view.getUint32(size, true) + 1;
        const buffer = given.memory(capacity);
        this.check(call(buffer, capacity, size, given));
        return this.text(buffer, this.view.getUint32(size, true));
      } finally {
        if (!this.#ended) given.free();
      }
    });
  }

  /** Allocates memory for a file of this size; the caller writes the file into it. */
  addFile(path, bytes) {
    if (bytes > MOST_BYTES) throw engineError("BERT_OUT_OF_MEMORY", `${path}: no memory for ${bytes} bytes`);
    return this.guarded(() => {
      const given = new Arguments(this);
      try {
        const address = this.functions.add_file(given.name(path), bytes) >>> 0;
        if (address !== 0) return address;
        throw engineError("BERT_OUT_OF_MEMORY", `${path}: no memory for ${bytes} bytes`);
      } finally {
        if (!this.#ended) given.free();
      }
    });
  }

  removeFiles(folder) {
    this.guarded(() => {
      const given = new Arguments(this);
      this.functions.remove_files(given.name(folder));
      given.free();
    });
  }
}
