// Makes the calls of the cases that every binding runs (tests/cases/cases.jsonl) and compares their results. It uses
// the interface that the packages for Node and for web pages share.

const together = (vectors) => Float32Array.from(vectors.flatMap((vector) => Array.from(vector)));
const places = ({ starts, ends }) => Array.from(starts, (start, i) => [start, ends[i]]);
const taken = ({ multiLabel, stride, windowScores }) => ({ multiLabel, stride, windowScores });
const placed = (found) => found.map(({ word, start, end, ...one }) => ({ ...one, utf16: [start, end] }));
const listed = async (found) => Array.from(await found);  // drops the list's member truncatedTokens
const names = (parts) => parts.map(({ word, token }) => token ?? word);
const explained = ({ first, second, terms, noSum, ...rest }) => {
  return { first: names(first), second: names(second), terms: Array.from(terms), ...rest };
};

/** Returns a function for each call, which takes a model and a case. digest: returns the SHA-256 of a Float32Array. */
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
  zeroShot: (model, { text, labels, template, ...options }) =>
    listed(model.zeroShot(text, labels, { hypothesisTemplate: template, ...taken(options) })),
  scoreLabels: (model, { text, labels, ...options }) => listed(model.scoreLabels(text, labels, taken(options))),
  tag: async (model, { text, scheme, stride, aggregation }) =>
    placed(await model.tag(text, { scheme, stride, aggregation })),
  findEntities: async (model, { text, labels, threshold, stride, nested }) =>
    placed(await model.findEntities(text, labels, { threshold, stride, nested })),
  answer: async (model, { question, context, topK }) => placed(await model.answer(question, context, { topK })),
  explainSimilarity: async (model, { a, b, vectors, pooling }) =>
    explained(await model.explainSimilarity(a, b, { vectors, pooling })),
  explainLabels: async (model, { text, pair }) => explained(await model.explainLabels(text, { pair })),
  fillMask: (model, { text, topK, targets }) => listed(model.fillMask(text, { topK, targets })),
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

/** Returns a case's expected result with offsets in UTF-16 units only. */
export const expected = (value) => {
  if (Array.isArray(value)) return value.map(expected);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => name !== "bytes" && name !== "codePoints");
  return Object.fromEntries(kept.map(([name, inner]) => [name, expected(inner)]));
};
