// Messages to bytes and back, by the table made from src/studio/messages.def.
import { table, type Message } from 'messages';

export type Say = { [K in Message['is']]: Omit<Extract<Message, { is: K }>, 'is'> & { is: K } }[Message['is']];

const byName = new Map(table.map(m => [m.name, m]));
const byKind = new Map(table.map(m => [m.kind, m]));
const texts = { encoder: new TextEncoder(), decoder: new TextDecoder() };
const padded = (bytes: number) => (bytes + 3) & ~3;

type Item = Uint8Array | Float32Array | Int32Array | Uint16Array;

function bytesOf(value: unknown): Item {
  return typeof value === 'string' ? texts.encoder.encode(value) : value as Item;
}

export function encode(messages: Say[]): ArrayBuffer {
  const parts: (number | Item)[] = []; // a number is 4 bytes, already as bits
  let size = 0;
  const word = (bits: number) => { parts.push(bits); size += 4; };
  const bits = new DataView(new ArrayBuffer(4));
  for (const message of messages) {
    const known = byName.get(message.is)!;
    word(known.kind);
    const head = parts.push(0) - 1, start = (size += 4);
    for (const field of known.fields) {
      const value = (message as unknown as Record<string, unknown>)[field.name];
      if (field.type === 'U32') word(value as number);
      else if (field.type === 'I32') word((value as number) >>> 0);
      else if (field.type === 'F32') { bits.setFloat32(0, value as number); word(bits.getUint32(0)); }
      else {
        const list = bytesOf(value);
        word(list.length);
        parts.push(list);
        size += padded(list.byteLength);
      }
    }
    parts[head] = size - start;
  }
  const out = new ArrayBuffer(size), view = new DataView(out);
  let at = 0;
  for (const part of parts)
    if (typeof part === 'number') { view.setUint32(at, part, true); at += 4; }
    else { new Uint8Array(out, at).set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength)); at += padded(part.byteLength); }
  return out;
}

/** Lists are views of the buffer: they live as long as it does, and cost nothing. */
export function decode(buffer: ArrayBuffer): Message[] {
  const view = new DataView(buffer), out: Message[] = [];
  for (let at = 0; at < buffer.byteLength;) {
    const known = byKind.get(view.getUint32(at, true)), end = at + 8 + view.getUint32(at + 4, true);
    if (!known || end > buffer.byteLength)
      throw new Error('the command said something that is no message');
    const message: Record<string, unknown> = { is: known.name };
    at += 8;
    for (const field of known.fields) {
      const number = view.getUint32(at, true);
      if (field.type === 'U32') message[field.name] = number;
      else if (field.type === 'I32') message[field.name] = view.getInt32(at, true);
      else if (field.type === 'F32') message[field.name] = view.getFloat32(at, true);
      else {
        const first = at + 4;
        if (field.type === 'TEXT') message[field.name] = texts.decoder.decode(new Uint8Array(buffer, first, number));
        else if (field.type === 'SHORTS') message[field.name] = new Uint16Array(buffer, first, number);
        else if (field.type === 'FLOATS') message[field.name] = new Float32Array(buffer, first, number);
        else message[field.name] = new Int32Array(buffer, first, number);
        at = first + padded(number * (field.type === 'TEXT' ? 1 : field.type === 'SHORTS' ? 2 : 4)) - 4;
      }
      at += 4;
    }
    at = end;
    out.push(message as unknown as Message);
  }
  return out;
}

/** Lines of a text; none of an empty one. */
export const lines = (text: string): string[] => text ? text.split('\n') : [];
