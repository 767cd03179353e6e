// Controls a headless Chromium: sends commands of its DevTools protocol over two pipes. Also serves files for its
// pages.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const script = "text/javascript";
const TYPES = { js: script, mjs: script, html: "text/html", wasm: "application/wasm", json: "application/json" };

/**
 * Serves /NAME/… from the folder roots[NAME]. more(request, answer) is called first; if it answers the request itself,
 * it returns true.
 */
export async function serve(roots, { headers = {}, more = () => false } = {}) {
  const requests = [];
  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(pathname);
    if (more(request, answer)) return;
    const [, root, name] = pathname.replace(/\/$/, "/index.html").match(/^\/(\w+)\/(.+)$/) ?? [];
    let bytes;
    try {
      bytes = readFileSync(join(roots[root], decodeURIComponent(name)));
    } catch {
      return answer.writeHead(404, headers).end();
    }
    const type = TYPES[name.split(".").pop()] ?? "application/octet-stream";
    answer.writeHead(200, { "content-type": type, "content-length": bytes.length, ...headers }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, requests, close };
}

/** One page of the browser. */
class Page {
  #browser;
  #session;

  constructor(browser, session) {
    this.#browser = browser;
    this.#session = session;
  }

  send(method, params = {}) {
    return this.#browser.send(method, params, this.#session);
  }

  async open(address) {
    const { errorText } = await this.send("Page.navigate", { url: address });
    if (errorText) throw new Error(`${address}: ${errorText}`);
    await this.until('document.readyState === "complete"');
  }

  /** Returns the value of an expression. If the value is a promise, waits for it. */
  async evaluate(expression) {
    const { result, exceptionDetails: problem } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (problem) throw new Error(problem.exception?.description ?? problem.text);
    return result.value;
  }

  /** Waits until the expression is true. */
  async until(expression, seconds = 30) {
    for (const end = Date.now() + 1000 * seconds; !(await this.evaluate(`Boolean(${expression})`)); ) {
      if (Date.now() > end) throw new Error(`after ${seconds} s not true: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async press(key, text) {
    const code = { Tab: 9, Enter: 13 }[key];
    const event = { key, code: key, windowsVirtualKeyCode: code, text };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }
}

export class Browser {
  #process;
  #numbers = 0;
  #answers = new Map();
  #events = [];

  /** Starts Chromium. program: its path. profile: the folder of its profile. */
  static async start(program, profile, options = []) {
    const browser = new Browser();
    browser.#process = spawn(program, [
      "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
      `--user-data-dir=${profile}`, ...options, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.#read();
    return browser;
  }

  #read() {
    const input = this.#process.stdio[4];
    let parts = [];
    input.on("data", (piece) => {
      for (let end; (end = piece.indexOf(0)) >= 0; piece = piece.subarray(end + 1)) {
        this.#take(JSON.parse(Buffer.concat([...parts, piece.subarray(0, end)]).toString()));
        parts = [];
      }
      parts.push(piece);
    });
    const fail = (problem) => {
      for (const { reject } of [...this.#answers.values(), ...this.#events]) reject(new Error(problem));
    };
    this.#process.stdio[3].on("error", () => {});
    this.#process.on("error", (error) => fail(error.message));
    this.#process.on("exit", (code) => fail(`Chromium ended: ${code}`));
  }

  #take({ id, result, error, method, params, sessionId }) {
    if (id === undefined) {
      const isTaken = (one) => one.method === method && one.session === sessionId;
      for (const one of this.#events.filter(isTaken)) one.resolve(params);
      this.#events = this.#events.filter((one) => !isTaken(one));
      return;
    }
    const { resolve, reject } = this.#answers.get(id);
    this.#answers.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#numbers;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Waits for the next event of that name, and returns it. */
  event(method, session) {
    return new Promise((resolve, reject) => this.#events.push({ method, session, resolve, reject }));
  }

  /**
   * Opens a page. script: runs before the scripts of each document. isApart: the page shares no storage with others.
   */
  async page({ script = "", isApart = false } = {}) {
    const context = isApart ? await this.send("Target.createBrowserContext") : {};
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", ...context });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ["Page", "Runtime"]) await page.send(`${domain}.enable`);
    if (script) await page.send("Page.addScriptToEvaluateOnNewDocument", { source: script });
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.#process.on("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await ended;
  }
}
