// SPDX-License-Identifier: Apache-2.0

// The worker, with an end: what takes longer than two seconds, or crashes, is ended, and a new worker is started.

const LIMIT = 2000;

/** Also from servers that don't know the media type of WebAssembly. */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} can't be loaded: ${response.status}`);
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  #compiled;
  #worker;
  #ready;
  #calls = new Map();
  #next = 1;
  #last = Promise.resolve();

  /** `onRestart` is called when a worker was ended: it knows nothing of what it was told. */
  constructor(onRestart) {
    this.onRestart = onRestart;
    this.#compiled = compile(new URL("playground.wasm", import.meta.url));
    this.#start();
  }

  #start() {
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data: { id, result, error } }) => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error === undefined) call?.resolve(result);
      else call?.reject(new Error(error));
    };
    this.#worker.onerror = (event) => this.#fail(event.message ?? "the worker can't be loaded");
    this.#ready = this.#compiled.then((compiled) => this.#post("load", compiled));
    this.#ready.catch(() => {}); // each call reports it
  }

  #fail(why) {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.reject(new Error(why));
  }

  #end(why) {
    this.#worker.terminate();
    this.#fail(why);
    this.#start();
    this.onRestart();
  }

  #post(method, params) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, params });
    });
  }

  /** One at a time, in the order of the calls. */
  call(method, params) {
    const result = this.#last.then(async () => {
      await this.#ready;
      const timer = setTimeout(() => this.#end("it took longer than two seconds and was ended"), LIMIT);
      try {
        return await this.#post(method, params);
      } catch (error) {
        // After a trap, the module's memory is in no state to go on with.
        if (/RuntimeError|RangeError|CompileError/.test(String(error))) this.#end(String(error));
        throw error;
      } finally {
        clearTimeout(timer);
      }
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
