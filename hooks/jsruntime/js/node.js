// The main loop in Node. It reads frames from descriptor 0 and writes frames to descriptor
// 1. Hooks run in a separate context. Only strings, numbers and functions of that context
// are passed across its border.
"use strict";
const fs = require("fs");
const vm = require("vm");

let inbox = Buffer.allocUnsafe(1 << 20);
let outbox = Buffer.allocUnsafe(1 << 20);
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

// retryUntilReady repeats a call while a pipe is not ready.
function retryUntilReady(call) {
	for (;;) {
		try {
			return call();
		} catch (error) {
			if (error.code !== "EAGAIN") throw error;
			Atomics.wait(sleepCell, 0, 0, 1);
		}
	}
}

function readFully(length) {
	if (inbox.length < length) inbox = Buffer.allocUnsafe(length);
	for (let at = 0; at < length;) {
		const n = retryUntilReady(() => fs.readSync(0, inbox, at, length - at, null));
		if (n === 0) process.exit(0);
		at += n;
	}
}

function readFrame() {
	readFully(5);
	const kind = inbox[0];
	const length = inbox.readUInt32LE(1);
	readFully(length);
	return { kind, length };
}

function writeFrame(kind, text) {
	if (outbox.length < text.length * 3 + 5) outbox = Buffer.allocUnsafe(text.length * 3 + 5);
	outbox[0] = kind.charCodeAt(0);
	const length = outbox.write(text, 5, "utf8");
	outbox.writeUInt32LE(length, 1);
	for (let at = 0; at < length + 5;) at += retryUntilReady(() => fs.writeSync(1, outbox, at, length + 5 - at));
}

function newContext() {
	if (!vm.constants || !vm.constants.DONT_CONTEXTIFY) throw new Error("hooks need Node 20.18 or later; this is " + process.version);
	return vm.createContext(vm.constants.DONT_CONTEXTIFY, {
		codeGeneration: { strings: false, wasm: false },
		microtaskMode: "afterEvaluate",
	});
}

function startPrelude() {
	const inside = newContext();
	const run = (text, name, indent) => new vm.Script(text, { filename: name, columnOffset: -(indent || 0) }).runInContext(inside);
	const enter = run("@prelude@", "intray")({
		compile: run,
		parse(text) {
			new vm.Script(text);
		},
		note: (text) => writeFrame("N", text),
		clock: () => performance.now(),
		zone(name) {
			new Intl.DateTimeFormat("en", { timeZone: name });
			process.env.TZ = name;
		},
	});
	const runMicrotasks = new vm.Script("0"); // when it ends, the promises of the newContext continue
	return (request) => {
		let answer = enter("handle", request);
		if (answer === undefined) {
			runMicrotasks.runInContext(inside);
			answer = enter("answer", "");
		}
		return answer === undefined ? enter("stuck", "") : answer;
	};
}

function main() {
	let handle;
	for (;;) {
		const { kind, length } = readFrame();
		if (kind === 83) { // S
			handle = startPrelude();
			writeFrame("R", "");
			continue;
		}
		if (kind !== 81) throw new Error("received a frame of an unknown kind"); // Q
		writeFrame("A", handle(inbox.utf8Slice(0, length)));
	}
}

try {
	main();
} catch (error) {
	writeFrame("F", String(error && error.message || error).slice(0, 2000));
	process.exit(1);
}
