// Installs packages made by `npm pack` for tests, and compiles programs that use them.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const tools = join(process.env.BERT_NODE_TOOLS, "node_modules");

/** The reason to skip a test without these tools; false if they are installed. */
export const withoutTools = existsSync(tools) ? false
  : "SKIPPED, no vite, webpack, esbuild and TypeScript (tools/test.sh fetches them from npm)";

export const require = createRequire(join(tools, "tools.js"));

/** Packs the package in the folder `built` and installs it into node_modules of `folder`. */
export function install(built, folder) {
  const given = ["pack", "--silent", "--json", "--pack-destination", folder, built];
  const [{ filename, name, files }] = JSON.parse(execFileSync("npm", given, { encoding: "utf8" }));
  const installed = join(folder, "node_modules", name);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, filename), "--strip-components=1", "-C", installed]);
  rmSync(join(folder, filename));
  return { installed, files: files.map(({ path }) => path) };
}

/** Compiles TypeScript. Throws an error with the compiler's output. */
export function compile(folder, ...given) {
  const compiler = join(tools, ".bin/tsc");
  try {
    execFileSync(compiler, ["--strict", "--target", "es2022", ...given], { cwd: folder, encoding: "utf8" });
  } catch ({ message, stdout }) {
    throw new Error(stdout || message);
  }
}
