// Tests the live page in a headless Chromium, with each question at two widths in light and dark colours: its numbers,
// the size of its letters, accessible names, keys, and the page without its server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser, serve } from "../../support/chromium.mjs";

const LEAST_LETTER = 12;  // pixels
const WIDTHS = [1280, 400];
const NAMED = ["textbox", "button", "navigation", "link", "image", "graphics-document", "DisclosureTriangle"];

/** Runs in the page. Returns its width, and the visible letters, drawings, blocks and images. */
function measured() {
  const box = (one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  const letters = [], seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: of, textContent: text } = walker.currentNode;
    if (!text.trim() || seen.has(of) || !isShown(of) || of.closest("script, style, title")) continue;
    seen.add(of);
    const scale = of instanceof SVGElement ? Math.hypot(of.getScreenCTM().a, of.getScreenCTM().b) : 1;
    letters.push([text.trim().slice(0, 40), parseFloat(getComputedStyle(of).fontSize) * scale]);
  }
  const drawings = [...document.querySelectorAll("article svg")].filter(isShown).map((drawing) => ({
    name: drawing.getAttribute("aria-label") ?? drawing.querySelector("title")?.textContent ?? "",
    isHidden: drawing.closest("[aria-hidden=true]") !== null,
    box: box(drawing),
    texts: [...drawing.querySelectorAll("text")].filter((one) => one.textContent.trim())
      .map((one) => [one.textContent, box(one)]),
  }));
  const parts = "h1, h2, h3, p, form, nav button, input, figure, .legend";
  const blocks = [...document.querySelectorAll(parts)].filter(isShown)
    .map((one) => [`${one.tagName} ${one.textContent.slice(0, 40)}`, box(one)]);
  const images = [...document.querySelectorAll("article img")].filter(isShown).map(({ alt }) => alt);
  const { clientWidth: width, scrollWidth: scroll } = document.documentElement;
  return { width, scroll, letters, drawings, blocks, images, paper: getComputedStyle(document.body).backgroundColor };
}

const share = (one, other, at) => Math.min(one[at + 2], other[at + 2]) - Math.max(one[at], other[at]);
const overlap = (one, other) => share(one, other, 0) > 0.5 && share(one, other, 1) > 0.5;

function check(found, where) {
  assert.ok(found.scroll <= found.width, `${where}: ${found.scroll} pixels wide`);
  for (const [text, size] of found.letters) {
    assert.ok(size >= LEAST_LETTER - 0.01, `${where}: '${text}' of ${size} pixels`);
  }
  for (const [name, [left, , right]] of found.blocks) {
    assert.ok(left >= 0 && right <= found.width + 0.5, `${where}: ${name} from ${left} to ${right}`);
  }
  assert.ok(found.drawings.length > 0, where);
  for (const { name, isHidden, box, texts } of found.drawings) {
    assert.ok(name !== "" || isHidden, `${where}: a drawing without a name`);
    for (const [i, [text, place]] of texts.entries()) {
      assert.ok(place[0] >= box[0] - 1 && place[2] <= box[2] + 1, `${where}: '${text}' leaves '${name}'`);
      for (const [other, its] of texts.slice(i + 1)) {
        assert.ok(!overlap(place, its), `${where}: '${text}' and '${other}' of '${name}'`);
      }
    }
  }
  for (const alt of found.images) assert.notEqual(alt, "", `${where}: an image without a text`);
}

const skip = process.env.BERT_CHROMIUM ? false : "SKIPPED, no Chromium (Debian's chromium has it)";
const folder = mkdtempSync(join(tmpdir(), "bert-infer-live-page-"));
let server, browser, page;
before(async () => {
  if (skip) return;
  server = await serve({ live: process.env.BERT_LIVE_PAGE });
  browser = await Browser.start(process.env.BERT_CHROMIUM, folder);
  page = await browser.page();
});
after(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Returns the text of a drawing in the program's page for these arguments. */
function drawnByTheProgram(...given) {
  const file = join(folder, "page.html");
  execFileSync(process.env.BERT_INFER_PROGRAM, [...given, "--html", file], { stdio: ["ignore", "ignore", "pipe"] });
  const [drawing] = readFileSync(file, "utf8").match(/<svg[^]*?<\/svg>/);
  return Array.from(drawing.matchAll(/<text[^>]*>([^<]*)/g), ([, text]) => text);
}
const drawnHere = `[...document.querySelector("article svg").querySelectorAll("text")].map((one) => one.textContent)`;

const isDone = `document.getElementById("answer").getAttribute("aria-busy") === "false"`;
const show = async (width, scheme) => {
  await page.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
  await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
};

test("every question: names, letters and places at both widths, in light and in dark", { skip }, async () => {
  await page.open(`${server.origin}/live/`);
  await page.until(isDone);
  const questions = await page.evaluate(`[...document.querySelectorAll("nav button")].map(({ value }) => value)`);
  assert.ok(questions.length >= 9);
  for (const question of questions) {
    await page.evaluate(`document.querySelector('button[value="${question}"]').click()`);
    await page.until(isDone);
    const papers = new Set();
    for (const width of WIDTHS) {
      for (const scheme of ["light", "dark"]) {
        await show(width, scheme);
        const found = await page.evaluate(`(${measured})()`);
        assert.equal(found.width, width);
        papers.add(found.paper);
        check(found, `${question}, ${width} pixels, ${scheme}`);
      }
    }
    assert.equal(papers.size, 2, "dark is not light");
  }
});

const ask = async (question, text) => {
  await page.evaluate(`document.querySelector('button[value="${question}"]').click()`);
  await page.until(isDone);
  await page.evaluate(`document.getElementById("status").textContent = ""`);  // the new status may equal the old one
  await page.evaluate(`document.querySelector("input[name=text]").select()`);
  await page.send("Input.insertText", { text });
  await page.until(`${isDone} && document.getElementById("status").textContent !== ""`);
};

test("what is typed has the program's numbers, and what cannot be answered is one line", { skip }, async () => {
  await ask("words", "queen");
  assert.deepEqual(await page.evaluate(drawnHere), drawnByTheProgram("neighbors", "--top-k", "8", "queen"));
  await ask("words", "unbelievablething");
  assert.match(await page.evaluate(`document.querySelector("#status.problem").textContent`), /expected a word of the/);
  await ask("tokens", "still here");
  assert.ok((await page.evaluate(drawnHere)).includes("still"));
});

test("what was typed stays for the next question and for a reload", { skip }, async () => {
  const text = `document.querySelector("input[name=text]").value`;
  await ask("words", "cat dog");
  await ask("tokens", "a small cat");
  for (const [question, expected] of [["parts", "a small cat"], ["moved", "The dog bit the man"], ["words", "cat dog"]]) {
    await page.evaluate(`document.querySelector('button[value="${question}"]').click()`);
    await page.until(isDone);
    assert.equal(await page.evaluate(text), expected);
  }
  await page.open(`${server.origin}/live/?again#order`);
  await page.until(isDone);
  assert.equal(await page.evaluate(text), "a small cat");
});

test("on a phone an answer begins in the upper half after a tap, and a long text is told why", { skip }, async () => {
  await page.send("Emulation.setDeviceMetricsOverride", { width: 400, height: 700, deviceScaleFactor: 1, mobile: true });
  await page.evaluate(`scrollTo(0, 0), document.querySelector('button[value="attention"]').click()`);
  await page.until(`${isDone} && document.getElementById("status").getBoundingClientRect().top < 350`);
  await ask("attention", "cat ".repeat(70));
  assert.match(await page.evaluate(`document.querySelector("#status.problem").textContent`), /at most 64: more letters/);
  await ask("attention", "a small cat");
  await show(1280, "light");
});

test("the keys reach every control, and each has a name", { skip }, async () => {
  await ask("attention", "A small cat");
  const controls = `[...document.querySelectorAll("input, button, summary, a[href]")].filter((one) =>
    one.checkVisibility() && one.getClientRects().length > 0)`;
  const count = await page.evaluate(`globalThis.controls = ${controls}, globalThis.controls.length`);
  await page.evaluate("document.activeElement.blur(), globalThis.reached = new Set()");
  for (let i = 0; i < 2 * count; ++i) {
    await page.press("Tab");
    await page.evaluate("globalThis.reached.add(document.activeElement), null");
  }
  const missed = "globalThis.controls.filter((one) => !globalThis.reached.has(one)).map((one) => one.outerHTML)";
  assert.deepEqual(await page.evaluate(missed), []);
  await page.evaluate(`document.querySelector('button[value="order"]').focus()`);
  await page.press("Enter", "\r");
  await page.until(`location.hash === "#order" && ${isDone}`);

  await page.send("Accessibility.enable");
  const { nodes } = await page.send("Accessibility.getFullAXTree");
  const named = nodes.filter(({ ignored, role }) => !ignored && NAMED.includes(role?.value));
  assert.ok(named.length > count, `${named.length} nodes`);
  for (const { role, name, nodeId } of named) assert.ok(name?.value, `${role.value} ${nodeId} has no name`);
  const kinds = new Set(named.map(({ role }) => role.value));
  for (const kind of ["textbox", "button", "navigation"]) assert.ok(kinds.has(kind), kind);
});

test("after the first visit the page opens without its server", { skip }, async () => {
  await page.until("navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')");
  await server.close();
  const visited = await browser.page();
  await visited.open(`${server.origin}/live/#words`);
  await visited.until(isDone);
  assert.equal(await visited.evaluate(`document.getElementById("status").className`), "");
  assert.ok((await visited.evaluate(drawnHere)).includes("kings"));
});
