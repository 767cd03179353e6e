// Compares bert-infer's Node package with transformers.js, in one process and in turns:
//   npm install @huggingface/transformers && npm install $(npm pack BUILD/node)
//   node node_peers.mjs MODELS NAME DIRECTORY [fp32|q8] [THREADS]
// MODELS/NAME is the model in transformers.js' layout (onnx/model.onnx, for q8 onnx/model_quantized.onnx). DIRECTORY
// has the same model's own files. Prints the medians and their ratios.
import { env, pipeline } from "@huggingface/transformers";
import { Model } from "bert-infer";

const [models, name, directory, dtype = "fp32", threads = "1"] = process.argv.slice(2);
if (directory === undefined) {
  console.error("usage: node node_peers.mjs MODELS NAME DIRECTORY [fp32|q8] [THREADS]");
  process.exit(2);
}
env.allowRemoteModels = false;
env.localModelPath = models;
const session = { intraOpNumThreads: Number(threads) };
const theirs = await pipeline("feature-extraction", name, { dtype, session_options: session });
const precision = dtype === "q8" ? "int8" : "stored";
const ours = await Model.load(directory, { threads: Number(threads), precision });

const sentence = "The quick brown fox jumps over the lazy dog near the river bank.";
const part = "about rivers and towns and people who walk home ";
const texts = Array.from({ length: 64 }, (_, i) => `sentence number ${i} ${part.repeat(1 + (i % 6))}`);

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const timed = async (call) => {
  const begin = performance.now();
  await call();
  return performance.now() - begin;
};

const expected = (await theirs(sentence, { pooling: "mean", normalize: true })).data;
const found = await ours.embed(sentence);
console.log(`largest difference ${Math.max(...expected.map((value, i) => Math.abs(value - found[i])))}`);
for (const [what, given, turns] of [["one sentence", sentence, 60], ["64 texts", texts, 8]]) {
  const times = { theirs: [], ours: [] };
  for (let i = 0; i < turns; ++i) {
    times.theirs.push(await timed(() => theirs(given, { pooling: "mean", normalize: true })));
    times.ours.push(await timed(() => ours.embed(given)));
  }
  const [a, b] = [median(times.theirs), median(times.ours)];
  const ratio = (a / b).toFixed(2);
  console.log(`${what}: transformers.js ${a.toFixed(2)} ms, bert-infer ${b.toFixed(2)} ms, ratio ${ratio}`);
}
