// Calls a hook in this process with prepared records, and prints the time that this took
// and a checksum of the changes. The argument is the name of a file that describes the run.
"use strict";
const { readFileSync } = require("node:fs");
const { createHash } = require("node:crypto");

const { source, records, batch, rows, warm } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const hook = (0, eval)(source);

// The last results, as many as a batch of an import has rows. If no results were kept, the
// engine could skip creating them. If all were kept, the measurement would include the time
// to manage their memory.
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

// Returns the checksum of all changes, one line per row.
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
