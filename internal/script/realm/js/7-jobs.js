// A job calls the hooks that a request is about, one after another.

const ofKind = (kind) => {
	const list = [];
	for (const hook of hooks) if (hook.kind === kind) list[list.length] = hook;
	return list;
};

const isPromise = (out) => typeof out === "object" && out !== null && typeof out.then === "function";

// timed calls a hook for one row of sixteen, which stands for all.
function timed(hook, call, record, mode) {
	const began = clock();
	const out = call(record, mode);
	hook.spent += clock() - began;
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
