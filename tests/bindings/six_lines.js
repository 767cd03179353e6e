import { Model } from "bert-infer-web";

const model = await Model.load(null, { threads: 2 });
const vectors = await model.embed(["a cat", "a dog"]);
const [best] = await model.rerank("who sat?", ["The market fell.", "A cat sat on the mat."]);
globalThis.found = [vectors.length, vectors[0][0], best.index, ...model.notices].join(" ");
