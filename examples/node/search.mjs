// Prints the lines of a file that are nearest in meaning to a query, best first:
//   node examples/node/search.mjs FILE "a query" [MODEL]
import { readFileSync } from "node:fs";
import { Model, VectorIndex } from "bert-infer";

const [file, query, directory] = process.argv.slice(2);
if (query === undefined) {
  console.error('usage: node search.mjs FILE "a query" [MODEL]');
  process.exit(2);
}
const model = await Model.load(directory);
const lines = readFileSync(file, "utf8").split("\n").filter((line) => line.trim() !== "");
const index = new VectorIndex(await model.embed(lines, { normalize: true }));
for (const { row, score } of index.search(await model.embed(query, { normalize: true }), { topK: 3 })) {
  console.log(score.toFixed(3), lines[row]);
}
