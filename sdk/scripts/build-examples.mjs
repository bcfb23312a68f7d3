// Builds the applications in examples/embed with the packages as they would be published:
// node scripts/build-examples.mjs [names]. Run npm run build first.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const named = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'intray-examples-'));

function run(cwd, command, ...args) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } });
}

/** Packs a package and returns the path of the archive. */
function pack(name) {
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: name, encoding: 'utf8' }));
  return join(folder, filename);
}

try {
  const packages = Object.fromEntries(['importer', 'react', 'vue'].map((name) => [`@intray/${name}`, `file:${pack(name)}`]));
  for (const name of named.length > 0 ? named : ['react', 'vue', 'next']) {
    console.log(`\nbuilding examples/embed/${name}`);
    const copy = join(folder, name);
    const skipped = new Set(['node_modules', 'dist', '.next', 'package-lock.json']);
    cpSync(resolve('../examples/embed', name), copy, { recursive: true, filter: (path) => !skipped.has(path.split('/').at(-1)) });
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    for (const dependency of Object.keys(packages)) {
      if (manifest.dependencies[dependency]) manifest.dependencies[dependency] = packages[dependency];
    }
    writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
    run(copy, 'npm', 'install', '--no-audit', '--no-fund', '--silent');
    run(copy, 'npm', 'run', '--silent', 'build');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
