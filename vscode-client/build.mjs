// Bundles the extension into dist/extension.js with the licences of what is
// bundled beside it, or with --tests each test into dist/test, or with --report the
// page of the report into spell/report/page.html, where the Go side embeds it. With
// --report FILE it goes into that file.

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
  const entryPoints = ['test', 'report/test'].flatMap((folder) =>
    readdirSync(folder).filter((name) => name.endsWith('.test.ts')).map((name) => `${folder}/${name}`));
  await build({ ...common, entryPoints, outdir: 'dist/test', entryNames: '[name]', external: [...common.external, 'jsdom'], sourcemap: 'inline' });
}

async function report(file) {
  const { outputFiles, metafile } = await build({
    bundle: true, platform: 'browser', target: 'es2022', format: 'iife', logLevel: 'warning', charset: 'utf8', legalComments: 'none',
    entryPoints: ['report/main.ts'], outdir: 'dist', minify: true, metafile: true, write: false,
  });
  const built = (extension) => outputFiles.find(({ path: name }) => name.endsWith(extension)).text.trim();
  const licences = notices(Object.keys(metafile.inputs)).replaceAll('*/', '* /');
  const parts = { 'SPELL-STYLE': built('.css'), 'SPELL-SCRIPT': `/*\n${licences}*/\n${built('.js')}` };
  const page = readFileSync('report/page.html', 'utf8').replace(/SPELL-STYLE|SPELL-SCRIPT/g, (place) => parts[place]);
  writeFileSync(file, page);
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

const [mode, file = '../spell/report/page.html'] = process.argv.slice(2);
await (mode === '--tests' ? tests() : mode === '--report' ? report(file) : extension());
