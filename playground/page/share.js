// SPDX-License-Identifier: Apache-2.0

// The input as the fragment of a link, which browsers send to no server: JSON, deflated, in base64url.

const LARGEST_INPUT = 4 << 20; // a short link can hold a long text

/** The bytes after the stream; an error if they are more than `largest`. */
async function through(stream, bytes, largest = Infinity) {
  const parts = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > largest) {
      await reader.cancel();
      throw new RangeError("too long");
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function toFragment(input) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(input)));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#in=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** What the fragment holds: {files, version, tab}, {example}, {broken} or nothing. */
export async function fromFragment(fragment) {
  const [kind, value] = fragment.slice(1).split(/=(.*)/s);
  try {
    if (kind === "example") return { example: decodeURIComponent(value) };
    if (kind !== "in") return {};
    const binary = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (each) => each.charCodeAt(0));
    const bytes = await through(new DecompressionStream("deflate-raw"), packed, LARGEST_INPUT);
    const { files, version, tab } = JSON.parse(new TextDecoder().decode(bytes));
    const known = Object.entries(files).filter(([name, text]) => name && typeof text === "string");
    return known.length > 0 ? { files: Object.fromEntries(known), version: String(version), tab: String(tab) } : { broken: true };
  } catch {
    return { broken: true };
  }
}
