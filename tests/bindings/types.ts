// The types of both packages, used as programs use them; tsc checks them by hand, in a folder of its own:
//   npm install typescript@7.0.2 REPOSITORY/build/node REPOSITORY/build-wasm/web
//   cp REPOSITORY/tests/bindings/types.ts . && npx tsc --noEmit --strict --target es2022 --module nodenext types.ts
import { type Entity, Model, VectorIndex, cosineSimilarity, maxSim, pipeline, version } from "bert-infer";
import { type LoadOptions, Model as PageModel } from "bert-infer-web";

export async function inNode(signal: AbortSignal): Promise<string> {
  await Model.load("directory", { precision: "bfloat16" });
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
  // @ts-expect-error: no such aggregation
  await model.tag("a", { aggregation: "all" });
  // @ts-expect-error: a text has one pair
  await model.classify("a", { pair: ["b"] });
  const [query, document] = [await model.embedTokens("a", "query"), await model.embedTokens("b")];
  const near: number = cosineSimilarity(one, several[0]) + maxSim(query, document);
  const classify = await pipeline("text-classification", "directory");
  const [sparse] = await model.embedSparse(["a"], { maxActive: 8 });
  const { ids, starts } = model.tokenize("a", { pair: "b" });
  await classify("a");
  // @ts-expect-error: no such precision
  await Model.load("directory", { precision: "int4" });
  // @ts-expect-error: files are of web pages
  await Model.load({ "config.json": new Uint8Array() });
  // @ts-expect-error: made by Model.load
  new Model();
  return `${version} ${row} ${score} ${best} ${near} ${found.length} ${sparse.ids.length} ${ids[0]} ${starts[0]} ${
    both.length + replaced[0].start + scores[0]} ${label}`;
}

export async function inAPage(files: FileList, signal: AbortSignal): Promise<Float32Array> {
  const options: LoadOptions = {
    onProgress: ({ file, loaded, total }) => console.log(file, loaded / (total ?? 1)),
    cache: false, worker: false, signal,
    adapter: new URL("https://example.org/adapter/"), encoder: new Map([["config.json", new Uint8Array()]]),
  };
  const dropped = await PageModel.load(files, options);
  const memory = await PageModel.load({ "config.json": new Blob(), "model.safetensors": new ArrayBuffer(8) });
  // @ts-expect-error: no Blob and no bytes
  await PageModel.load({ "config.json": 7 });
  memory.close();
  using other = await PageModel.load("directory", { threads: 2 });
  using index = new VectorIndex(await other.embed(["a", "b"]));
  index.search(await other.embed("a"));
  return dropped.embed("a");
}
