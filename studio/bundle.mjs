// Bundles src/boot.ts (what runs first) and src/main.ts with what each needs into a file and compresses the page's files. Usage: node bundle.mjs OUT (where
// messages.ts lies already); NODE_PATH names the modules.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), out = process.argv[2];
const { build } = createRequire(join(here, 'package.json'))('esbuild');
const bundled = async (entry, banner) => (await build({
  entryPoints: [join(here, 'src', entry)],
  alias: { 'messages': join(out, 'messages.ts') },
  bundle: true, minify: true, format: 'esm', target: 'es2022', legalComments: 'none', write: false, logLevel: 'warning',
  banner: { js: banner },
})).outputFiles[0].contents;
const files = { 'boot.js': await bundled('boot.ts', '/* pelt studio (MIT) */'), 'studio.js': await bundled('main.ts', '/* pelt studio (MIT); with three.js (MIT), https://threejs.org */') };
for (const name of ['index.html', 'studio.css', 'icon.svg'])
  files[name] = readFileSync(join(here, 'src', name));
for (const [name, bytes] of Object.entries(files))
  writeFileSync(join(out, name + '.gz'), gzipSync(bytes, { level: 9 }));
