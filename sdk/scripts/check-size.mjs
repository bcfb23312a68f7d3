// Checks the compressed size of the script that contains the whole importer: node scripts/check-size.mjs
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const most = 6_000;
const size = gzipSync(readFileSync('importer/dist/intray.iife.js'), { level: 9 }).length;
console.log(`${size > most ? 'TOO LARGE' : 'fine'}  @intray/importer: ${size} of ${most} bytes, compressed with gzip`);
process.exit(size > most ? 1 : 0);
