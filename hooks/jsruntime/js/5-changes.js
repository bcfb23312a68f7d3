// Checks the results of hooks and collects them as changes.

const maxValue = 1 << 20; // characters of a value
const maxList = 10000; // elements of a value that is a list
const maxInfos = 100; // infos of a cell
const maxMessage = 2000; // characters of an info
const maxOptions = 10000; // select options of a cell

const hasValue = 1, hasInfos = 2, hasOptions = 4, hasPart = 8;

// changes is a flat list: cell * 16 + flags, where cell is row * fields + field, followed by the
// part, value, infos and options that the flags specify. A string in place of a number is the value
// of the expected cell: it is as far from the last change as the next change was the last time that
// the same field changed. At first, this is the same field in the next row.
//
// tally contains the number of elements, their approximate size as text, the limit of that size,
// the expected cell, the row of the row loop, the field of the last change or -1, and for each of
// the first fields, as many as predicted, the distance from its last change to the one after it.
let changes = bareList();
const predicted = 64;
const COUNT = 0, SIZE = 1, LIMIT = 2, EXPECTED = 3, ROW = 4, LASTFIELD = 5, DISTANCES = 6;
const tallyRoom = new ArrayBufferOf((DISTANCES + predicted) * 8), tally = new Float64ArrayOf(tallyRoom);
let usualLimit = 0; // the limit of the load

function resetChanges() {
	emptyChanges();
	tally[SIZE] = 0;
}

function emptyChanges() {
	changes = bareList();
	tally[COUNT] = 0;
	tally[LASTFIELD] = tally[EXPECTED] = -1;
	for (let f = 0; f < predicted; f++) tally[DISTANCES + f] = fields.length;
}

// pushPosition adds the position of a change. From now on, the next change is expected at the same
// distance from a change of the last field.
function pushPosition(cell, flags) {
	const last = DISTANCES + tally[LASTFIELD];
	if (last >= DISTANCES && last < DISTANCES + predicted) tally[last] += cell - tally[EXPECTED];
	push(cell * 16 + flags);
}

// expectAfter sets the expected cell after a change.
function expectAfter(cell, field) {
	tally[LASTFIELD] = field;
	tally[EXPECTED] = cell + (field < predicted ? tally[DISTANCES + field] : fields.length);
}

function push(one) {
	changes[tally[COUNT]++] = one;
}

// eachChange calls visit(cell, part, flags, n) for each change. n is the index of the first
// item that the flags specify.
function eachChange(visit) {
	const distances = bareList();
	for (let n = 0, cell = -1; n < changes.length;) {
		const field = cell % fields.length, last = cell;
		let flags = hasValue;
		if (typeof changes[n] === "number") {
			cell = floor(changes[n] / 16);
			flags = changes[n++] % 16;
			if (last >= 0 && field < predicted) distances[field] = cell - last;
		} else {
			cell += distances[field] === undefined ? fields.length : distances[field];
		}
		const part = flags & hasPart ? changes[n++] : -1;
		visit(cell, part, flags, n);
		for (let flag = hasValue; flag <= hasOptions; flag *= 2) if (flags & flag) n++;
	}
}

function countChanges() {
	let count = 0;
	eachChange(() => { count++; });
	return count;
}

// lastOnly combines all changes of a cell. It keeps the last value, the last infos and the
// last options.
function lastOnly() {
	const all = new MapOf();
	eachChange((cell, part, flags, n) => {
		const name = cell + "/" + part;
		let one = overGet(all, name);
		if (one === undefined) overSet(all, name, one = { __proto__: null, cell, part, flags: 0 });
		one.flags |= flags;
		for (let flag = hasValue; flag <= hasOptions; flag *= 2) if (flags & flag) one[flag] = changes[n++];
	});
	emptyChanges();
	overEach(all, (one) => {
		push(one.cell * 16 + one.flags);
		if (one.part >= 0) push(one.part);
		for (let flag = hasValue; flag <= hasOptions; flag *= 2) if (one.flags & flag) push(one[flag]);
	});
}

function grow(by) {
	tally[SIZE] += by;
	if (tally[SIZE] > tally[LIMIT]) throw new Fault("the changes of one call are larger than " + tally[LIMIT] + " bytes");
}

function scalar(value, key) {
	switch (typeof value) {
		case "string":
			if (value.length > maxValue) throw new Fault("the value for \"" + key + "\" has " + value.length + " characters; " + maxValue + " are allowed");
			grow(value.length);
			return true;
		case "number": return isFinite(value);
		case "boolean": return true;
		default: return value === null;
	}
}

// Results of hooks are read only once, because a getter could return a different value
// later.
//
// listed reads a list, which may not exceed a maximum length, with read(element, key,
// place). Errors refer to the list by its name, and by the key if there is one.
function listed(list, name, key, most, read) {
	if (!isArray(list)) throw new Fault(nameFor(name, key) + " is " + nameKind(list) + "; it must be a list");
	const made = bareList(), length = list.length;
	if (length > most) throw new Fault(nameFor(name, key) + " has " + length + " elements; " + most + " are allowed");
	for (let i = 0; i < length; i++) made[i] = read(list[i], key, i);
	return made;
}

const nameFor = (name, key) => key === undefined ? name : name + " for \"" + key + "\"";

// checked returns a value that can be sent: a string, a finite number, true, false, null
// or a list of these.
function checked(value, key) {
	if (scalar(value, key)) return value;
	if (!isArray(value)) throw new Fault("the value for \"" + key + "\" is " + nameKind(value) + "; it must be a text, a number, true, false, null or a list of these");
	return listed(value, "the list", key, maxList, checkedElement);
}

function checkedElement(one, key) {
	grow(8);
	if (!scalar(one, key)) throw new Fault("an element of the list for \"" + key + "\" is " + nameKind(one) + "; it must be a text, a number, true, false or null");
	return one;
}

const textOr = (value, otherwise) => value === undefined || value === null ? otherwise : value;

function checkedInfo(info, key) {
	if (typeof info !== "object" || info === null) throw new Fault("an info for \"" + key + "\" is " + nameKind(info) + "; it must be {message, level}");
	const message = info.message, level = textOr(info.level, "error");
	if (typeof message !== "string") throw new Fault("an info for \"" + key + "\" has " + nameKind(message) + " as its message; it must be a text");
	if (level !== "info" && level !== "warning" && level !== "error") throw new Fault("an info for \"" + key + "\" has the level " + (short(show(level), 30)) + "; there are info, warning and error");
	grow(message.length + 40);
	return { message: short(message, maxMessage - 1), level };
}

function checkedOption(option, key) {
	if (typeof option !== "object" || option === null) throw new Fault("a select option for \"" + key + "\" is " + nameKind(option) + "; it must be {label, value}");
	const { label, value } = option;
	if (typeof label !== "string" || typeof value !== "string") throw new Fault("a select option for \"" + key + "\" has no text as its label or value");
	grow(40);
	bounded(label, key);
	bounded(value, key);
	const alternates = listed(textOr(option.alternateMatches, none), "the list of alternateMatches", key, maxList, checkedAlternate);
	return alternates.length > 0 ? { label, value, alternateMatches: alternates } : { label, value };
}

function checkedAlternate(one, key) {
	if (typeof one !== "string") throw new Fault("a select option for \"" + key + "\" has " + nameKind(one) + " among its alternateMatches");
	grow(4);
	return bounded(one, key);
}

// bounded returns a string of a select option after checking its length.
function bounded(text, key) {
	if (text.length > maxValue) throw new Fault("a text of a select option for \"" + key + "\" has " + text.length + " characters; " + maxValue + " are allowed");
	grow(text.length);
	return text;
}

function checkedList(list, field, name, most, check) {
	return list === null ? bareList() : listed(list, name, fields[field].key, most, check);
}

// same reports whether two values are equal. It compares lists by their elements.
function same(a, b) {
	if (a === b) return true;
	if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
	return true;
}

function sameInfos(a, b) {
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) if (a[i].message !== b[i].message || a[i].level !== b[i].level) return false;
	return true;
}

// sameOptions reports whether two lists of select options are equal.
function sameOptions(a, b) {
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) {
		if (a[i].label !== b[i].label || a[i].value !== b[i].value) return false;
		if (!same(own(a[i], "alternateMatches") || none, own(b[i], "alternateMatches") || none)) return false;
	}
	return true;
}

const none = [];

// newInfos returns the infos if they differ from those of the cell. If the column was not
// sent, the infos of the cell are unknown.
function newInfos(column, i, infos, field) {
	if (infos === undefined) return undefined;
	const before = column === 0 ? undefined : latest(column, "infos", i) || none;
	if (before === none && isArray(infos) && infos.length === 0) return undefined;
	const list = checkedList(infos, field, "info", maxInfos, checkedInfo);
	if (before !== undefined && sameInfos(before, list)) return undefined;
	if (column !== 0) putAhead(column, "infos", i, list);
	return list;
}

function newOptions(column, i, options, field) {
	if (options === undefined) return undefined;
	const list = checkedList(options, field, "selectOptions", maxOptions, checkedOption);
	const before = column !== 0 ? latest(column, "options", i) : undefined;
	if (before !== undefined && sameOptions(before, list)) return undefined;
	if (column !== 0) putAhead(column, "options", i, list);
	return list;
}

function newValue(column, i, value, field) {
	if (value === undefined || column !== 0 && same(value, valueNow(column, i))) return undefined;
	const made = checked(value, fields[field].key);
	if (column !== 0 && column.packs !== null) {
		overwrite(column, i, made);
	} else if (column !== 0) {
		column.value[i] = made;
		if (column.result !== null) column.result[i] = made;
		if (isArray(made)) column.lists = true;
	}
	return made;
}

// refuseMisfit throws if a list is used as a cell, or manyToOne for a field that is not
// many-to-one.
function refuseMisfit(given, field) {
	const { key } = fields[field];
	if (isArray(given)) throw new Fault("for the field \"" + key + "\" the hook returned a list; it must be {value, info}");
	if (given.manyToOne !== null) throw new Fault("the hook returned manyToOne for \"" + key + "\", where a single cell is expected; it must be {value, info}");
}

// change collects the differences from the cell in row i of a column.
function change(column, i, field, part, given) {
	const wanted = given.value;
	if (given.manyToOne !== undefined || wanted === undefined && isArray(given)) refuseMisfit(given, field);
	const value = newValue(column, i, wanted, field);
	const infos = newInfos(column, i, given.info, field);
	const options = newOptions(column, i, given.selectOptions, field);
	const flags = (value !== undefined ? hasValue : 0) | (infos !== undefined ? hasInfos : 0) | (options !== undefined ? hasOptions : 0) | (part >= 0 ? hasPart : 0);
	if ((flags & ~hasPart) === 0) return;
	grow(16);
	const at = i * fields.length + field;
	pushPosition(at, flags);
	expectAfter(at, field);
	if (part >= 0) push(part);
	if (value !== undefined) push(value);
	if (infos !== undefined) push(infos);
	if (options !== undefined) push(options);
}

// changeList collects the changes of a many-to-one cell.
function changeList(column, i, field, given) {
	const { key } = fields[field];
	const list = given.manyToOne;
	if (given.value !== undefined && !(column !== 0 && sameParts(column, i, given.value)) || list === undefined && (given.info !== undefined && given.info.length !== 0)) {
		throw new Fault("\"" + key + "\" maps to several columns: return manyToOne, a list with one cell for each");
	}
	if (list === undefined) {
		if (isArray(given)) throw new Fault("for the field \"" + key + "\" the hook returned a list; it must be {manyToOne}, with one cell for each column");
		return;
	}
	used[field] = 1; // the number of elements is known from the column
	if (!isArray(list)) throw new Fault("manyToOne for \"" + key + "\" is " + nameKind(list) + "; it must be a list");
	if (column === 0) miss(field);
	const { parts } = column;
	if (list.length !== parts.length) throw new Fault("manyToOne for \"" + key + "\" has " + list.length + " elements; it must have " + parts.length + ", one for each column");
	for (let p = 0; p < parts.length; p++) {
		const cell = list[p];
		if (cell === undefined || cell === null) continue;
		if (typeof cell !== "object") throw new Fault("an element of manyToOne for \"" + key + "\" is " + nameKind(cell) + "; it must be {value, info}");
		change(parts[p], i, field, p, cell);
	}
}

function sameParts(column, i, values) {
	if (!isArray(values) || values.length !== column.parts.length) return false;
	for (let p = 0; p < values.length; p++) if (!same(values[p], valueAt(column.parts[p], i))) return false;
	return true;
}

// changeReader is a faster implementation of the last part of changeRow. It exists only in
// QuickJS.
let changeReader;
let readerTargets, readerResults; // the columns of the change reader

function bindChangeReader() {
	if (newChangeReader === undefined) return;
	readerTargets = bareList();
	readerResults = bareList();
	for (let f = 0; f < columns.length; f++) {
		const column = columns[f];
		readerTargets[f] = !quick[f] ? undefined : column === 0 ? missCells[f] : column.value;
		readerResults[f] = column === 0 || column.result === null ? undefined : column.result;
	}
	changeReader = newChangeReader(fieldOf, readerTargets, readerResults, changes, tallyRoom, changeNamed, fields.length);
}

// changeRow collects the result of a hook for row i. again reports whether the hook
// returned that row before. It avoids function calls and property accesses, which are slow
// in QuickJS.
function changeRow(out, i, again) {
	if (ghostly) {
		changeLazy(out, i, again);
		return;
	}
	let row = out.row;
	if (typeof row !== "object" || row === null) rowOf(out);
	if (row === shownRow) row = rowBehind;
	if (changeReader !== undefined) {
		if (changeReader(row, i) === 0 && row !== rowBehind) rowOf(out);
		return;
	}
	const names = keys(row);
	const length = names.length;
	if (length === 0 && row !== rowBehind) rowOf(out);
	for (let n = 0; n < length; n++) {
		const name = names[n];
		const field = fieldOf[name];
		const cell = field === undefined ? undefined : row[name];
		if (!quick[field] || typeof cell !== "object" || cell === null) {
			changeNamed(i, name, cell);
			continue;
		}
		const column = columns[field];
		if (column === 0 && cell === missCells[field]) continue;
		const value = cell.value;
		if (typeof value !== "string" || cell.info !== undefined || cell.selectOptions !== undefined || cell.manyToOne !== undefined) {
			change(column, i, field, -1, cell);
			continue;
		}
		if (column !== 0) {
			if (column.value[i] === value) continue;
			column.value[i] = value;
			if (column.result !== null) column.result[i] = value;
		}
		tally[SIZE] += value.length + 16;
		if (value.length > maxValue || tally[SIZE] > tally[LIMIT]) checked(value, fields[field].key);
		const at = i * fields.length + field;
		if (at !== tally[EXPECTED]) pushPosition(at, hasValue);
		expectAfter(at, field);
		push(value);
	}
}

// changeNamed collects the cell that a hook returned under a key.
function changeNamed(i, name, cell) {
	const field = fieldOf[name];
	if (field === undefined) throw new Fault("the hook returned the field \"" + short(name, 100) + "\", which the schema does not have");
	if (cell === undefined) return;
	if (typeof cell !== "object" || cell === null) throw new Fault("for the field \"" + fields[field].key + "\" the hook returned " + nameKind(cell) + "; it must be {value, info}");
	if (columns[field] === 0 && cell === missCells[field]) return;
	changeCell(columns[field], i, field, cell);
}

function changeCell(column, i, field, given) {
	const cell = learning ? learnedGet(learned, given) || given : given;
	if (fields[field].many) changeList(column, i, field, cell);
	else change(column, i, field, -1, cell);
}

// changeLazy is changeRow for results that may have ghosts. An unchanged ghost is not a
// change, unless it is returned for a different row or for a row again.
function changeLazy(out, i, again) {
	const given = settledGhost(out, i, again);
	if (given === undefined) return;
	const row = settledGhost(given.row, i, again);
	if (row === undefined && given.row !== undefined) return;
	rowOf(given);
	const names = keys(row);
	for (let n = 0; n < names.length; n++) {
		const field = fieldOf[names[n]];
		if (field === undefined) throw new Fault("the hook returned the field \"" + short(names[n], 100) + "\", which the schema does not have");
		const cell = row[names[n]];
		if (cell === undefined) continue;
		if (columns[field] === 0 && cell === missCells[field]) miss(field); // it may be the cell of another row
		if (typeof cell !== "object" || cell === null) throw new Fault("for the field \"" + fields[field].key + "\" the hook returned " + nameKind(cell) + "; it must be {value, info}");
		changeCell(columns[field], i, field, settledCell(cell, i, field, again));
	}
}

// rowOf returns the row in a result.
function rowOf(out) {
	if (typeof out !== "object" || isArray(out)) throw new Fault("the hook returned " + nameKind(out) + "; it must return {row: {…}}, or nothing");
	const { row } = out;
	if (typeof row !== "object" || row === null || isArray(row)) throw new Fault("the hook returned an object whose row is " + nameKind(row) + "; it must return {row: {…}}, or nothing");
	return row;
}
