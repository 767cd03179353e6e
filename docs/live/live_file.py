#!/usr/bin/env python3
"""Makes one file of the live page, which opens from a disk.

live_file.py FOLDER PAGE OUT: FOLDER is the built page for hosts, PAGE docs/live/page.html. Modules and model are
compressed and written as base64; the scripts become one classic script, as browsers load no modules from a disk.
"""
import base64
import gzip
import json
import re
import sys
from pathlib import Path

LOADING = """
const DATA = (name) => document.getElementById("data-" + name).textContent;
async function unpacked(name) {
  const packed = Uint8Array.from(atob(DATA(name)), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function compiledModule() {
  return WebAssembly.compile(await unpacked(hasRelaxedSimd() ? "bert_live_relaxed.wasm" : "bert_live.wasm"));
}
async function builtinFiles() {
  return Promise.all(BUILTIN_FILES.map(async (name) => [name, await unpacked(name)]));
}
function startWorker() {
  try {
    return new Worker(URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" })));
  } catch {
    return null;
  }
}
function keepOffline() {}
"""


def plain(script: str) -> str:
    """The script without import and export."""
    script = re.sub(r'^import \{[^}]*\} from "[^"]*";\n', "", script, flags=re.MULTILINE)
    return re.sub(r"^export ", "", script, flags=re.MULTILINE)


def main() -> None:
    folder, page, out = map(Path, sys.argv[1:])
    scripts = {name: plain((folder / name).read_text()) for name in ("engine.js", "model.js", "worker.js", "page.js")}
    builtin = sorted(path for path in (folder / "builtin").rglob("*") if path.is_file())
    data = [(path.relative_to(folder / "builtin").as_posix(), path) for path in builtin]
    worker = scripts["engine.js"] + scripts["model.js"] + scripts["worker.js"]
    script = "(async () => {\n" + scripts["engine.js"] + scripts["model.js"]
    script += "const BUILTIN_FILES = " + json.dumps([name for name, _ in data]) + ";\n"
    script += "const WORKER = " + json.dumps(worker) + ";\n" + LOADING + scripts["page.js"] + "})();\n"
    data += [(name, folder / name) for name in ("bert_live.wasm", "bert_live_relaxed.wasm")]
    parts = []
    for name, path in data:
        packed = base64.b64encode(gzip.compress(path.read_bytes(), 9, mtime=0)).decode()
        parts.append(f'<script type="text/plain" id="data-{name}">{packed}</script>\n')
    parts.append("<script>\n" + script.replace("</script", "<\\/script") + "</script>")
    out.write_text(page.read_text().replace("<!--script-->", "".join(parts)))
    print(f"{out.name}: {out.stat().st_size} bytes")


main()
