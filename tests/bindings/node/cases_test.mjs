// Runs the cases of every binding (tests/cases/cases.jsonl) through Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { callsWith, expected } from "../cases.mjs";

const { Model } = await import(process.env.BERT_NODE_PACKAGE);
const folder = mkdtempSync(join(tmpdir(), "bert-infer-cases-"));
after(() => rmSync(folder, { recursive: true }));
execFileSync(process.env.BERT_TINY_MODELS, [folder]);

const digest = (values) =>
  createHash("sha256").update(Buffer.from(values.buffer, values.byteOffset, values.byteLength)).digest("hex");
const calls = callsWith(digest);

test("all cases hold", async () => {
  const lines = readFileSync(new URL("../../cases/cases.jsonl", import.meta.url), "utf8").trim().split("\n");
  assert.ok(lines.length > 110);
  const models = new Map();
  for (const line of lines) {
    const request = JSON.parse(line);
    if (!models.has(request.model)) {
      models.set(request.model, await Model.load(request.model ? join(folder, request.model) : null));
    }
    const call = calls[request.call](models.get(request.model), request);
    if (request.error) {
      await assert.rejects(call, (error) => {
        assert.equal(error.code, request.error.code, line);
        assert.ok(error.message.includes(request.error.message), `${error.message} of ${line}`);
        return true;
      });
    } else {
      assert.deepEqual(await call, expected(request.result), line.slice(0, 200));
    }
  }
  for (const model of models.values()) model.close();  // Windows cannot remove a mapped file
});
