// Generates the types of API responses from the OpenAPI document: npm run api
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const source = 'src/api/openapi.json';
const target = 'src/api/schema.d.ts';

execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund', '--prefix', 'scripts/openapi'], { stdio: 'inherit' });
execFileSync('scripts/openapi/node_modules/.bin/openapi-typescript', [source, '--output', target, '--silent'], { stdio: 'inherit' });
// A test compares this hash with the hash of the OpenAPI document.
const of = createHash('sha256').update(readFileSync(source)).digest('hex');
writeFileSync(target, `// of ${of}\n${readFileSync(target, 'utf8')}`);
