// Checks that the live page's drawings equal the program's for the same text, character by character.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "bert-infer-live-"));
after(() => rmSync(folder, { recursive: true }));
const live = process.env.BERT_LIVE_PAGE;
const { LiveModel } = await import(join(live, "model.js"));
const { hasRelaxedSimd } = await import(join(live, "engine.js"));
const module = await WebAssembly.compile(
  readFileSync(join(live, hasRelaxedSimd() ? "bert_live_relaxed.wasm" : "bert_live.wasm")),
);
const builtin = join(live, "builtin");
const names = readdirSync(builtin, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  .map((file) => join(file.parentPath ?? file.path, file.name));
const files = names.map((name) => [name.slice(builtin.length + 1), readFileSync(name)]);
const model = await LiveModel.create(module, files);

const drawings = (html) => html.match(/<svg[^]*?<\/svg>/g) ?? [];

/** Returns the drawings of the program's page for these arguments. */
function drawnByTheProgram(...given) {
  const file = join(folder, "page.html");
  execFileSync(process.env.BERT_INFER_PROGRAM, [...given, "--html", file], { stdio: ["ignore", "ignore", "pipe"] });
  return new Set(drawings(readFileSync(file, "utf8")));
}

const fox = "The quick brown fox jumps over the lazy dog";
const cases = [
  ["parts", fox, "", ["explain", fox]],
  ["order", fox, "", ["order", fox]],
  ["attention", fox, "", ["attention", fox]],
  ["segments", "The dog saw a fox.", "It barked at the fox.", ["segments", "The dog saw a fox.", "It barked at the fox."]],
  ["positions", "", "", ["positions"]],
  ["words", "king", "", ["neighbors", "--top-k", "8", "king"]],
];
for (const [question, text, pair, command] of cases) {
  test(`${question}: the program's drawings`, () => {
    const answer = drawings(model.answer(question, text, pair)).filter((svg) => !svg.includes("data:image/png"));
    const expected = drawnByTheProgram(...command);
    assert.ok(answer.length > 0);
    for (const svg of answer) assert.ok(expected.has(svg), svg.slice(0, 300));
  });
}

test("tokens, a word moved, and layers have drawings too", () => {
  for (const [question, text, pair] of [["tokens", fox, "a dog"], ["moved", "a b", "b a"], ["layers", "", ""]]) {
    const [drawing] = drawings(model.answer(question, text, pair));
    assert.match(drawing, /<title>|aria-label/, question);
  }
  assert.match(model.answer("moved", "dog bites man", "man bites dog"), /none[^]*1\.0000/);
});

test("what cannot be answered is one line, and the page goes on", () => {
  assert.throws(() => model.answer("tokens", "word ".repeat(80), ""), /82 tokens, expected at most 64/);
  assert.throws(() => model.answer("words", "unbelievablething", ""), /tokens, expected a word of the vocabulary/);
  assert.throws(() => model.answer("words", " ", ""), /no word, expected one or more/);
  assert.throws(() => model.answer("order", "a", ""), /./);
  assert.ok(drawings(model.answer("tokens", "still here", "")).length > 0);
});
