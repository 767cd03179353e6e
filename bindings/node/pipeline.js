// pipeline(task, model), with the names and the result shapes that transformers.js has for its text tasks.
import { Model } from "./index.js";

const squeezed = (results, given) => (Array.isArray(given) ? results : results[0]);
const each = (given) => (Array.isArray(given) ? given : [given]);
const inTurn = async (items, call) => {
  const results = [];
  for (const item of items) results.push(await call(item));
  return results;
};

/** A tensor's data and shape, with what transformers.js' users call most. */
class Tensor {
  constructor(data, dims) {
    this.type = "float32";
    this.data = data;
    this.dims = dims;
  }
  tolist() {
    const build = (level, offset, stride) =>
      level === this.dims.length
        ? this.data[offset]
        : Array.from({ length: this.dims[level] }, (_, i) => {
            const below = stride / this.dims[level];
            return build(level + 1, offset + i * below, below);
          });
    return build(0, 0, this.data.length);
  }
}

const POOLINGS = { mean: "mean", cls: "cls", first_token: "cls", last_token: "last_token", eos: "last_token" };

const TASKS = {
  "feature-extraction": (model) => async (texts, options = {}) => {
    const { pooling = "none", normalize = false } = options;
    if (!Object.hasOwn(POOLINGS, pooling)) {
      const known = Object.keys(POOLINGS).join(", ");
      throw new TypeError(`pooling: found ${JSON.stringify(pooling)}, expected one of ${known}`);
    }
    const vectors = await model.embed(each(texts), { pooling: POOLINGS[pooling], normalize });
    const size = vectors[0]?.length ?? 0;
    const data = new Float32Array(vectors.length * size);
    vectors.forEach((vector, i) => data.set(vector, i * size));
    return new Tensor(data, [vectors.length, size]);
  },
  "text-classification": (model) => async (texts, options = {}) => {
    const most = options.top_k === undefined ? 1 : options.top_k;
    const all = await inTurn(each(texts), (text) => model.classify(text));
    const cut = all.map((labels) => (most === null ? labels : labels.slice(0, most)));
    return most === 1 ? cut.map(([best]) => best) : squeezed(cut, texts);
  },
  "token-classification": (model) => async (texts, options = {}) => {
    const aggregation = options.aggregation_strategy ?? "none";
    const all = await inTurn(each(texts), (text) => model.tag(text, { aggregation }));
    const name = aggregation === "none" ? "entity" : "entity_group";
    const shape = ({ label, score, word, start, end }) => ({ [name]: label, score, word, start, end });
    return squeezed(all.map((entities) => entities.map(shape)), texts);
  },
  "fill-mask": (model) => async (texts, options = {}) => {
    const all = await inTurn(each(texts), async (text) => {
      const [candidates] = await model.fillMask(text, { topK: options.top_k ?? 5 });
      const { ids } = model.tokenize(text);
      const place = ids.indexOf(model.maskId);
      return candidates.map(({ token, id, score }) => {
        const filled = Int32Array.from(ids);
        filled[place] = id;
        const sequence = model.decode(filled, { skipSpecialTokens: true });
        return { score, token: id, token_str: token, sequence };
      });
    });
    return squeezed(all, texts);
  },
  "question-answering": (model) => async (questions, contexts, options = {}) => {
    const most = options.top_k ?? 1;
    const listed = each(contexts);
    const all = await inTurn([...each(questions).entries()], async ([i, question]) => {
      const answers = await model.answer(question, listed[i], { topK: most });
      return most === 1 ? answers[0] : answers;
    });
    return squeezed(all, questions);
  },
  "zero-shot-classification": (model) => async (texts, labels, options = {}) => {
    const all = await inTurn(each(texts), async (sequence) => {
      const found = await model.zeroShot(sequence, each(labels), {
        hypothesisTemplate: options.hypothesis_template,
        multiLabel: options.multi_label ?? false,
      });
      return { sequence, labels: found.map(({ label }) => label), scores: found.map(({ score }) => score) };
    });
    return squeezed(all, texts);
  },
};
const ALIASES = {
  "sentiment-analysis": "text-classification",
  ner: "token-classification",
  embeddings: "feature-extraction",
};

export async function pipeline(task, model = null, options = {}) {
  const name = ALIASES[task] ?? task;
  if (!Object.hasOwn(TASKS, name)) {
    const known = [...Object.keys(TASKS), ...Object.keys(ALIASES)].join(", ");
    throw new TypeError(`task: found ${JSON.stringify(task)}, expected one of ${known}`);
  }
  const loaded = model instanceof Model ? model : await Model.load(model, options);
  const call = TASKS[name](loaded);
  return Object.assign(call, { task: name, model: loaded, dispose: async () => loaded.close() });
}
