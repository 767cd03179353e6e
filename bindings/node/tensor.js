// A tensor as in transformers.js: data with a shape, whose rows are tensors too.

const product = (numbers) => numbers.reduce((all, number) => all * number, 1);

/** Returns an index in a dimension. A negative index counts from the end. most: the largest index. */
function place(index, size, most) {
  const found = index < 0 ? index + size : index;
  if (Number.isInteger(found) && found >= 0 && found <= most) return found;
  throw new RangeError(`index: found ${index}, expected one of a dimension of ${size}`);
}

export class Tensor {
  constructor(type, data, dims) {
    Object.assign(this, { type, data, dims });
    const isIndex = (key) => typeof key === "string" && /^-?\d+$/.test(key);
    return new Proxy(this, { get: (own, key) => (isIndex(key) ? own.row(Number(key)) : own[key]) });
  }

  get size() {
    return this.data.length;
  }

  /** Returns tensor[index], a view of the same data. */
  row(index) {
    const [rows, ...dims] = this.dims;
    const size = product(dims), at = place(index, rows, rows - 1) * size;
    return new Tensor(this.type, this.data.subarray(at, at + size), dims);
  }

  *[Symbol.iterator]() {
    if (this.dims.length <= 1) yield* this.data;
    else for (let i = 0; i < this.dims[0]; ++i) yield this.row(i);
  }

  item() {
    if (this.size !== 1) throw new RangeError(`a tensor of ${this.size} numbers, expected one`);
    return this.data[0];
  }

  tolist() {
    return this.dims.length === 0 ? this.data[0] : Array.from(this, (one) => one.tolist?.() ?? one);
  }

  /** Returns a copy. For each dimension: an index, which removes the dimension; [from, to]; or null for all of it. */
  slice(...parts) {
    const isIndex = (i) => typeof parts[i] === "number";
    const ranges = this.dims.map((size, i) => {
      if (isIndex(i)) return [place(parts[i], size, size - 1), place(parts[i], size, size - 1) + 1];
      const [from, to] = parts[i] ?? [0, size];
      return [place(from ?? 0, size, size), place(to ?? size, size, size)];
    });
    const sizes = ranges.map(([from, to]) => Math.max(to - from, 0));
    const data = new this.data.constructor(product(sizes));
    let at = 0;
    const copy = (level, begin, stride) => {
      const [from, to] = ranges[level], below = stride / this.dims[level];
      for (let i = from; i < to; ++i) {
        if (level + 1 < ranges.length) copy(level + 1, begin + i * below, below);
        else data[at++] = this.data[begin + i];
      }
    };
    copy(0, 0, this.size);
    return new Tensor(this.type, data, sizes.filter((_, i) => !isIndex(i)));
  }
}
