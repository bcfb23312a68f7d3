// Handles one request at a time: runs its job and writes the answer.

let answer; // the text to return, once there is one
let job = null;

// marked returns the indexes that are set, as a list that hooks cannot affect.
function marked(list) {
	const found = bareList();
	for (let f = 0; f < fields.length; f++) if (list[f] === 1) found[found.length] = f;
	return found;
}

function write(body) {
	if (lines.length > 0) defineProperty(body, "console", property(lines));
	lines = bareList();
	const text = textOf(body);
	// If there was no memory for the text, the current hook is asked for later.
	atHook = null;
	job = null;
	return text;
}

// textOf writes JSON without what hooks added to all objects or lists.
function textOf(body) {
	if (hasOwn(ObjectPrototype, "toJSON") || hasOwn(ArrayPrototype, "toJSON") || bent() !== "") return written(body);
	return stringify(body);
}

// written is stringify for objects of this code, for the case that hooks changed what all
// lists and objects are made of, which engines use while they write.
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

// bent describes what hooks did to all lists or objects so that lists cannot be written
// any more, or returns "".
function bent() {
	if (getPrototypeOf(ArrayPrototype) !== ObjectPrototype) return "the prototype of Array.prototype";
	if (numbered(ArrayPrototype)) return "a number as a key of Array.prototype";
	return numbered(ObjectPrototype) ? "a number as a key of Object.prototype" : "";
}

// straight refuses such changes.
function straight() {
	const why = bent();
	if (why !== "") throw new Fault("the hook changes what all lists are made of: " + why);
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
	// The result of a hook may have read a column too, and caught the error.
	if (someMissing) throw missed;
	const { list, request } = job;
	// Only a call with trace knows which of several rows it was.
	if (job instanceof RowJob && job.count > 1 && request.trace !== true && bent() !== "") atRow = -1;
	straight();
	if (job instanceof ListJob) job.thin(false);
	const text = write({
		changes, times: timesOf(clock() - began),
		used: learning ? marked(used) : undefined,
		commands: result.commands,
		cancel: result.cancel ? true : undefined,
		message: result.cancel ? result.message : undefined,
	});
	forgetKept();
	// A lone surrogate is written as an escape. No other text looks like that, unless it
	// has a backslash.
	if (indexOf(text, "\\ud") >= 0) refuseHalves(list, request);
	return text;
}

// handOut returns the changes so far if more follow.
function handOut() {
	if (someMissing) throw missed;
	const { list, request } = job;
	job.thin(true);
	const text = textOf({ changes, more: true });
	if (indexOf(text, "\\ud") >= 0) refuseHalves(list, request);
	emptyChanges();
	if (changeReader !== undefined) bindChangeReader();
	return text;
}

// refuseHalves refuses lone surrogates, which JSON texts in UTF-8 cannot have, and names
// their row.
function refuseHalves(list, request) {
	eachChange((cell, part, flags, n) => {
		for (let flag = hasValue; flag <= hasOptions; flag *= 2) {
			if ((flags & flag) === 0 || whole(changes[n++])) continue;
			atHook = list.length === 1 ? list[0] : null;
			atRow = indexAt(request, floor(cell / fields.length));
			throw new Fault("what the hook returned for \"" + fields[cell % fields.length].key + "\" " + halved);
		}
	});
}

const halved = "holds half of a character (a lone surrogate): cut texts with Array.from(text), not with slice";

// whole reports whether all texts in a checked value are well formed.
function whole(value) {
	if (typeof value === "string") return isWellFormed(value);
	if (typeof value !== "object" || value === null) return true;
	const names = keys(value);
	for (let n = 0; n < names.length; n++) if (!whole(value[names[n]])) return false;
	return true;
}

// fail returns the answer of a request that ended early.
function fail(thrown) {
	if (someMissing) return write({ miss: marked(missing) });
	const hook = atHook;
	forgetKept();
	const failure = { kind: "threw", hook: hook === null ? "" : hook.name, row: atRow, name: "", message: "", line: 0, column: 0 };
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
	drive(running);
}

// drive runs a job until it is done or waits. A promise continues it.
function drive(running) {
	try {
		const waiting = running.run();
		if (waiting === undefined) answer = finish();
		else if (waiting === pause) answer = handOut();
		else follow(running, waiting);
	} catch (thrown) {
		answer = fail(thrown);
	}
}

// follow waits as the language does, whatever a hook made of then and constructor of
// promises.
async function follow(running, waiting) {
	let out;
	try {
		out = await waiting;
	} catch (thrown) {
		if (running === job) answer = fail(thrown);
		return;
	}
	settled(running, out);
}

// cut ends the current call early; kind is the reason.
function cut(kind, message) {
	if (someMissing) return write({ miss: marked(missing) });
	const hook = atHook;
	return write({ failure: { kind, hook: hook === null ? "" : hook.name, row: atRow, name: "", message, line: 0, column: 0 } });
}

function handle(text) {
	answer = undefined;
	const request = setPrototypeOf(parse(text), null);
	if (request.op === "more") {
		drive(job);
		return answer;
	}
	someMissing = false;
	if (request.op === "keep") {
		keep(request);
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
	drive(job);
	return answer;
}

for (const key of ownKeys(global)) baseline[key] = true;

// The answer if this code cannot continue: a text that exists already in case there is no
// memory, or else the reason.
const starved = "{\"starved\":true}";

function lost(thrown) {
	if (thrown === null || thrown !== undefined && getPrototypeOf(thrown) === InternalErrorPrototype) return starved;
	const { name, message } = describe(thrown);
	return "{\"lost\":" + stringify(name + ": " + message) + "}";
}

function enter(what, text) {
	switch (what) {
		case "handle": return handle(text);
		case "take": return answer;
		case "stuck": return cut("stuck", "its promise never settles");
		default: return cut(what, text);
	}
}

// The function that the host calls: with a request, for the answer of a request that
// waited, and to end a call early.
return node ? enter : function (what, text) {
	try {
		return enter(what, text);
	} catch (thrown) {
		return lost(thrown);
	}
};
