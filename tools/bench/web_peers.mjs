// Compares bert-infer's package for web pages with onnxruntime-web, in one page of a headless Chromium and in turns:
//   npm install onnxruntime-web
//   node tools/bench/web_peers.mjs PACKAGE ORT MODELS DIRECTORY [THREADS]
// PACKAGE is the built package (build-wasm/web), and ORT is the folder node_modules/onnxruntime-web/dist. MODELS has
// model.onnx and model_quantized.onnx (8-bit weights) of the model whose own files are in DIRECTORY. Prints the least
// and the median time of each engine, and their ratios.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, serve } from "../../tests/support/chromium.mjs";

const [built, peer, models, directory, threads = "1"] = process.argv.slice(2);
if (directory === undefined) {
  console.error("usage: node web_peers.mjs PACKAGE ORT MODELS DIRECTORY [THREADS]");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const roots = { package: built, peer, models, directory, bench: here };
// A page needs these headers for shared memory, which threads need.
const headers = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const server = await serve(roots, { headers });
const profile = mkdtempSync(join(tmpdir(), "bert-infer-peers-"));
const browser = await Browser.start(process.env.BERT_CHROMIUM ?? "chromium", profile);
try {
  const page = await browser.page();
  await page.open(`${server.origin}/bench/web_peers.html`);
  await page.until("globalThis.compare");
  for (const precision of ["float32", "int8"]) {
    const found = await page.evaluate(`compare(${JSON.stringify(precision)}, ${Number(threads)})`);
    console.log(`${precision}, ${threads} thread(s), largest difference ${found.difference}`);
    for (const notice of found.notices) console.log(`  ${notice}`);
    for (const { what, theirs, ours } of found.rows) {
      for (const [i, time] of ["least", "median"].entries()) {
        const ratio = (theirs[i] / ours[i]).toFixed(2);
        const times = `onnxruntime-web ${theirs[i].toFixed(1)} ms, bert-infer ${ours[i].toFixed(1)} ms`;
        console.log(`  ${what}, ${time}: ${times}, ratio ${ratio}`);
      }
    }
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
