// Copies the licenses of the packages that are part of the pages from node_modules to
// tools/release/npm-licenses, where releases read them without npm: node scripts/licenses.mjs
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const out = '../tools/release/npm-licenses';
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [folder, { version, dev }] of Object.entries(packages)) {
  if (folder === '' || dev) continue;
  const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (installed.version !== version) throw new Error(`${folder} has version ${installed.version} instead of ${version}; run npm ci`);
  const files = readdirSync(folder).filter((name) => /^(licen[sc]e|copying|notice)/i.test(name)).sort();
  if (files.length === 0) throw new Error(`${folder} has no license file`);
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  writeFileSync(join(out, `${installed.name.replace('/', '+')}@${version}.txt`), text);
}
