// Files a person drops or chooses. They go to the command's memory and nowhere else; a .gltf and the files beside it are packed
// into one here, so that no name of a file ever crosses the wire.
import type { Link } from './link';
import type { Studio } from './studio';

export async function openFiles(studio: Studio, link: Link, files: File[]): Promise<void> {
  const main = files.find(f => /\.(glb|vrm|gltf)$/i.test(f.name));
  if (!main) {
    studio.complain(`${files[0]?.name ?? 'That'} is no character this page reads: .glb, .vrm, or .gltf with its files. Others: pelt studio FILE.`);
    return;
  }
  try {
    const bytes = /\.gltf$/i.test(main.name) ? await packGltf(main, files) : await main.arrayBuffer();
    await upload(studio, link, bytes, main.name);
  } catch (fault) {
    studio.complain(fault instanceof Error ? fault.message : String(fault));
  }
}

export async function upload(studio: Studio, link: Link, bytes: ArrayBuffer, label: string): Promise<boolean> {
  const answer = await fetch('/upload', { method: 'POST', body: bytes, headers: { 'X-Label': encodeURIComponent(label.slice(0, 48)) } });
  if (!answer.ok) {
    studio.complain(`${label}: ${await answer.text()}`);
    return false;
  }
  studio.complain('');
  await link.start();
  return true;
}

interface Buffered { buffer?: number; byteOffset?: number; byteLength: number }

/** A .glb of a .gltf and its files: buffers one after the other, images as views of them. */
async function packGltf(main: File, files: File[]): Promise<ArrayBuffer> {
  const json = JSON.parse(await main.text()), parts: Uint8Array[] = [];
  let size = 0;
  const add = (bytes: Uint8Array): number => {
    const at = size, pad = -bytes.length & 3;
    parts.push(bytes, new Uint8Array(pad));
    size += bytes.length + pad;
    return at;
  };
  const find = async (uri: string): Promise<Uint8Array> => {
    if (uri.startsWith('data:')) return Uint8Array.from(atob(uri.slice(uri.indexOf(',') + 1)), c => c.charCodeAt(0));
    const name = decodeURIComponent(uri).split('/').pop()!, file = files.find(f => f.name === name);
    if (!file) throw new Error(`${main.name} names ${name}: drop it together with its files`);
    return new Uint8Array(await file.arrayBuffer());
  };
  const starts: number[] = [];
  for (const buffer of json.buffers ?? [])
    starts.push(add(await find(buffer.uri ?? 'data:,')));
  for (const view of (json.bufferViews ?? []) as Buffered[]) {
    view.byteOffset = (view.byteOffset ?? 0) + starts[view.buffer ?? 0];
    view.buffer = 0;
  }
  for (const image of json.images ?? [])
    if (image.uri) {
      const bytes = await find(image.uri).catch(() => null); // a character without a texture is still one
      if (!bytes) continue;
      json.bufferViews = [...json.bufferViews ?? [], { buffer: 0, byteOffset: add(bytes), byteLength: bytes.length }];
      image.bufferView = json.bufferViews.length - 1;
      image.mimeType ??= /\.png$/i.test(image.uri) ? 'image/png' : 'image/jpeg';
      delete image.uri;
    }
  json.buffers = [{ byteLength: size }];
  return joinGlb(json, parts, size);
}

export function joinGlb(json: unknown, parts: Uint8Array[], size: number): ArrayBuffer {
  let text = new TextEncoder().encode(JSON.stringify(json));
  const pad = -text.length & 3;
  const spaced = new Uint8Array(text.length + pad).fill(32);
  spaced.set(text);
  text = spaced;
  const out = new ArrayBuffer(28 + text.length + size), view = new DataView(out), bytes = new Uint8Array(out);
  [0x46546c67, 2, out.byteLength, text.length, 0x4e4f534a].forEach((word, i) => view.setUint32(i * 4, word, true));
  bytes.set(text, 20);
  view.setUint32(20 + text.length, size, true);
  view.setUint32(24 + text.length, 0x004e4942, true);
  let at = 28 + text.length;
  for (const part of parts) { bytes.set(part, at); at += part.length; }
  return out;
}

/** Hands a file to the person: by a link of the page's own, nothing leaves the machine. */
export function saveAs(blob: Blob, name: string): void {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}
