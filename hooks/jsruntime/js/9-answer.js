// Handles one request at a time: runs its job and writes the answer.

let answer; // the text to return, once there is one
let job = null;

// marked returns the indexes that are set, in a list that hooks cannot affect.
function marked(list) {
	const found = bareList();
	for (let f = 0; f < fields.length; f++) if (list[f] === 1) found[found.length] = f;
	return found;
}

function write(body) {
	if (lines.length > 0) defineProperty(body, "console", property(lines));
	lines = bareList();
	const text = textOf(body);
	// These stay set if there is no memory for the text, so that the failure contains the
	// hook.
	atHook = null;
	job = null;
	return text;
}

// textOf writes JSON without the properties that hooks added to all objects or lists.
function textOf(body) {
	return stringifies() ? stringify(body) : written(body);
}

// stringifies reports whether hooks have not changed how stringify writes objects and lists.
function stringifies() {
	return !hasOwn(ObjectPrototype, "toJSON") && !hasOwn(ArrayPrototype, "toJSON") && describeBentLists() === "";
}

// answeredChanges returns the changes for an answer: 0 if the host has written them. maybeHalves
// reports whether it found something like a lone surrogate.
let maybeHalves = false;

function answeredChanges() {
	maybeHalves = false;
	if (writeChanges === undefined || !stringifies()) return changes;
	maybeHalves = !writeChanges(changes);
	return 0;
}

// written is like stringify, but only for objects of this code. In stringify, engines use
// the prototypes of lists and objects, which a hook may have changed.
function written(value) {
	if (typeof value !== "object" || value === null) return stringify(value);
	const list = isArray(value), names = list ? value : keys(value);
	let text = "";
	for (let n = 0; n < names.length; n++) {
		const one = list ? value[n] : value[names[n]];
		if (one !== undefined) text += (text === "" ? "" : ",") + (list ? "" : stringify(names[n]) + ":") + written(one);
	}
	return list ? "[" + text + "]" : "{" + text + "}";
}

// describeBentLists describes the changes to prototypes by hooks that keep stringify from
// writing lists. It returns "" if there are none.
function describeBentLists() {
	if (getPrototypeOf(ArrayPrototype) !== ObjectPrototype) return "the prototype of Array.prototype";
	if (numbered(ArrayPrototype)) return "a number as a key of Array.prototype";
	return numbered(ObjectPrototype) ? "a number as a key of Object.prototype" : "";
}

// refuseBentLists throws if describeBentLists finds a change.
function refuseBentLists() {
	const why = describeBentLists();
	if (why !== "") throw new Fault("the hook changes built-in prototypes: " + why);
}

// numbered reports whether an object has a key that is a number. Such keys come first.
function numbered(object) {
	const first = ownKeys(object)[0];
	return typeof first === "string" && search(/^\d/, first) !== null;
}

function timesOf(elapsed) {
	const times = bareList();
	const { sampled, count: rows } = job;
	const scale = sampled ? rows / floor((rows + 15) / 16) : 1;
	for (let h = 0; h < hooks.length; h++) {
		const { name, spent } = hooks[h];
		if (spent > 0) times[times.length] = { hook: name, ms: spent * scale };
	}
	if (times.length === 0 && elapsed > 0 && job instanceof RowJob && job.list.length === 1) times[0] = { hook: job.list[0].name, ms: elapsed };
	return times;
}

let began = 0;

function finish() {
	// A getter in the result may have read a column that was not sent and caught the error.
	if (someMissing) throw missed;
	const { list, request } = job;
	// Only a call with trace can determine which of several rows it was.
	if (job instanceof RowJob && job.count > 1 && request.trace !== true && describeBentLists() !== "") atRow = -1;
	refuseBentLists();
	if (job instanceof ListJob) job.thin(false);
	const text = write({
		changes: answeredChanges(), times: timesOf(clock() - began),
		used: learning ? marked(used) : undefined,
		commands: result.commands,
		cancel: result.cancel ? true : undefined,
		message: result.cancel ? result.message : undefined,
	});
	forgetKept();
	// stringify writes a lone surrogate as an escape. Only a text with a backslash looks
	// the same.
	if (maybeHalves || indexOf(text, "\\ud") >= 0) refuseHalves(list, request);
	return text;
}

// handOut returns the changes so far if more changes follow.
function handOut() {
	if (someMissing) throw missed;
	const { list, request } = job;
	job.thin(true);
	const text = textOf({ changes: answeredChanges(), more: true });
	if (maybeHalves || indexOf(text, "\\ud") >= 0) refuseHalves(list, request);
	emptyChanges();
	if (changeReader !== undefined) bindChangeReader();
	return text;
}

// refuseHalves throws if there is a lone surrogate, which JSON in UTF-8 cannot contain. The
// error contains the row.
function refuseHalves(list, request) {
	eachChange((cell, part, flags, n) => {
		for (let flag = hasValue; flag <= hasOptions; flag *= 2) {
			if ((flags & flag) === 0 || whole(changes[n++])) continue;
			atHook = list.length === 1 ? list[0] : null;
			atRow = indexAt(request, floor(cell / fields.length));
			throw new Fault("what the hook returned for \"" + fields[cell % fields.length].key + "\" " + loneSurrogateText);
		}
	});
}

const loneSurrogateText = "holds half of a character (a lone surrogate): cut texts with Array.from(text), not with slice";

// whole reports whether all strings in a checked value are well-formed.
function whole(value) {
	if (typeof value === "string") return isWellFormed(value);
	if (typeof value !== "object" || value === null) return true;
	const names = keys(value);
	for (let n = 0; n < names.length; n++) if (!whole(value[names[n]])) return false;
	return true;
}

// fail returns the answer for a request that ended early.
function fail(thrown) {
	if (someMissing) return write({ miss: marked(missing) });
	const hook = atHook;
	forgetKept();
	const failure = { kind: "threw", hook: hook === null ? "" : hook.name, row: currentRow(), name: "", message: "", line: 0, column: 0 };
	const fault = faultText(thrown);
	if (fault !== undefined) {
		failure.kind = "returned";
		failure.message = fault;
	} else {
		const { name, message } = describe(thrown);
		failure.name = name;
		failure.message = message;
		if (!node && name === "InternalError" && message === "out of memory") failure.kind = "memory";
		if (!node && thrown === null) {
			failure.kind = "null";
			failure.message = "null was thrown, by the hook or by an engine that has no memory left";
		}
	}
	if (hook !== null) {
		const where = locate(thrown, hook);
		failure.line = where.line || 0;
		failure.column = where.column || 0;
	}
	return write({ failure });
}

function settled(running, out) {
	if (running !== job) return;
	try {
		if (someMissing) throw missed;
		running.settle(out);
	} catch (thrown) {
		answer = fail(thrown);
		return;
	}
	runJob(running);
}

// runJob runs a job until it is done or waits for a promise, which continues it later.
function runJob(running) {
	try {
		const waiting = running.run();
		if (waiting === undefined) answer = finish();
		else if (waiting === pause) answer = handOut();
		else awaitResult(running, waiting);
	} catch (thrown) {
		answer = fail(thrown);
	}
}

// awaitResult waits for a promise with await, which does not depend on a then or
// constructor that a hook may have replaced.
async function awaitResult(running, waiting) {
	let out;
	try {
		out = await waiting;
	} catch (thrown) {
		if (running === job) answer = fail(thrown);
		return;
	}
	settled(running, out);
}

// endCall ends the current call early. kind is the reason.
function endCall(kind, message) {
	if (someMissing) return write({ miss: marked(missing) });
	const hook = atHook;
	return write({ failure: { kind, hook: hook === null ? "" : hook.name, row: currentRow(), name: "", message, line: 0, column: 0 } });
}

function handle(text) {
	answer = undefined;
	const request = setPrototypeOf(parse(text), null);
	if (request.op === "more") {
		runJob(job);
		return answer;
	}
	someMissing = false;
	if (request.op === "keep") {
		storePack(request);
		return "{}";
	}
	lines = bareList();
	columns = bareList();
	resetChanges();
	if (request.op === "load") return write(load(request));
	try {
		job = start(request);
	} catch (thrown) {
		return fail(thrown);
	}
	began = clock();
	runJob(job);
	return answer;
}

for (const key of ownKeys(global)) baseline[key] = true;

// outOfMemoryAnswer is the answer if no memory is left. It is created in advance for that
// reason.
const outOfMemoryAnswer = "{\"starved\":true}";

function failureAnswer(thrown) {
	if (thrown === null || thrown !== undefined && getPrototypeOf(thrown) === InternalErrorPrototype) return outOfMemoryAnswer;
	const { name, message } = describe(thrown);
	return "{\"lost\":" + stringify(name + ": " + message) + "}";
}

function enter(what, text) {
	switch (what) {
		case "handle": return handle(text);
		case "answer": return answer;
		case "stuck": return endCall("stuck", "its promise never settles");
		default: return endCall(what, text);
	}
}

// The function that the host calls: with a request, for the answer of a request that
// waited, and to end a call early.
return node ? enter : function (what, text) {
	try {
		return enter(what, text);
	} catch (thrown) {
		return failureAnswer(thrown);
	}
};
