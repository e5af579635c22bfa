// Bundles the extension into dist/extension.js with the licences of what is
// bundled beside it, or with --tests each test into dist/test.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  logLevel: 'warning',
};

async function extension() {
  const { metafile } = await build({
    ...common, entryPoints: ['src/extension.ts'], outdir: 'dist', minify: true, metafile: true,
  });
  writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices(Object.keys(metafile.inputs)));
}

async function tests() {
  rmSync('dist/test', { recursive: true, force: true }); // or a deleted test would go on running
  const entryPoints = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: 'dist/test', sourcemap: 'inline' });
}

/** The licence of every package that one of the input files is from. */
function notices(inputs) {
  const folders = inputs.flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) {
      throw new Error(`${folder} is bundled and has no licence file`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  }).join(`\n${'-'.repeat(70)}\n\n`);
}

await (process.argv.includes('--tests') ? tests() : extension());
