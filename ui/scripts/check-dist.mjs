// Fails if the committed pages differ from a fresh build: node scripts/check-dist.mjs
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { outDir } from '../places.mjs';

const fresh = '.built/pages';
await build({ logLevel: 'warn', build: { outDir: fresh } });
const list = (folder) => (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
  .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
const same = (name) => existsSync(join(outDir, name)) && existsSync(join(fresh, name)) && readFileSync(join(outDir, name)).equals(readFileSync(join(fresh, name)));

const names = [...new Set([...list(outDir), ...list(fresh)])].sort();
const others = names.filter((name) => !same(name));
for (const name of others) console.log(`not what the sources make: ${name}`);
if (others.length > 0) console.log('run npm run build, and commit server/webui/dist with the sources');
process.exit(others.length > 0 ? 1 : 0);
