// Fails on import cycles: node scripts/check-imports.mjs
import { cyclesOf, graphOf } from './import-graph.mjs';
import { allFiles, isCode } from './sources.mjs';

const graph = graphOf(allFiles().filter(isCode));
const cycles = cyclesOf(graph);
for (const cycle of cycles) console.log(`import cycle: ${cycle.join(' -> ')}`);
if (cycles.length > 0) console.log('move what both files need into a file that imports neither, or pass it in');
else console.log(`fine  no import cycles among ${graph.size} files`);
process.exit(cycles.length > 0 ? 1 : 0);
