// The calls of the cases that every binding runs (tests/cases/cases.jsonl), through the interface that the packages for
// Node and for web pages have, and what a case expects of them.

const together = (vectors) => Float32Array.from(vectors.flatMap((vector) => Array.from(vector)));
const places = ({ starts, ends }) => Array.from(starts, (start, i) => [start, ends[i]]);
const taken = ({ multiLabel, stride, windowScores }) => ({ multiLabel, stride, windowScores });
const entities = (found) => found.map(({ label, score, start, end }) => ({ label, score, utf16: [start, end] }));
const listed = async (found) => Array.from(await found);  // without truncatedTokens
const names = (parts) => parts.map(({ word, token }) => token ?? word);
const explained = ({ first, second, terms, noSum, ...rest }) => {
  return { first: names(first), second: names(second), terms: Array.from(terms), ...rest };
};

/** A function of a model and a case for each call. digest: of a Float32Array, SHA-256 in hexadecimal digits. */
export const callsWith = (digest) => ({
  tokenize: async (model, { text, pair }) => {
    const tokens = model.tokenize(text, { pair });
    return { ids: Array.from(tokens.ids), typeIds: Array.from(tokens.typeIds), utf16: places(tokens) };
  },
  embed: async (model, { texts, dimensions }) => Promise.all((await model.embed(texts, { dimensions })).map(digest)),
  sparse: async (model, { texts, maxActive }) =>
    Promise.all((await model.embedSparse(texts, { maxActive })).map(async ({ ids, weights }) => {
      return { ids: Array.from(ids), weights: await digest(weights) };
    })),
  classify: (model, { text, pair, stride, windowScores }) =>
    listed(model.classify(text, { pair, stride, windowScores })),
  zeroShot: (model, { text, labels, stride, windowScores }) =>
    listed(model.zeroShot(text, labels, { stride, windowScores })),
  scoreLabels: (model, { text, labels, ...options }) => listed(model.scoreLabels(text, labels, taken(options))),
  tag: async (model, { text, scheme, stride }) => entities(await model.tag(text, { scheme, stride })),
  findEntities: async (model, { text, labels, threshold, stride }) =>
    entities(await model.findEntities(text, labels, { threshold, stride })),
  explainSimilarity: async (model, { a, b, vectors }) => explained(await model.explainSimilarity(a, b, { vectors })),
  explainLabels: async (model, { text, pair }) => explained(await model.explainLabels(text, { pair })),
  fillMask: (model, { text, topK }) => listed(model.fillMask(text, { topK })),
  rerank: (model, { query, documents, stride }) => listed(model.rerank(query, documents, { stride })),
  tokenVectors: async (model, { text, role }) => digest((await model.embedTokens(text, role)).data),
  chunks: async (model, { text }) => {
    const chunks = await model.embedChunks(text, { sentences: true });
    return {
      utf16: chunks.map(({ start, end }) => [start, end]),
      vectors: await digest(together(chunks.map(({ vector }) => vector))),
    };
  },
});

/** What a case expects here: places in UTF-16 units alone. */
export const expected = (value) => {
  if (Array.isArray(value)) return value.map(expected);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => name !== "bytes" && name !== "codePoints");
  return Object.fromEntries(kept.map(([name, inner]) => [name, expected(inner)]));
};
