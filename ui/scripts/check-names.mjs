// Fails if a file name or an identifier contains a retired word: node scripts/check-names.mjs
// .ci/retired-words.txt lists the words. Property names of the API may contain them.
import { readFileSync } from 'node:fs';
import { namesIn, retiredIn, wireNames, wordsOf } from './identifiers.mjs';
import { allFiles, isCode } from './sources.mjs';

const words = wordsOf(readFileSync('../.ci/retired-words.txt', 'utf8'));
const allowed = wireNames(JSON.parse(readFileSync('src/api/openapi.json', 'utf8')));
const hasTexts = (file) => /^src\/i18n\/.+\.json$/.test(file);

const files = allFiles();
const found = files.flatMap((file) => {
  const inPath = retiredIn(file, words);
  const names = isCode(file) || file.endsWith('.css') || hasTexts(file) ? namesIn(file, readFileSync(file, 'utf8')) : [];
  const inNames = names.filter((name) => !allowed.has(name)).flatMap((name) => {
    const word = retiredIn(name, words);
    return word ? [`${file}: ${name} (${word})`] : [];
  });
  return [...(inPath ? [`${file}: the file name (${inPath})`] : []), ...inNames];
});
for (const line of found) console.log(`retired word in ${line}`);
if (found.length > 0) console.log('use the term of the field that a reader would search for');
else console.log(`fine  no retired words in the names of ${files.length} files`);
process.exit(found.length > 0 ? 1 : 0);
