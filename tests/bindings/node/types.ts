// Uses the types of the package for Node. packed_test.mjs compiles this file.
import { type Entity, Model, VectorIndex, cosineSimilarity, fetchModel, maxSim, pipeline, version } from "bert-infer";

export async function inNode(signal: AbortSignal): Promise<string> {
  const fetched: string = await fetchModel("organisation/name", { onProgress: ({ loaded }) => console.log(loaded) });
  await Model.load(fetched, { precision: "bfloat16" });
  const model = await Model.load("directory", { precision: "int8", adapter: "adapter", packing: "never", threads: 2 });
  const one: Float32Array = await model.embed("a", { normalize: false, dimensions: 64, signal });
  const several: Float32Array[] = await model.embed(["a", "b"]);
  const found: Entity[] = await model.findEntities("a", ["person"], { threshold: 0.4 });
  const [{ row, score }] = new VectorIndex(several, { scan: "int8" }).search(one, { topK: 1 });
  const [best] = await model.rerank("a", ["b"]);
  const both: Entity[][] = await model.tag(["a", "b"], { aggregation: "first", longText: "cut" });
  const words: string[] = (await model.tag({ words: ["a", "b"] })).map(({ word }) => word);
  const { text, replaced } = await model.redact("a", { expressions: ["WORD=a+"], mask: "*" });
  const scores: number[] = await model.nextSentence([text], words);
  const [[{ label }]] = await model.classify(["a"], { pair: ["b"], topK: 1 });
  // @ts-expect-error: this aggregation does not exist
  await model.tag("a", { aggregation: "all" });
  // @ts-expect-error: a text has one pair, not a list
  await model.classify("a", { pair: ["b"] });
  const [query, document] = [await model.embedTokens("a", "query"), await model.embedTokens("b")];
  const near: number = cosineSimilarity(one, several[0]) + maxSim(query, document);
  const given: string | readonly string[] = signal.aborted ? "a" : ["a", "b"];
  const either: Float32Array | Float32Array[] = await model.embed(given);
  const frozen: readonly string[] = Object.freeze(["a", "b"]);
  const [[{ label: first }]] = await model.classify(frozen, { pair: frozen });
  const mixed = await model.tag([{ words: frozen }, "a"]);
  const { data, size }: { data: Float32Array; size: number } = await model.lastHiddenState("a", { pair: "b" });
  const extract = await pipeline("feature-extraction", model, { dtype: "q8", device: "cpu" });
  const tensor = await extract(frozen, { pooling: "mean" });
  const numbers: number[] = [tensor.dims[0], tensor[0].item(), tensor.slice(null, [1, -1]).size, data[size]];
  // @ts-expect-error: this pooling does not exist
  await extract("a", { pooling: "median" });
  const [{ entity_group: group }] = await (await pipeline("ner"))("a", { aggregation_strategy: "first" });
  const { answer } = await (await pipeline("question-answering"))("a", "b");
  const { scores: [likely] } = await (await pipeline("zero-shot-classification"))("a", ["b", "c"]);
  const classify = await pipeline("text-classification", "directory");
  const [sparse] = await model.embedSparse(["a"], { maxActive: 8 });
  const { ids, starts } = model.tokenize("a", { pair: "b" });
  await classify("a");
  // @ts-expect-error: this precision does not exist
  await Model.load("directory", { precision: "int4" });
  // @ts-expect-error: only the package for web pages loads files from memory
  await Model.load({ "config.json": new Uint8Array() });
  // @ts-expect-error: only Model.load makes models
  new Model();
  return `${version} ${row} ${score} ${best} ${near} ${found.length} ${sparse.ids.length} ${ids[0]} ${starts[0]} ${
    both.length + replaced[0].start + scores[0]} ${label} ${first} ${mixed.length} ${either.length} ${numbers} ${
    group} ${answer} ${likely}`;
}
