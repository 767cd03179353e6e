// Uses the types of the package for web pages. bundlers_test.mjs compiles this file.
import { type LoadOptions, Model, VectorIndex } from "bert-infer-web";

export async function inAPage(files: FileList, signal: AbortSignal): Promise<Float32Array> {
  const options: LoadOptions = {
    onProgress: ({ file, loaded, total }) => console.log(file, loaded / (total ?? 1)),
    cache: false, worker: false, files: ["config.json"], signal,
    adapter: new URL("https://example.org/adapter/"), encoder: new Map([["config.json", new Uint8Array()]]),
  };
  const dropped = await Model.load(files, options);
  const memory = await Model.load({ "config.json": new Blob(), "model.safetensors": new ArrayBuffer(8) });
  // @ts-expect-error: a file must be a Blob or bytes
  await Model.load({ "config.json": 7 });
  memory.close();
  using other = await Model.load("directory", { threads: 2 });
  using index = new VectorIndex(await other.embed(["a", "b"]));
  index.search(await other.embed("a"));
  return dropped.embed("a");
}
