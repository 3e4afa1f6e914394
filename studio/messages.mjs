// Makes the TypeScript side of src/studio/messages.def: a table of fields, which wire.ts walks, and a type for each message.
// Usage: node messages.mjs messages.def >messages.ts
import { readFileSync } from 'node:fs';

const types = { U32: 'number', I32: 'number', F32: 'number', TEXT: 'string', FLOATS: 'Float32Array', INTS: 'Int32Array', SHORTS: 'Uint16Array' };
const messages = [];
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  const begin = line.match(/^MESSAGE\((\w+), (\d+)\)$/);
  const field = line.match(/^FIELD\((\w+), (\w+), (\w+), (\S+), (\S+)\)$/);
  if (begin)
    messages.push({ name: begin[1], kind: Number(begin[2]), fields: [] });
  else if (field) {
    const message = messages.at(-1);
    if (field[1] !== message?.name || !types[field[2]])
      throw new Error(`messages.def: ${line}`);
    message.fields.push({ name: field[3], type: field[2], least: Number(field[4]), most: Number(field[5]) });
  } else if (line && !/^(\/\/|END\()/.test(line))
    throw new Error(`messages.def: ${line}`);
}
const out = ['// Made from src/studio/messages.def by studio/messages.mjs.'];
for (const m of messages) {
  out.push(`export interface ${m.name} {`, `  is: '${m.name}';`);
  for (const f of m.fields)
    out.push(`  ${f.name}: ${types[f.type]};`);
  out.push('}');
}
out.push(`export type Message = ${messages.map(m => m.name).join(' | ')};`);
out.push("export interface Field { name: string; type: 'U32' | 'I32' | 'F32' | 'TEXT' | 'FLOATS' | 'INTS' | 'SHORTS'; least: number; most: number }");
out.push('export const table: { name: Message["is"]; kind: number; fields: Field[] }[] = ' + JSON.stringify(messages, null, 1) + ';');
console.log(out.join('\n'));
