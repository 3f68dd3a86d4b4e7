// SPDX-License-Identifier: Apache-2.0

// The input as the fragment of a link, which browsers send to no server: JSON, deflated, in base64url.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function toFragment(input) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(input)));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#in=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** What the fragment holds: {files, version}, {example}, or nothing. */
export async function fromFragment(fragment) {
  const [kind, value] = fragment.slice(1).split(/=(.*)/s);
  if (kind === "example") return { example: decodeURIComponent(value) };
  if (kind !== "in") return {};
  try {
    const binary = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (c) => c.charCodeAt(0)));
    const { files, version } = JSON.parse(new TextDecoder().decode(bytes));
    const known = Object.entries(files).filter(([, text]) => typeof text === "string");
    return known.length > 0 ? { files: Object.fromEntries(known), version: String(version) } : {};
  } catch {
    return { broken: true };
  }
}
