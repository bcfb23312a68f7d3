// Records as hooks see them. The rows of a batch are kept column by column; a
// record comes into being when its hook is called. Cells of columns that were
// not sent are one object for each column that notes whatever touches it.

// fields are those of the load: {key, many}. fieldOf finds their places.
let fields = bareList();
let fieldOf = create(null);
let missCells = bareList();

// columns are those of the request that runs now, 0 where one was not sent.
// learning notes in used what hooks touch; missing is what they touched though
// it was not sent, and someMissing says that there is any.
let columns = bareList();
let learning = false;
let used = new Uint8ArrayOf(0);
let missing = used;
let someMissing = false;

// quick says of each field that its cells are taken as they come: no column is
// being learned, and one column feeds it.
let quick = bareList();

function take(request) {
	columns = bareList();
	learning = request.learn === true;
	used = new Uint8ArrayOf(fields.length);
	missing = new Uint8ArrayOf(fields.length);
	someMissing = false;
	quick = bareList();
	for (let f = 0; f < request.columns.length; f++) {
		columns[f] = prepared(request.columns[f], f);
		quick[f] = !learning && !fields[f].many && (columns[f] === 0 || columns[f].packs === null);
	}
}

// prepared is a column as the rest of this code wants it: 0 stays where it was
// not sent, and one that was kept is at hand already.
function prepared(given, field) {
	if (given === 0) return 0;
	const many = fields[field].many;
	if (typeof given === "number") return many ? keptParts(field, given - 1) : keptColumn(field, -1);
	const column = columnOf(given, field, -1);
	if (!many) return column;
	column.parts = bareList();
	const parts = own(given, "parts");
	for (let p = 0; p < parts.length; p++) column.parts[p] = columnOf(parts[p], field, p);
	return column;
}

// Column is what there is of a column. Infos and options are sparse, by row; packs
// are those of a column that was kept, size is how many rows are in each, and over,
// next and touched are what hooks changed of it.
class Column {
	field;
	part;
	parts = null;
	packs = null;
	size = 0;
	over = null;
	next = null;
	touched = null;
	value = null;
	result = null;
	lists = false;
	infos = null;
	options = null;
	ahead = null;

	constructor(field, part) {
		this.field = field;
		this.part = part;
	}
}

function columnOf(given, field, part) {
	const column = new Column(field, part), result = own(given, "result");
	column.value = own(given, "value");
	if (result !== undefined) column.result = result;
	column.lists = own(given, "lists") === true;
	column.infos = byRow(own(given, "infos"), null, 0);
	column.options = byRow(own(given, "options"), null, 0);
	return column;
}

const valueAt = (column, i) => column.packs === null ? column.value[i] : packedValue(column, i);
const resultAt = (column, i) => column.packs === null ? (column.result === null ? column.value : column.result)[i] : packedResult(column, i);

// byRow adds to found, from a row on.
function byRow(pairs, found, from) {
	if (pairs === undefined) return found;
	if (found === null) found = create(null);
	for (let i = 0; i < pairs.length; i += 2) found[from + pairs[i]] = pairs[i + 1];
	return found;
}

const copyList = (value) => isArray(value) ? copyArray(value) : value;

function copyArray(list) {
	const copy = [];
	for (let i = 0; i < list.length; i++) copy[i] = list[i];
	return copy;
}

const copyInfo = (info) => ({ message: info.message, level: info.level });
const copyOption = (option) => ({ label: option.label, value: option.value, alternateMatches: copyArray(own(option, "alternateMatches") || []) });

function copyEach(list, copy) {
	const made = [];
	for (let i = 0; i < list.length; i++) made[i] = copy(list[i]);
	return made;
}

function infosOf(column, i) {
	const found = column.infos;
	if (found === null || found[i] === undefined) return [];
	return copyEach(found[i], copyInfo);
}

// withOptions adds the options that a cell has of its own.
function withOptions(cell, column, i) {
	if (column.options !== null && column.options[i] !== undefined) cell.selectOptions = copyEach(column.options[i], copyOption);
	return cell;
}

// listOf makes the cell of a field that several columns feed.
function listOf(column, i) {
	const values = [], results = [], parts = [];
	for (let p = 0; p < column.parts.length; p++) {
		const part = column.parts[p];
		const cell = cellOf(part, i);
		values[p] = copyList(cell.value);
		results[p] = copyList(cell.resultValue);
		parts[p] = cell;
	}
	return { value: values, resultValue: results, info: [], manyToOne: parts };
}

function cellOf(column, i) {
	const value = copyList(valueAt(column, i));
	const resultValue = copyList(resultAt(column, i));
	return withOptions({ value, resultValue, info: infosOf(column, i) }, column, i);
}

function miss(field) {
	missing[field] = 1;
	someMissing = true;
	throw missed;
}

// A cell of a column that was not sent: whatever touches it is noted.
function missCell(field) {
	const touch = () => miss(field);
	const traps = create(null);
	for (let n = 0; n < trapNames.length; n++) traps[trapNames[n]] = touch;
	return new ProxyOf({}, traps);
}

// A cell while columns are learned: it is a whole one, and notes its use.
const learners = bareList();

function learner(field) {
	const traps = create(null);
	for (let n = 0; n < trapNames.length - 4; n++) { // all but those that are not about a property
		const plain = plainTraps[trapNames[n]];
		traps[trapNames[n]] = (...args) => {
			used[field] = 1;
			return apply(plain, undefined, args);
		};
	}
	return traps;
}

// learned holds for each cell of the records being learned the object behind it.
let learned = new WeakMapOf();
const learnedGet = uncurry(WeakMap.prototype.get);
const learnedSet = uncurry(WeakMap.prototype.set);

function learn(field, cell) {
	const shown = new ProxyOf(cell, learners[field]);
	learnedSet(learned, shown, cell);
	return shown;
}

// QuickJS drops the layout of objects, which is their keys in their order, with the
// last object that has it, and would make those of records and cells anew for each
// row. Objects that stay keep them: one for each of the first keys.
let layouts = null;

function layoutsOf(names) {
	const made = [];
	for (let n = 1; n <= names.length; n++) {
		const one = made[n - 1] = {};
		for (let i = 0; i < n; i++) defineProperty(one, names[i], property(null));
	}
	return made;
}

// layoutsFor keeps those of records, and of what hooks give back in most cases.
function layoutsFor(list) {
	const kinds = [["row", "index", "rowId"], ["value", "resultValue", "info"], ["value", "info"], ["info"], ["message", "level"]];
	for (let f = 0; f < list.length; f++) kinds[kinds.length] = [list[f].key];
	return copyEach(kinds, layoutsOf);
}

// The makers of rows are code of their own for each set of columns, so that a
// row is one literal. Some are kept.
const maxMakers = 50;
let makers = create(null);
let makersKept = 0;

function kindOf(column, changing) {
	if (column === 0) return "0";
	if (column.parts) return "p";
	if (column.packs !== null || column.lists || column.options !== null || changing || column.infos !== null) return "w";
	return column.result === null ? "v" : "r";
}

function cellCode(kind, f) {
	const column = "columns[" + f + "]";
	switch (kind) {
		case "0": return "m" + f;
		case "p": return "list(" + column + ", i)";
		case "w": return "cell(" + column + ", i)";
		case "v": return "{ value: v" + f + "[i], resultValue: v" + f + "[i], info: [] }";
		default: return "{ value: v" + f + "[i], resultValue: r" + f + "[i], info: [] }";
	}
}

// A sparse row is a proxy of an object that has the cells of the columns that
// were sent. It gets the others, in the order of the schema, when something looks
// at more than one cell.
let sparseFrom = 0; // how many columns must be missing for that
let filled = new WeakSetOf();
const isFilled = uncurry(WeakSet.prototype.has);
const setFilled = uncurry(WeakSet.prototype.add);

function fill(target) {
	if (isFilled(filled, target)) return;
	setFilled(filled, target);
	for (let f = 0; f < fields.length; f++) {
		const { key } = fields[f];
		const value = hasOwn(target, key) ? target[key] : missCells[f];
		delete target[key];
		defineProperty(target, key, property(value));
	}
}

const sparseTraps = {
	__proto__: null,
	get(target, key) {
		const f = fieldOf[key];
		if (f === undefined || columns[f] !== 0 || isFilled(filled, target)) return target[key];
		return missCells[f];
	},
	set(target, key, value) {
		fill(target);
		return defineProperty(target, key, property(value)) === target;
	},
};
for (const name of ["has", "deleteProperty", "ownKeys", "getOwnPropertyDescriptor", "defineProperty", "setPrototypeOf", "preventExtensions"]) {
	const plain = plainTraps[name];
	sparseTraps[name] = (...args) => {
		fill(args[0]);
		return apply(plain, undefined, args);
	};
}

// The sparse row that was made last, and the object behind it.
let shownRow = null;
let rowBehind = null;

function sparse(target) {
	rowBehind = target;
	shownRow = new ProxyOf(target, sparseTraps);
	return shownRow;
}

// makerCode writes: given the columns, a function from row to cells.
function makerCode(kinds, isSparse) {
	let names = "", cells = "";
	for (let f = 0; f < fields.length; f++) {
		const kind = kinds[f];
		if (kind === "0" && isSparse) continue;
		if (kind === "0") names += "const m" + f + " = miss[" + f + "];";
		if (kind === "v" || kind === "r") names += "const v" + f + " = columns[" + f + "].value;";
		if (kind === "r") names += "const r" + f + " = columns[" + f + "].result;";
		let code = cellCode(kind, f);
		if (learning) code = "learn(" + f + ", " + code + ")";
		const key = stringify(fields[f].key);
		cells += fields[f].key === "__proto__" ? "[" + key + "]: " + code + "," : key + ": " + code + ",";
	}
	const row = isSparse ? "sparse({" + cells + "})" : "{" + cells + "}";
	return "(function (columns, miss, list, cell, learn, sparse) { \"use strict\"; " + names + " return function (i) { return " + row + "; }; })";
}

// maker gives the function that makes the cells of a row. With changing, a hook
// may meet infos or options that one before it set.
function maker(changing) {
	let kinds = learning ? "+" : "-";
	let away = 0;
	for (let f = 0; f < fields.length; f++) {
		kinds += kindOf(columns[f], changing);
		if (columns[f] === 0) away++;
	}
	if (makers[kinds] === undefined) {
		if (makersKept++ % maxMakers === 0) makers = create(null);
		makers[kinds] = compile(makerCode(slice(kinds, 1), away >= sparseFrom), "intray");
	}
	return makers[kinds](columns, missCells, listOf, cellOf, learn, sparse);
}

// filler gives the function that shows row after row in one record, for a hook that
// only reads values; or null where one of them is more than a text or a number.
function filler() {
	const row = {}, cells = bareList(), values = bareList(), results = bareList();
	for (let f = 0; f < fields.length; f++) {
		const column = columns[f], kind = learning ? "w" : kindOf(column, false);
		if (kind !== "0" && kind !== "v" && kind !== "r") return null;
		const cell = column === 0 ? missCells[f] : { value: null, resultValue: null, info: null };
		defineProperty(row, fields[f].key, property(cell));
		if (column === 0) continue;
		values[cells.length] = column.value;
		results[cells.length] = column.result === null ? column.value : column.result;
		cells[cells.length] = cell;
	}
	const record = { row, index: 0 };
	return (i, index) => {
		record.index = index;
		for (let n = 0; n < cells.length; n++) {
			const cell = cells[n];
			cell.value = values[n][i];
			cell.resultValue = results[n][i];
		}
		return record;
	};
}

function setFields(list) {
	fields = copyEach(list, (field) => ({ key: field.key, many: own(field, "many") === true }));
	fieldOf = create(null);
	missCells = bareList();
	makers = create(null);
	if (!node) layouts = layoutsFor(fields);
	for (let f = 0; f < list.length; f++) {
		fieldOf[list[f].key] = f;
		missCells[f] = missCell(f);
		learners[f] = learner(f);
	}
}
