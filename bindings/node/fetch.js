// Fetches a model from the Hugging Face hub into its local cache, as the program's command does. Only index.cjs uses
// this.
import { checkOptions, checkText, refuse, typeOf } from "./arguments.js";
import { DirectoryReader, readDirectory } from "./directory.js";

const fs = require("node:fs/promises");
const os = require("node:os");
const { createHash } = require("node:crypto");

const hubError = (code, message) => Object.assign(new Error(message), { code });
const HUB = "https://huggingface.co";

/** Returns the folder of the hub's cache, found as the library finds it. */
function cacheFolder() {
  const { HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME, XDG_CACHE_HOME } = process.env;
  const home = HF_HOME || path.join(XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "huggingface");
  return HF_HUB_CACHE || HUGGINGFACE_HUB_CACHE || path.join(home, "hub");
}

/** Returns the hub's answer, after redirects; the token is sent only to the hub. */
async function asked(address) {
  const token = process.env.HF_TOKEN;
  const isSafe = /^https:|^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(address);
  if (token && !isSafe) throw hubError("BERT_IO", `the token of HF_TOKEN is not sent to '${address}', expected https`);
  let answer;
  try {
    answer = await fetch(address, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  } catch (error) {
    throw hubError("BERT_IO", `${address}: cannot be fetched: ${error.cause?.message ?? error.message}`);
  }
  if (answer.ok) return answer;
  const code = [401, 403, 404].includes(answer.status) ? "BERT_NOT_FOUND" : "BERT_IO";
  throw hubError(code, `${address}: the hub answered ${answer.status}, expected 200`);
}

/** Returns the files of a commit by their paths: {size, oid, lfs}. */
async function filesOf(address) {
  const files = new Map();
  for (let next = address; next; ) {
    const answer = await asked(next);
    for (const entry of await answer.json()) if (entry.type === "file") files.set(entry.path, entry);
    next = answer.headers.get("link")?.match(/<([^>]*)>; rel="next"/)?.[1];
    if (next && new URL(next).origin !== new URL(address).origin) throw hubError("BERT_IO", `${next}: another host's list`);
  }
  return files;
}

/** Downloads files into a folder. A file gets its name when it is complete and has the digest of the hub's list. */
class HubReader extends DirectoryReader {
  constructor(files, address, folder, onProgress) {
    super();
    Object.assign(this, { files, address, folder, onProgress });
  }

  async load(name) {
    const entry = this.files.get(name);
    if (entry === undefined) return false;
    const target = path.join(this.folder, name);
    const there = await fs.stat(target).catch(() => null);
    if (there?.size !== entry.size) await this.#fetch(name, target, entry);
    if (!name.endsWith(".safetensors")) this.small.set(name, await fs.readFile(target));
    return true;
  }

  async #fetch(name, target, { size, oid, lfs }) {
    const digest = lfs ? createHash("sha256") : createHash("sha1").update(`blob ${size}\0`);  // git's digest
    const partial = `${target}.${process.pid}.incomplete`;
    await fs.mkdir(path.dirname(target), { recursive: true });
    const file = await fs.open(partial, "w");
    try {
      const address = `${this.address}${name.split("/").map(encodeURIComponent).join("/")}`;
      let loaded = 0;
      for await (const piece of (await asked(address)).body) {
        if ((loaded += piece.length) > size) break;
        digest.update(piece);
        await file.writeFile(piece);
        this.onProgress?.({ file: name, loaded, total: size });
      }
      if (loaded !== size || digest.digest("hex") !== (lfs?.oid ?? oid)) {
        throw hubError("BERT_IO", `${address}: its bytes are not those of the hub's list`);
      }
      await fs.rename(partial, target);
    } finally {
      await file.close();
      await fs.rm(partial, { force: true });
    }
  }
}

/** Fetches the files of a model and returns their directory, in which Model.load(name) finds the model. */
export async function fetchModel(name, options) {
  const { revision = "main", onProgress } = checkOptions(options, ["revision", "onProgress"]);
  const isName = typeof name === "string" && /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(name);
  if (!isName) refuse("name", JSON.stringify(name) ?? typeOf(name), "a model's name on the hub: ORGANISATION/NAME");
  if (!/^[\w.-]+$/.test(checkText("revision", revision)) || /^\.+$/.test(revision)) {
    refuse("revision", JSON.stringify(revision), "a branch, a tag or a commit");
  }
  if (/^(1|true|yes|on)$/i.test(process.env.HF_HUB_OFFLINE ?? "")) {
    throw hubError("BERT_IO", `HF_HUB_OFFLINE is set: nothing is fetched; unset it to fetch '${name}'`);
  }
  const hub = (process.env.HF_ENDPOINT || HUB).replace(/\/+$/, "");
  const { sha } = await (await asked(`${hub}/api/models/${name}/revision/${revision}`)).json();
  if (!/^[0-9a-f]{40}$/.test(sha)) throw hubError("BERT_IO", `${hub}: '${name}' has no commit ${JSON.stringify(sha)}`);
  const files = await filesOf(`${hub}/api/models/${name}/tree/${sha}?recursive=true`);
  const folder = path.join(cacheFolder(), `models--${name.replace("/", "--")}`);
  const snapshot = path.join(folder, "snapshots", sha);
  const reader = new HubReader(files, `${hub}/${name}/resolve/${sha}/`, snapshot, onProgress);
  await readDirectory(reader);
  if (!files.has("config.json")) await reader.read("adapter_model.safetensors");
  if (![...files.keys()].some((file) => file.endsWith(".safetensors"))) {
    throw hubError("BERT_UNSUPPORTED", `'${name}' has no safetensors: convert it with tools/convert_weights.py`);
  }
  await fs.mkdir(path.join(folder, "refs"), { recursive: true });
  if (revision !== sha) await fs.writeFile(path.join(folder, "refs", revision), sha);
  return snapshot;
}
