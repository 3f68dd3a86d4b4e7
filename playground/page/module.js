// SPDX-License-Identifier: Apache-2.0

// The WebAssembly module (wasm/playground.cpp) as a class: files, the command line, and the language server.

export class Trainjobc {
  /** @param module as emscripten's loader makes it. */
  constructor(module) {
    this.module = module;
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder();
  }

  // Calls `use` with the address and the size of the bytes, which a NUL follows.
  #with(bytes, use) {
    const at = this.module._malloc(bytes.length + 1);
    this.module.HEAPU8.set(bytes, at);
    this.module.HEAPU8[at + bytes.length] = 0;
    try {
      return use(at, bytes.length);
    } finally {
      this.module._free(at);
    }
  }

  #bytes(value) {
    return typeof value === "string" ? this.encoder.encode(value) : value;
  }

  #text(which) {
    const at = this.module._playground_text(which);
    return this.decoder.decode(this.module.HEAPU8.slice(at, at + this.module._playground_size(which)));
  }

  clear() {
    this.module._playground_clear();
  }

  /** The text is a string, or bytes. */
  write(path, text) {
    this.#with(this.#bytes(path), (name) =>
      this.#with(this.#bytes(text), (at, size) => this.module._playground_write(name, at, size)));
  }

  /** What the command line prints: {status, out, err}. */
  run(args) {
    const joined = args.map((each) => `${each}\0`).join("");
    const status = this.#with(this.#bytes(joined), (at, size) => this.module._playground_run(at, size));
    return { status, out: this.#text(0), err: this.#text(1) };
  }

  #messages() {
    return this.#text(0).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  /** Begins a session of the language server. */
  start(version) {
    this.#with(this.#bytes(version), (at) => this.module._playground_start(at));
  }

  /** Sends a message to the language server; returns what it sends. */
  receive(message) {
    this.#with(this.#bytes(JSON.stringify(message)), (at, size) => this.module._playground_receive(at, size));
    return this.#messages();
  }

  /** What the language server publishes when the keyboard rests. */
  rest() {
    this.module._playground_rest();
    return this.#messages();
  }
}
