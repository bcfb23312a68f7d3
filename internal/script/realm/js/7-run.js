// One request at a time: its hooks are called, one after another.

let answer; // the text to hand out, once there is one
let job = null;

const ofKind = (kind) => {
	const list = [];
	for (const hook of hooks) if (hook.kind === kind) list[list.length] = hook;
	return list;
};

const isPromise = (out) => typeof out === "object" && out !== null && typeof out.then === "function";

// timed calls a hook for one row of sixteen, and counts it for all.
function timed(hook, call, record, mode) {
	const began = clock();
	const out = call(record, mode);
	hook.spent += (clock() - began) * 16;
	return out;
}

// RowJob calls row hooks, or row delete hooks: for one row all hooks in their order.
class RowJob {
	constructor(request, list) {
		this.request = request;
		this.list = list;
		this.count = list.length > 0 ? request.rows : 0;
		this.i = 0;
		this.h = 0;
		this.sampled = list.length > 1;
		this.takes = request.op === "rows"; // what delete hooks return is nothing
		this.make = maker(list.length > 1);
	}

	// run goes on until all is done, or gives the promise that it waits for.
	run() {
		const { list, make, count: rows, sampled, takes } = this;
		const { ids, indexes, first, mode } = this.request;
		const hooksPerRow = list.length;
		let { i, h } = this;
		while (i < rows) {
			const hook = list[h];
			const index = indexes === undefined ? first + i : indexes[i];
			atHook = hook;
			atRow = index;
			const record = { row: make(i), index, rowId: ids === undefined ? `${index}` : ids[i] };
			const { call } = hook;
			const out = sampled && (i & 15) === 0 ? timed(hook, call, record, mode) : call(record, mode);
			if (someMissing) throw missed;
			if (out !== undefined && out !== null) {
				if (typeof out.then === "function") {
					this.i = i;
					this.h = h;
					return out;
				}
				if (takes) changeRow(out, i);
			}
			if (++h === hooksPerRow) {
				h = 0;
				i++;
			}
		}
		return undefined;
	}

	// settle takes what a promise came to.
	settle(out) {
		if (this.takes && out !== undefined && out !== null) changeRow(out, this.i);
		if (++this.h < this.list.length) return;
		this.h = 0;
		this.i++;
	}

	done() {}
}

// ListJob calls hooks that take the rows as a whole.
class ListJob {
	constructor(request, list, call, settle) {
		this.request = request;
		this.list = list;
		this.h = 0;
		this.call = call;
		this.take = settle;
	}

	run() {
		while (this.h < this.list.length) {
			const hook = this.list[this.h];
			atHook = hook;
			atRow = -1;
			const start = clock();
			const out = this.call(hook.call);
			hook.spent += clock() - start;
			if (someMissing) throw missed;
			if (isPromise(out)) return out;
			this.settle(out);
		}
		return undefined;
	}

	settle(out) {
		this.take(out);
		this.h++;
	}

	done() {}
}

const indexAt = (request, i) => request.indexes === undefined ? request.first + i : request.indexes[i];

// places finds the row of the request that an index names.
function places(request) {
	const { rows, first, indexes } = request;
	if (indexes === undefined) return (index) => isInteger(index) && index >= first && index < first + rows ? index - first : -1;
	const found = create(null);
	for (let i = 0; i < rows; i++) found[indexes[i]] = i;
	return (index) => typeof index === "number" && found[index] !== undefined ? found[index] : -1;
}

function recordsOf(request, changing) {
	const make = maker(changing);
	const records = [];
	for (let i = 0; i < request.rows; i++) records[i] = recordOf(request, make, i);
	return records;
}

function recordOf(request, make, i) {
	const index = indexAt(request, i);
	return { row: make(i), index, rowId: request.ids === undefined ? `${index}` : request.ids[i] };
}

// eachReturned goes through the list that a hook gave back.
function eachReturned(out, request, what, each) {
	if (out === undefined || out === null) return;
	if (!isArray(out)) throw new Fault(`the hook returned ${nameKind(out)}; it must return a list of ${what}, or nothing`);
	const placeOf = places(request);
	for (let n = 0; n < out.length; n++) {
		const one = out[n];
		if (one === undefined || one === null) continue;
		if (typeof one !== "object") throw new Fault(`element ${n} of what the hook returned is ${nameKind(one)}; it must be ${what}`);
		const i = placeOf(one.index);
		if (i < 0) {
			const index = typeof one.index === "number" ? `the index ${one.index}` : `${nameKind(one.index)} as its index`;
			throw new Fault(`element ${n} of what the hook returned has ${index}; it must be that of one of the rows given`);
		}
		atRow = one.index;
		each(one, i);
	}
}

function bulkJob(request) {
	const list = ofKind("bulkRow");
	return new ListJob(request, list,
		(call) => call(recordsOf(request, list.length > 1), request.mode),
		(out) => eachReturned(out, request, "{index, row}", changeRow));
}

// columnJob runs the hooks of the request over one column, each seeing what the
// one before it changed.
function columnJob(request) {
	const list = [];
	for (const name of request.hooks) for (const hook of hooks) if (hook.name === name) list[list.length] = hook;
	const { field, part } = request;
	const top = columns[field];
	const column = part >= 0 ? top.parts[part] : top;
	const values = () => {
		const made = [];
		for (let i = 0; i < request.rows; i++) {
			const index = indexAt(request, i);
			made[i] = { index, value: copyList(column.value[i]), rowId: request.ids === undefined ? `${index}` : request.ids[i] };
		}
		return made;
	};
	return new ListJob(request, list, (call) => call(values()),
		(out) => eachReturned(out, request, "{index, value}", (one, i) => change(column, i, field, part, one)));
}

// The commands that step hooks and the last callback give to the import.
const maxCommands = 10000;
const commandNames = ["addField", "removeField", "updateInfoMessages", "setHeaderRowOverride", "removeRows", "setUser", "setDevelopmentMode", "setConfirmationMessage"];

// jsonText is the JSON text of what a hook handed over.
function jsonText(value, what) {
	let text;
	try {
		text = stringify(value === undefined ? null : value);
	} catch {
		throw new Fault(`${what} cannot be written as JSON`);
	}
	if (typeof text !== "string") throw new Fault(`${what} is ${nameKind(value)}; it must be plain JSON`);
	grow(text.length);
	return text;
}

function instanceFor(request, commands) {
	const record = (name, args) => {
		if (commands.length >= maxCommands) throw new Fault(`the hook gave more than ${maxCommands} commands`);
		const list = [];
		for (let i = 0; i < args.length && i < 4; i++) list[i] = parse(jsonText(args[i], `argument ${i + 1} of ${name}`));
		commands[commands.length] = { hook: atHook.name, name, args: list };
	};
	const instance = {};
	for (const name of commandNames) instance[name] = (...args) => record(name, args);
	instance.addRows = (rows) => {
		if (!isArray(rows)) throw new Fault(`addRows was given ${nameKind(rows)}; it takes a list of {index, row}`);
		const ids = copyEach(rows, () => `${request.newIds || "new-"}${request.nextId++}`);
		record("addRows", [rows, ids]);
		return ids;
	};
	return instance;
}

function stepJob(request, result) {
	const list = [];
	for (const name of request.hooks) for (const hook of hooks) if (hook.name === name) list[list.length] = hook;
	result.commands = [];
	const instance = instanceFor(request, result.commands);
	return new ListJob(request, list, (call) => call(instance, parse(stringify(request.about))), () => {});
}

// finishJob shows the rows of the result to the last callback.
function finishJob(request, result) {
	result.commands = [];
	const instance = instanceFor(request, result.commands);
	const rows = [];
	for (let i = 0; i < request.rows; i++) {
		const row = {};
		for (let c = 0; c < request.keys.length; c++) defineProperty(row, request.keys[c], { value: request.values[c][i], writable: true, enumerable: true, configurable: true });
		rows[i] = row;
	}
	return new ListJob(request, ofKind("beforeFinish"), (call) => call(rows, request.about, instance), (out) => {
		if (typeof out !== "object" || out === null || out.cancel !== true) return;
		const { message } = out;
		result.cancel = true;
		result.message = typeof message === "string" ? short(message, maxMessage - 1) : "";
	});
}

const result = { commands: undefined, cancel: false, message: "" };

function start(request) {
	if (request.fresh === true) refresh();
	for (const hook of hooks) hook.spent = 0;
	luck.hook = null;
	result.commands = undefined;
	result.cancel = false;
	result.message = "";
	learned = new WeakMap();
	filled = new WeakSet();
	shownRow = rowBehind = null;
	if (request.columns !== undefined) take(request);
	else take({ columns: [] });
	switch (request.op) {
		case "rows": return new RowJob(request, ofKind("row"));
		case "delete": return new RowJob(request, ofKind("rowDelete"));
		case "bulk": return bulkJob(request);
		case "column": return columnJob(request);
		case "step": return stepJob(request, result);
		case "finish": return finishJob(request, result);
		default: throw new Fault("a request of an unknown kind");
	}
}

// marked lists the places that are set.
function marked(list) {
	const found = [];
	for (let f = 0; f < list.length; f++) if (list[f]) found[found.length] = f;
	return found;
}

function write(body) {
	if (lines.length > 0) body.console = lines;
	lines = [];
	atHook = null;
	job = null;
	return stringify(body);
}

function timesOf(elapsed) {
	const times = [];
	for (const hook of hooks) if (hook.spent > 0) times[times.length] = { hook: hook.name, ms: hook.spent };
	if (times.length === 0 && elapsed > 0 && job instanceof RowJob && job.list.length === 1) times[0] = { hook: job.list[0].name, ms: elapsed };
	return times;
}

let began = 0;

function finish() {
	const body = { changes, times: timesOf(clock() - began) };
	if (learning) body.used = marked(used);
	if (result.commands !== undefined) body.commands = result.commands;
	if (result.cancel) {
		body.cancel = true;
		body.message = result.message;
	}
	const { list, request } = job;
	const text = write(body);
	// Half a character is written as an escape; no other text looks like one
	// unless it holds a backslash.
	if (indexOf(text, "\\ud") >= 0) mend(list, request);
	return text;
}

// mend refuses half characters, which no text can hold, and names their row.
function mend(list, request) {
	for (let n = 0; n < count;) {
		const flags = changes[n] % 16, cell = floor(changes[n] / 16);
		const field = cell % fields.length, i = floor(cell / fields.length);
		n += flags & hasPart ? 2 : 1;
		for (const flag of [hasValue, hasInfos, hasOptions]) {
			if ((flags & flag) === 0 || whole(changes[n++])) continue;
			atHook = list.length === 1 ? list[0] : null;
			atRow = indexAt(request, i);
			throw new Fault(`what the hook returned for "${fields[field].key}" holds half of a character (a lone surrogate): cut texts with Array.from(text), not with slice`);
		}
	}
}

// whole says whether all texts in a value that went through checks are whole.
function whole(value) {
	if (typeof value === "string") return isWellFormed(value);
	if (typeof value !== "object" || value === null) return true;
	for (const key of keys(value)) if (!whole(value[key])) return false;
	return true;
}

// fail makes the answer of a request that broke off.
function fail(thrown) {
	if (someMissing) return write({ miss: marked(missing) });
	const hook = atHook;
	const failure = { kind: "threw", hook: hook === null ? "" : hook.name, row: atRow, name: "", message: "", line: 0, column: 0 };
	if (Fault.is(thrown)) {
		failure.kind = "returned";
		failure.message = short(thrown.message, maxText);
	} else {
		const { name, message } = describe(thrown);
		failure.name = name;
		failure.message = message;
		if (!node && (thrown === null || name === "InternalError" && message === "out of memory")) failure.kind = "memory";
		if (!node && thrown === null) failure.message = "null was thrown, by the hook or by an engine that has no memory left";
		if (hook !== null) {
			const where = locate(thrown, hook);
			failure.line = where.line || 0;
			failure.column = where.column || 0;
		}
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

// drive runs a job until it is done or waits. A promise goes on with it.
function drive(running) {
	try {
		const waiting = running.run();
		if (waiting === undefined) {
			answer = finish();
			return;
		}
		const promise = apply(promiseResolve, PromiseOf, [waiting]);
		apply(promiseThen, promise, [(out) => settled(running, out), (thrown) => {
			if (running === job) answer = fail(thrown);
		}]);
	} catch (thrown) {
		answer = fail(thrown);
	}
}

// cut breaks off what runs: kind says why.
function cut(kind, message) {
	if (someMissing) return write({ miss: marked(missing) });
	const hook = atHook;
	return write({ failure: { kind, hook: hook === null ? "" : hook.name, row: atRow, name: "", message, line: 0, column: 0 } });
}

function handle(text) {
	answer = undefined;
	lines = [];
	columns = [];
	resetChanges();
	const request = parse(text);
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

// The one function that the outside calls: with a request, for the answer that
// came later, and to break off.
return function (what, text) {
	switch (what) {
		case "handle": return handle(text);
		case "take": return answer;
		case "stuck": return cut("stuck", "the promise of the hook never settles");
		default: return cut(what, text);
	}
};
