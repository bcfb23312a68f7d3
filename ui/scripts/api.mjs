// Makes the types of the API's answers from the description of the service: npm run api
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const source = 'src/api/openapi.json';
const target = 'src/api/schema.d.ts';

execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund', '--prefix', 'scripts/openapi'], { stdio: 'inherit' });
execFileSync('scripts/openapi/node_modules/.bin/openapi-typescript', [source, '--output', target, '--silent'], { stdio: 'inherit' });
// By this line a test checks whether the types are those of the description.
const of = createHash('sha256').update(readFileSync(source)).digest('hex');
writeFileSync(target, `// of ${of}\n${readFileSync(target, 'utf8')}`);
