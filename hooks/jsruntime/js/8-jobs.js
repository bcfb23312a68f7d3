// A job calls the hooks of a request one after another.

const ofKind = (kind) => {
	const list = bareList();
	for (let h = 0; h < hooks.length; h++) if (hooks[h].kind === kind) list[list.length] = hooks[h];
	return list;
};

// named returns the hooks that a request selects by name.
function named(names) {
	const list = bareList();
	for (let n = 0; n < names.length; n++) {
		for (let h = 0; h < hooks.length; h++) if (hooks[h].name === names[n]) list[list.length] = hooks[h];
	}
	return list;
}

// chosen returns the hooks that a request selects by name, or else all hooks of a kind.
function chosen(request, kind) {
	const names = own(request, "hooks");
	return names === undefined ? ofKind(kind) : named(names);
}

const isPromise = (out) => typeof out === "object" && out !== null && typeof out.then === "function";

// timed calls a hook and measures its time. Only one row in sixteen is timed.
function timed(hook, call, record, mode) {
	const began = clock();
	const out = call(record, mode);
	hook.spent += clock() - began;
	return out;
}

// RowJob calls row hooks or row delete hooks: all hooks for one row before the next row.
class RowJob {
	request;
	list;
	count;
	i = 0;
	h = 0;
	sampled;
	collects;
	make;
	filler = null;

	constructor(request, list) {
		this.request = request;
		this.list = list;
		this.count = list.length > 0 ? request.rows : 0;
		this.sampled = list.length > 1;
		this.collects = request.op === "rows"; // results of delete hooks are ignored
		if (this.collects) bindChangeReader();
		if (list.length === 1 && list[0].reads) this.filler = filler();
		this.make = this.filler === null ? maker(list.length > 1) : null;
	}

	// run continues until all hooks are done, or returns the promise for which it waits.
	run() {
		if (this.filler !== null && this.request.indexes === undefined && this.request.trace !== true) {
			return newRowLoop !== undefined && this.collects ? this.runLoop() : this.runOne();
		}
		const { list, make, filler, count: rows, sampled, collects } = this;
		const { ids, indexes, first, mode, trace } = this.request;
		const hooksPerRow = list.length;
		let { i, h } = this;
		while (i < rows) {
			const hook = list[h];
			const index = indexes === undefined ? first + i : indexes[i];
			if (trace === true) {
				refuseBentLists(); // the error must name the row before
				note(hook.name + " " + index);
			}
			atHook = hook;
			atRow = index;
			const record = filler !== null ? filler.fill(i, index) : { row: make(i), index, rowId: ids === undefined ? "" + index : ids[i] };
			const { call } = hook;
			const out = sampled && (i & 15) === 0 ? timed(hook, call, record, mode) : call(record, mode);
			if (someMissing) throw missed;
			if (out !== undefined && out !== null) {
				if (typeof out.then === "function") {
					this.i = i;
					this.h = h;
					return out;
				}
				if (collects) changeRow(out, i);
			}
			if (++h === hooksPerRow) {
				h = 0;
				i++;
			}
		}
		return undefined;
	}

	// runOne is like run, for a single hook that only reads.
	runOne() {
		const { filler, count: rows, collects } = this;
		const { first, mode } = this.request;
		atHook = this.list[0];
		const { call } = atHook;
		for (let i = this.i; i < rows; i++) {
			const index = atRow = first + i;
			const out = call(filler.fill(i, index), mode);
			if (someMissing) throw missed;
			if (out === undefined || out === null) continue;
			if (typeof out.then === "function") {
				this.i = i;
				return out;
			}
			if (collects) changeRow(out, i);
		}
		return undefined;
	}

	// runLoop is runOne in the row loop of the host.
	runLoop() {
		const { record, cells, values, results } = this.filler;
		const { first, mode } = this.request;
		atHook = this.list[0];
		const loop = newRowLoop(fieldOf, readerTargets, readerResults, changes, tallyRoom, changeNamed, fields.length, atHook.call, mode, record, cells, values, results);
		firstInLoop = first;
		for (let i = this.i; i < this.count; i++) {
			inLoop = true;
			const out = loop(i, this.count, first);
			if (out === undefined) break;
			i = tally[ROW];
			atRow = first + i;
			inLoop = false;
			if (someMissing) throw missed;
			if (typeof out.then === "function") {
				this.i = i;
				return out;
			}
			changeRow(out, i);
		}
		inLoop = false;
		return undefined;
	}

	// settle processes the result of a promise.
	settle(out) {
		if (this.collects && out !== undefined && out !== null) changeRow(out, this.i);
		if (++this.h < this.list.length) return;
		this.h = 0;
		this.i++;
	}
}

// run returns pause to send the changes so far.
const pause = { __proto__: null };

// ListJob calls hooks that receive all rows. call calls one hook. returned converts its
// result to undefined, or to an object whose step method processes a part of the result and
// reports whether more follows.
class ListJob {
	request;
	list;
	count = 0;
	sampled = false;
	h = 0;
	call;
	returned;
	rest = null;
	handed = 0; // the number of changes that were sent

	constructor(request, list, call, returned) {
		this.request = request;
		this.list = list;
		this.call = call;
		this.returned = returned;
	}

	run() {
		while (this.h < this.list.length) {
			if (this.rest === null) {
				const hook = this.list[this.h];
				const out = this.enter(hook);
				if (someMissing) throw missed;
				if (isPromise(out)) return out;
				this.settle(out);
			}
			if (this.rest !== null && this.rest.step()) return pause;
			this.rest = null;
			atRow = -1;
			refuseBentLists();
			this.h++;
		}
		return undefined;
	}

	enter(hook) {
		note(hook.name);
		atHook = hook;
		atRow = -1;
		const start = clock();
		const out = this.call(hook.call);
		hook.spent += clock() - start;
		return out;
	}

	settle(out) {
		this.rest = this.returned(out);
		if (this.rest === undefined) this.rest = nothing;
	}

	// thin combines the changes of a cell if there are more changes than cells, because a
	// hook may return a row many times. more reports whether further changes follow.
	// Changes that were already sent cannot be combined.
	thin(more) {
		const most = mostChanges(this.request) * this.list.length - this.handed;
		if (!more && changes.length <= most) return;
		if (countChanges() > most) lastOnly();
		const count = countChanges();
		this.handed += count;
		if (count <= most) return;
		atRow = -1;
		throw new Fault("the hook returns the same rows too often: return each row once, with all its changes");
	}
}

// mostChanges returns the number of cells in the rows of a request.
function mostChanges(request) {
	if (request.rows === undefined) return 0;
	let cells = 0;
	for (let f = 0; f < columns.length; f++) cells += columns[f] === 0 || columns[f].parts === null ? 1 : columns[f].parts.length || 1;
	return cells * request.rows;
}

const nothing = { __proto__: null, step: () => false };

const indexAt = (request, i) => request.indexes === undefined ? request.first + i : request.indexes[i];
const idAt = (request, i) => request.ids === undefined ? "" + indexAt(request, i) : request.ids[i];

// places returns a function from an index to its row in the request.
function places(request) {
	const { rows, first, indexes } = request;
	if (indexes === undefined) return (index) => isInteger(index) && index >= first && index < first + rows ? index - first : -1;
	const found = create(null);
	for (let i = 0; i < rows; i++) found[indexes[i]] = i;
	return (index) => typeof index === "number" && found[index] !== undefined ? found[index] : -1;
}

function recordsOf(request, changing) {
	const make = maker(changing);
	if (request.lazy === true) return lazyRecords(request, make);
	const records = [];
	for (let i = 0; i < request.rows; i++) records[i] = recordOf(request, make, i);
	return records;
}

const recordOf = (request, make, i) => ({ row: make(i), index: indexAt(request, i), rowId: idAt(request, i) });

// With many rows, changes are sent each time they reach this number of characters.
const partSize = 4 << 20;

// Returned iterates over the list that a hook returned.
class Returned {
	out;
	what;
	each;
	gaps;
	placeOf;
	inParts;
	seen; // with many rows, those that had an element
	n = 0;

	constructor(out, request, what, each, gaps) {
		if (!isArray(out)) throw new Fault("the hook returned " + nameKind(out) + "; it must return a list of " + what + ", or nothing");
		this.out = out;
		this.what = what;
		this.gaps = gaps;
		this.each = each;
		this.placeOf = places(request);
		this.inParts = request.lazy === true;
		this.seen = this.inParts ? new Uint8ArrayOf(request.rows) : null;
	}

	step() {
		const most = tally[SIZE] + partSize;
		while (this.n < this.out.length) {
			this.readElement(this.n++);
			if (this.inParts && tally[SIZE] > most) return true;
		}
		return false;
	}

	readElement(n) {
		const one = this.out[n];
		if (this.gaps && (one === undefined || one === null)) return;
		if (typeof one !== "object" || one === null) throw new Fault("element " + n + " of what the hook returned is " + nameKind(one) + "; it must be " + this.what);
		const given = one.index;
		const i = this.placeOf(given);
		if (i < 0) {
			const index = typeof given === "number" ? "the index " + given : nameKind(given) + " as its index";
			throw new Fault("element " + n + " of what the hook returned has " + index + "; it must be the index of a row of the call");
		}
		atRow = given;
		const { each, seen } = this;
		if (seen === null) return each(one, i, false);
		const again = seen[i] === 1;
		seen[i] = 1;
		each(one, i, again);
	}
}

const returnedList = (out, request, what, each, gaps) => out === undefined || out === null ? undefined : new Returned(out, request, what, each, gaps);

function bulkJob(request) {
	const list = chosen(request, "bulkRow");
	if (request.lazy !== true) bindChangeReader();
	return new ListJob(request, list,
		(call) => call(recordsOf(request, list.length > 1), request.mode),
		(out) => returnedList(out, request, "{index, row}", changeRow, true));
}

// columnJob runs the hooks of the request over one column. Each hook sees the changes that
// earlier hooks made.
function columnJob(request) {
	const { field, part } = request;
	const top = columns[field];
	const column = part >= 0 ? top.parts[part] : top;
	const one = (i) => ({ index: indexAt(request, i), value: copyList(valueAt(column, i)), rowId: idAt(request, i) });
	const values = () => {
		if (request.lazy === true) return lazyValues(request, column, one);
		const made = [];
		for (let i = 0; i < request.rows; i++) made[i] = one(i);
		return made;
	};
	return new ListJob(request, named(request.hooks), (call) => call(values()),
		(out) => returnedList(out, request, "{index, value}", (given, i, again) => {
			const real = settledGhost(given, i, again);
			if (real !== undefined) change(column, i, field, part, real);
		}, false));
}

// copyPlain copies a value by parsing its JSON.
function copyPlain(value) {
	if (typeof value !== "object" || value === null) return value;
	if (isArray(value)) return copyEach(value, copyPlain);
	const made = {}, names = keys(value);
	for (let n = 0; n < names.length; n++) defineProperty(made, names[n], property(copyPlain(value[names[n]])));
	return made;
}

function stepJob(request, result) {
	const instance = instanceFor(request, result);
	return new ListJob(request, named(request.hooks), (call) => call(instance, copyPlain(request.about)), () => undefined);
}

// finishJob passes the rows of the result to beforeFinishCallback.
function finishJob(request, result) {
	const instance = instanceFor(request, result);
	const rows = request.lazy === true ? lazyResults(request) : [];
	for (let i = 0; i < request.rows && request.lazy !== true; i++) rows[i] = resultRow(request.keys, (c) => request.values[c][i]);
	return new ListJob(request, ofKind("beforeFinish"), (call) => call(rows, request.about, instance), (out) => {
		if (out === undefined || out === null) return;
		if (typeof out !== "object" || isArray(out)) throw new Fault("the hook returned " + nameKind(out) + "; it must return {cancel: true, message}, or nothing");
		const { cancel, message } = out;
		if (cancel !== undefined && typeof cancel !== "boolean") throw new Fault("the hook returned " + nameKind(cancel) + " as cancel; it must be true or false");
		if (cancel !== true) return;
		if (textOr(message, "") !== "" && typeof message !== "string") throw new Fault("the hook returned " + nameKind(message) + " as the message; it must be a text");
		result.cancel = true;
		result.message = short(textOr(message, ""), maxMessage - 1);
	});
}

function resultRow(names, at) {
	const row = {};
	for (let c = 0; c < names.length; c++) defineProperty(row, names[c], property(at(c)));
	return row;
}

const result = { commands: undefined, cancel: false, message: "" };

function start(request) {
	atRow = -1;
	inLoop = false;
	if (request.fresh === true) resetHooks();
	for (let h = 0; h < hooks.length; h++) hooks[h].spent = 0;
	randomState.hook = null;
	result.commands = undefined;
	result.cancel = false;
	result.message = "";
	learned = new WeakMapOf();
	filled = new WeakSetOf();
	forgetGhosts(request.lazy === true);
	shownRow = rowBehind = null;
	tally[LIMIT] = request.limit || usualLimit;
	if (request.columns === undefined) request.columns = [];
	setColumns(request);
	changeReader = undefined;
	switch (request.op) {
		case "rows": return new RowJob(request, chosen(request, "row"));
		case "delete": return new RowJob(request, chosen(request, "rowDelete"));
		case "bulk": return bulkJob(request);
		case "column": return columnJob(request);
		case "step": return stepJob(request, result);
		case "finish": return finishJob(request, result);
		default: throw new Fault("a request of an unknown kind");
	}
}
