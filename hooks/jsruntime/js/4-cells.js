// Records as hooks see them. The rows of a call are stored column by column. A record is
// created when its hook is called. All cells of a column that was not sent are the same
// object, which records every access.

// fields are the fields of the load request: {key, many}. fieldOf maps keys to their
// indexes.
let fields = bareList();
let fieldOf = create(null);
let missCells = bareList();

// columns are the columns of the current request, or 0 if not sent. While columns are
// learned, used marks the fields that hooks use. missing marks the fields that hooks used
// but that were not sent. someMissing reports whether there are any.
let columns = bareList();
let learning = false;
let used = new Uint8ArrayOf(0);
let missing = used;
let someMissing = false;

// quick marks the fields whose changed cells need no further check, because no columns are
// learned and the field is not many-to-one.
let quick = bareList();

function setColumns(request) {
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

// prepared returns a column of a request as a Column. It returns 0 for a column that was
// not sent, and the stored column for a column that was sent ahead.
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

// Column is a column. Infos and options are sparse, by row. If the column was sent ahead,
// packs are its packs, and size is the number of rows in each pack. over, next and touched
// contain the changes that hooks made.
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

// byRow adds the pairs of rows and lists to found, counting rows from the given one.
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

// withOptions adds the select options that only this cell has.
function withOptions(cell, column, i) {
	if (column.options !== null && column.options[i] !== undefined) cell.selectOptions = copyEach(column.options[i], copyOption);
	return cell;
}

// listOf creates the cell of a many-to-one field.
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

// missCell creates the cell of a column that was not sent. The cell records every access.
function missCell(field) {
	const touch = () => miss(field);
	const traps = create(null);
	for (let n = 0; n < trapNames.length; n++) traps[trapNames[n]] = touch;
	return new ProxyOf({}, traps);
}

// While columns are learned, a cell is complete and records its use.
const learners = bareList();

function learner(field) {
	const traps = create(null);
	for (let n = 0; n < trapNames.length - 4; n++) { // the last four do not access a property
		const plain = plainTraps[trapNames[n]];
		traps[trapNames[n]] = (...args) => {
			used[field] = 1;
			return apply(plain, undefined, args);
		};
	}
	return traps;
}

// learned maps the proxy of each cell to its target, while columns are learned.
let learned = new WeakMapOf();
const learnedGet = uncurry(WeakMap.prototype.get);
const learnedSet = uncurry(WeakMap.prototype.set);

function learn(field, cell) {
	const shown = new ProxyOf(cell, learners[field]);
	learnedSet(learned, shown, cell);
	return shown;
}

// QuickJS drops the layout of objects (their keys in order) with the last object that has
// it. It would create the layouts of records and cells again for each row. These objects
// prevent that: there is one for each prefix of the keys.
let layouts = null;

function layoutsOf(names) {
	const made = [];
	for (let n = 1; n <= names.length; n++) {
		const one = made[n - 1] = {};
		for (let i = 0; i < n; i++) defineProperty(one, names[i], property(null));
	}
	return made;
}

// layoutsFor returns objects with the layouts of records and of the values that most hooks
// return.
function layoutsFor(list) {
	const kinds = [["row", "index", "rowId"], ["value", "resultValue", "info"], ["value", "info"], ["info"], ["message", "level"]];
	for (let f = 0; f < list.length; f++) kinds[kinds.length] = [list[f].key];
	return copyEach(kinds, layoutsOf);
}

// maxMakers is the maximum number of cached makers. Each maker has code for one set of
// columns, which creates a row with one literal. That is fast.
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

// A sparse row is a proxy for an object with the cells of the columns that were sent. The
// other cells are added, in schema order, when more than one cell is accessed.
let sparseFrom = 0; // the number of missing columns from which rows are sparse
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

// This is the sparse row that was created last, with its target.
let shownRow = null;
let rowBehind = null;

function sparse(target) {
	rowBehind = target;
	shownRow = new ProxyOf(target, sparseTraps);
	return shownRow;
}

// makerCode returns source code that, given the columns, creates a function from a row to
// its cells.
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

// maker returns the function that creates the cells of a row. With changing, a hook may see
// infos or options that an earlier hook set.
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

// filler returns the Filler that presents each row in the same record, for a hook that only reads
// values. It returns null if a value is not a string or a number.
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
	return new Filler({ row, index: 0 }, cells, values, results);
}

class Filler {
	record;
	cells; // those that have values
	values; // a list for each of the cells
	results;

	constructor(record, cells, values, results) {
		this.record = record;
		this.cells = cells;
		this.values = values;
		this.results = results;
	}

	// fill returns the record with the cells of row i.
	fill(i, index) {
		const { record, cells, values, results } = this;
		record.index = index;
		for (let n = 0; n < cells.length; n++) {
			const cell = cells[n];
			cell.value = values[n][i];
			cell.resultValue = results[n][i];
		}
		return record;
	}
}

function setFields(list) {
	fields = copyEach(list, (field) => ({ key: field.key, many: own(field, "many") === true }));
	const indexes = create(null);
	// V8 keeps the properties of an object without a prototype in a hash table, but optimizes access
	// to those of a prototype.
	fieldOf = node ? create(indexes) : indexes;
	missCells = bareList();
	makers = create(null);
	if (!node) layouts = layoutsFor(fields);
	for (let f = 0; f < list.length; f++) {
		indexes[list[f].key] = f;
		missCells[f] = missCell(f);
		learners[f] = learner(f);
	}
}
