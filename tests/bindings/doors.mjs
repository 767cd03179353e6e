// Calls the Node package for doors_test.py. Each line of input is the JSON [model, method, arguments]. Each line of
// output is the result as JSON, or null for an error.
import { createInterface } from "node:readline";

const { Model } = await import(process.env.BERT_NODE_PACKAGE);
const models = new Map();

for await (const line of createInterface({ input: process.stdin })) {
  const [name, method, given] = JSON.parse(line);
  if (!models.has(name)) models.set(name, await Model.load(name));
  const found = await models.get(name)[method](...given).catch(() => null);
  console.log(JSON.stringify(found && { items: found, truncated: found.truncatedTokens }));
}
