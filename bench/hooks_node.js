// Calls a hook in this process, over records that stand ready, and prints what
// that took. The argument names a file with what to do.
"use strict";
const { readFileSync } = require("node:fs");
const { createHash } = require("node:crypto");

const { source, records, batch, rows, warm } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const hook = (0, eval)(source);

// kept are the last results, as many as an import has rows in a batch. Where nobody
// kept them, the engine would see that and not make them; where all were kept, the
// time that it takes to look after them would be measured.
const kept = new Array(batch).fill(null);

function call(count) {
	let at = 0;
	for (let done = 0; done < count;) {
		const end = Math.min(records.length, count - done);
		for (let i = 0; i < end; i++) {
			kept[at] = hook(records[i], "init");
			at = at === kept.length - 1 ? 0 : at + 1;
		}
		done += end;
	}
}

// sum is that of all changes, one line each.
function sum() {
	const hash = createHash("sha256");
	records.forEach((record, i) => {
		const { row } = hook(record, "init");
		for (const key of Object.keys(row)) {
			const { value, info } = row[key];
			hash.update(`${i} ${key} ${value === undefined ? "" : value} ${info === undefined ? "" : info[0].message}\n`);
		}
	});
	return hash.digest("hex");
}

const found = sum();
call(warm);
const began = process.hrtime.bigint();
const before = process.cpuUsage();
call(rows);
const { user, system } = process.cpuUsage(before);
const wall = Number(process.hrtime.bigint() - began) / 1e9;
if (kept.some((out) => out !== null && out.row === undefined)) throw new Error("a row has no result");
console.log(JSON.stringify({ Rows: rows, CPU: (user + system) / 1e6, Wall: wall, Sum: found }));
