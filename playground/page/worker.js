// SPDX-License-Identifier: Apache-2.0

// Runs the module away from the page, which ends this worker if it takes too long (engine.js).

import load from "playground.mjs";
import { Trainjobc } from "./module.js";

const FOLDER = "/playground/";
let trainjobc;

const methods = {
  async load(compiled) {
    trainjobc = new Trainjobc(await load({
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(compiled, imports).then((instance) => receive(instance, compiled));
        return {};
      },
    }));
  },
  // What the commands print for the files: {render: {status, out, err}, …}.
  run({ files, commands }) {
    trainjobc.clear();
    for (const [name, text] of Object.entries(files)) {
      trainjobc.write(name, text);
      trainjobc.write(FOLDER + name, text); // the language server reads the configuration there
    }
    return Object.fromEntries(Object.entries(commands).map(([name, args]) => [name, trainjobc.run(args)]));
  },
  start({ files, version }) {
    trainjobc.clear();
    for (const [name, text] of Object.entries(files)) trainjobc.write(FOLDER + name, text);
    trainjobc.start(version);
    return [];
  },
  tell: (messages) => messages.flatMap((message) => trainjobc.receive(message)),
  rest: () => trainjobc.rest(),
};

self.onmessage = async ({ data: { id, method, params } }) => {
  try {
    self.postMessage({ id, result: await methods[method](params) });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};
