// Implements calls with very many rows. Their columns are sent in packs ahead of the call.
// A pack is the concatenated text of some rows, with the ends of the values. The lists that
// hooks receive create their elements on access and keep the elements that hooks change.

// kept are the columns that were sent ahead, by field and part. A many-to-one field has
// several parts.
let kept = create(null);

function forgetKept() {
	kept = create(null);
}

// storePack stores a pack of a column. All packs except the last have the same number of
// rows.
function storePack(request) {
	const { field, part, from } = request;
	const name = field + "/" + part;
	if (kept[name] === undefined) kept[name] = newKeptColumn(field, part, request.size);
	const column = kept[name], given = request.pack;
	const result = own(given, "result");
	column.packs[column.packs.length] = { value: packOf(given.value), result: result === undefined ? null : packOf(result) };
	column.lists = column.lists || own(given, "lists") === true;
	column.infos = byRow(own(given, "infos"), column.infos, from);
	column.options = byRow(own(given, "options"), column.options, from);
}

function newKeptColumn(field, part, packSize) {
	const column = new Column(field, part);
	column.packs = bareList();
	column.size = packSize;
	return column;
}

// keptColumn returns a column as it was sent, without the changes of earlier attempts.
function keptColumn(field, part) {
	const sent = kept[field + "/" + part];
	if (sent === undefined) return null; // no hook of the call can read it
	const column = new Column(field, part);
	column.packs = sent.packs;
	column.size = sent.size;
	column.lists = sent.lists;
	column.infos = copyByRow(sent.infos);
	column.options = copyByRow(sent.options);
	return column;
}

function copyByRow(found) {
	if (found === null) return null;
	const copy = create(null), rows = keys(found);
	for (let n = 0; n < rows.length; n++) copy[rows[n]] = found[rows[n]];
	return copy;
}

function keptParts(field, count) {
	const column = newKeptColumn(field, -1, 0);
	column.parts = bareList();
	for (let p = 0; p < count; p++) column.parts[p] = keptColumn(field, p);
	return column;
}

// Each character of sizes encodes the length of a value: its code minus firstSize, because
// smaller codes need escapes. Lengths of longest or more are in long, in order.
const firstSize = 0x100;
const longest = 0xd6ff;

// packOf computes the ends of the values in a pack. kinds contains the kind of each value:
// string (s), null (z) or JSON (j). If it is missing, all values are strings.
function packOf(given) {
	const { text, sizes } = given;
	const kinds = own(given, "kinds"), long = own(given, "long");
	const ends = new Uint32ArrayOf(sizes.length);
	let end = 0, l = 0;
	for (let i = 0; i < ends.length; i++) {
		const code = charCodeAt(sizes, i) - firstSize;
		end += code === longest ? long[l++] : code;
		ends[i] = end;
	}
	return { text, ends, kinds: kinds === undefined ? null : kinds };
}

function unpacked(pack, i) {
	const kind = pack.kinds === null ? "s" : pack.kinds[i];
	if (kind === "z") return null;
	const text = slice(pack.text, i === 0 ? 0 : pack.ends[i - 1], pack.ends[i]);
	return kind === "s" ? text : parse(text);
}

const overGet = uncurryOne(Map.prototype.get);
const overEach = uncurry(Map.prototype.forEach);
const overSet = uncurryTwo(Map.prototype.set);

// overwrite records a change by a hook. The lists of this hook still show the old value;
// the lists of the next hook show the new one.
function overwrite(column, i, value) {
	if (job.list.length === 1) { // no other hook reads it
		if (column.touched === null) column.touched = new Uint8ArrayOf(column.packs.length * column.size);
		column.touched[i] = 1;
		return;
	}
	if (column.next === null) column.next = new MapOf();
	overSet(column.next, i, value);
}

// valueNow returns the value with the changes of the hook, or undefined if the changed
// value is not stored.
function valueNow(column, i) {
	if (column.touched !== null && column.touched[i] === 1) return undefined;
	const changed = column.packs === null || column.next === null ? undefined : overGet(column.next, i);
	return changed === undefined ? valueAt(column, i) : changed;
}

// putAhead records infos or options, as what says, that a hook returned for row i,
// without showing them in its own lists. latest returns the current ones.
function putAhead(column, what, i, list) {
	let to = column;
	if (column.packs !== null) to = column.ahead || (column.ahead = { __proto__: null, infos: null, options: null });
	(to[what] || (to[what] = create(null)))[i] = list;
}

function latest(column, what, i) {
	const { ahead } = column;
	const changed = ahead === null || ahead[what] === null ? undefined : ahead[what][i];
	return changed !== undefined || column[what] === null ? changed : column[what][i];
}

// settleColumns makes the changes of a hook visible to the next hook.
function settleColumns() {
	for (let f = 0; f < columns.length; f++) {
		const column = columns[f];
		if (column === 0) continue;
		settleColumn(column);
		for (let p = 0; column.parts !== null && p < column.parts.length; p++) settleColumn(column.parts[p]);
	}
}

function settleColumn(column) {
	if (column === null) return;
	if (column.next !== null) {
		if (column.over === null) column.over = new MapOf();
		overEach(column.next, (value, i) => overSet(column.over, i, value));
		column.next = null;
	}
	if (column.ahead === null) return;
	column.infos = withAll(column.infos, column.ahead.infos);
	column.options = withAll(column.options, column.ahead.options);
	column.ahead = null;
}

function withAll(found, more) {
	if (found === null || more === null) return found || more;
	const rows = keys(more);
	for (let n = 0; n < rows.length; n++) found[rows[n]] = more[rows[n]];
	return found;
}

function packedValue(column, i) {
	const changed = column.over === null ? undefined : overGet(column.over, i);
	return changed !== undefined ? changed : unpacked(column.packs[floor(i / column.size)].value, i % column.size);
}

function packedResult(column, i) {
	const changed = column.over === null ? undefined : overGet(column.over, i);
	if (changed !== undefined) return changed;
	const { value, result } = column.packs[floor(i / column.size)];
	return unpacked(result === null ? value : result, i % column.size);
}

// A ghost represents an object that is created only when the object is changed, or a part
// of it that can be changed is accessed. ghosts maps each ghost to its place.
let ghosts = new WeakMapOf();
let ghostly = false; // whether there can be any
const ghostGet = uncurryOne(WeakMap.prototype.get);
const ghostSet = uncurryTwo(WeakMap.prototype.set);

function forgetGhosts(lazy) {
	ghosts = new WeakMapOf();
	ghostly = lazy;
}

// settledGhost returns the result of a hook for row i without ghosts, or undefined if it is
// unchanged. A ghost of a different row counts as changed. So does a ghost that is returned
// again, because the changes for the row before no longer apply.
function settledGhost(given, i, again) {
	const place = typeof given === "object" && given !== null ? ghostGet(ghosts, given) : undefined;
	if (place === undefined) return given;
	const { shape } = place;
	if (again || place.i !== i) return shape.make(place);
	const real = shape.made(place);
	return real === undefined ? shape.partly(place) : real;
}

// settledCell is like settledGhost, for a cell that was returned for a row and a field. It
// copies a cell that belongs to a different place.
function settledCell(given, i, field, again) {
	const place = ghostGet(ghosts, given);
	if (place === undefined) return given;
	const real = place.shape.made(place);
	if (real !== undefined) return real;
	return place.i === i && place.field === field && !again ? unchanged : cellOf(columns[place.field], place.i);
}

const unchanged = { __proto__: null };

// Place is the place of a ghost: its list, its row and, for a cell, its field.
class Place {
	shape;
	i;
	field;

	constructor(shape, i, field) {
		this.shape = shape;
		this.i = i;
		this.field = field;
	}
}

const within = {}; // what look returns for a value that a hook could change

// shapeOf defines a kind of ghosts. names are their keys; look(place, key) returns the
// value of a key, or within; made(place) returns the object if it was created, and
// make(place) creates it. partly(place) returns an object with what was created within
// one that was not.
function shapeOf(names, look, made, make, partly) {
	const has = create(null);
	for (let n = 0; n < names.length; n++) has[names[n]] = true;
	const read = (place, key) => {
		const value = look(place, key);
		return value === within ? make(place)[key] : value;
	};
	const traps = create(null);
	for (let n = 0; n < trapNames.length; n++) {
		const plain = plainTraps[trapNames[n]];
		traps[trapNames[n]] = (place, ...args) => apply(plain, undefined, [make(place), args[0], args[1]]);
	}
	traps.get = (place, key) => {
		const real = made(place);
		if (real !== undefined) return real[key];
		return has[key] === true ? read(place, key) : ObjectPrototype[key];
	};
	traps.set = (place, key, value) => plainTraps.set(make(place), key, value);
	traps.has = (place, key) => plainTraps.has(made(place) || ObjectPrototype, key) || made(place) === undefined && has[key] === true;
	traps.ownKeys = (place) => made(place) === undefined ? copyArray(names) : ownKeys(made(place));
	traps.getOwnPropertyDescriptor = (place, key) => {
		const real = made(place);
		if (real !== undefined) return getOwnPropertyDescriptor(real, key);
		return has[key] === true ? property(read(place, key)) : undefined;
	};
	traps.getPrototypeOf = (place) => made(place) === undefined ? ObjectPrototype : getPrototypeOf(made(place));
	traps.preventExtensions = () => false;
	traps.isExtensible = () => true;
	return { traps, made, make, partly: partly || (() => undefined) };
}

function ghostOf(shape, i, field) {
	const place = new Place(shape, i, field);
	const ghost = new ProxyOf(place, shape.traps);
	ghostSet(ghosts, ghost, place);
	return ghost;
}

// lazyList is a list of count elements. element(i) creates an element on each access,
// except that the most recent elements stay the same objects. Any change to the list itself
// converts it to a plain list.
const recent = 64;
const finderNames = ["indexOf", "lastIndexOf", "includes"];
const usualFinders = [ArrayPrototype.indexOf, ArrayPrototype.lastIndexOf, ArrayPrototype.includes];

function lazyList(count, element) {
	const target = [];
	target.length = count;
	const lastRows = new Uint32ArrayOf(recent), lastOnes = bareList();
	for (let n = 0; n < recent; n++) lastOnes[n] = undefined;
	let plain = false, written = false;
	const at = (i) => {
		if (written && hasOwn(target, "" + i)) return target[i];
		const n = i % recent;
		if (lastOnes[n] === undefined || lastRows[n] !== i) {
			lastRows[n] = i;
			lastOnes[n] = element(i);
		}
		return lastOnes[n];
	};
	const place = (key) => {
		if (plain || typeof key !== "string") return -1;
		const i = +key;
		return i >= 0 && i < count && "" + i === key ? i : -1;
	};
	const settle = () => {
		if (plain) return;
		for (let i = 0; i < count; i++) defineProperty(target, i, property(at(i)));
		plain = written = true;
	};
	// find returns the index of a ghost of this list. The ghost may have been created more
	// than once.
	const find = (wanted) => {
		const known = typeof wanted === "object" && wanted !== null ? ghostGet(ghosts, wanted) : undefined;
		return known !== undefined && known.field === -1 && known.i < count && !hasOwn(target, "" + known.i) ? known.i : -1;
	};
	const finders = create(null);
	for (let n = 0; n < finderNames.length; n++) {
		const usual = usualFinders[n];
		finders[finderNames[n]] = (...args) => {
			const i = plain ? -1 : find(args[0]);
			if (i < 0) return apply(usual, target, args);
			return n === 2 ? true : i;
		};
	}
	const traps = create(null);
	for (let n = 0; n < trapNames.length; n++) {
		const usual = plainTraps[trapNames[n]];
		traps[trapNames[n]] = (...args) => {
			settle();
			return apply(usual, undefined, args);
		};
	}
	traps.get = (_, key) => {
		const i = place(key);
		if (i >= 0) return at(i);
		return !plain && finders[key] || target[key];
	};
	traps.set = (_, key, value) => {
		if (place(key) < 0) settle();
		written = true;
		return defineProperty(target, key, key === "length" ? { __proto__: null, value } : property(value)) === target;
	};
	traps.has = (_, key) => place(key) >= 0 || plainTraps.has(target, key);
	traps.getOwnPropertyDescriptor = (_, key) => {
		const i = place(key);
		return i >= 0 ? property(at(i)) : getOwnPropertyDescriptor(target, key);
	};
	traps.getPrototypeOf = () => getPrototypeOf(target);
	traps.isExtensible = () => true;
	return new ProxyOf(target, traps);
}

// makings contains the objects that were created for ghosts.
function makings(count, make) {
	const all = new MapOf(), flags = new Uint8ArrayOf(count);
	return {
		has: (i) => flags[i] === 1,
		made: (place) => flags[place.i] === 0 ? undefined : overGet(all, place.i),
		whole({ i }) {
			if (flags[i] === 1) return overGet(all, i);
			const one = make(i);
			flags[i] = 1;
			overSet(all, i, one);
			return one;
		},
	};
}

// lazyRecords returns records that are ghosts. Their rows and cells are ghosts too. A
// changed cell is created without its record, because the record is large.
function lazyRecords(request, make) {
	settleColumns();
	const names = copyEach(fields, (field) => field.key);
	const ofField = copyEach(names, () => null), some = bareList();
	const cellsOf = (field) => {
		if (ofField[field] === null) {
			ofField[field] = makings(request.rows, (i) => cellOf(columns[field], i));
			some[some.length] = field;
		}
		return ofField[field];
	};
	const addMade = (row, i) => {
		let any = false;
		for (let n = 0; n < some.length; n++) {
			if (!ofField[some[n]].has(i)) continue;
			defineProperty(row, names[some[n]], property(ofField[some[n]].made({ i })));
			any = true;
		}
		return any ? row : undefined;
	};
	// A ghost represents what the record was created with, even if a hook has replaced it
	// since.
	const { made, whole } = makings(request.rows, (i) => {
		const record = recordOf(request, make, i), { row } = record;
		addMade(row, i);
		return { record, row, cells: copyEach(names, (name) => row[name]) };
	});
	const inMade = (part) => (place) => made(place) === undefined ? undefined : part(made(place), place);
	const inWhole = (part) => (place) => part(whole(place), place);
	const theRecord = (origin) => origin.record, theRow = (origin) => origin.row, theCell = (origin, { field }) => origin.cells[field];
	const cellMade = inMade(theCell), cellWhole = inWhole(theCell);
	const cells = shapeOf(["value", "resultValue", "info"],
		({ i, field }, key) => lookAtCell(columns[field], i, key),
		(place) => {
			if (made(place) !== undefined) return cellMade(place);
			return ofField[place.field] === null ? undefined : ofField[place.field].made(place);
		},
		(place) => made(place) === undefined ? cellsOf(place.field).whole(place) : cellWhole(place));
	const rows = shapeOf(names,
		({ i }, key) => lazyCell(cells, i, fieldOf[key]),
		inMade(theRow),
		inWhole(theRow),
		(place) => addMade({}, place.i));
	const shape = shapeOf(["row", "index", "rowId"], ({ i }, key) => {
		switch (key) {
			case "row": return ghostOf(rows, i, -2);
			case "index": return indexAt(request, i);
			default: return idAt(request, i);
		}
	}, inMade(theRecord), inWhole(theRecord), (place) => {
		const row = addMade({}, place.i);
		return row === undefined ? undefined : { row };
	});
	return lazyList(request.rows, (i) => ghostOf(shape, i, -1));
}

function lazyCell(shape, i, field) {
	const column = columns[field];
	if (column === 0) return missCells[field];
	if (column.parts !== null || column.options !== null && column.options[i] !== undefined) return within;
	return ghostOf(shape, i, field);
}

function lookAtCell(column, i, key) {
	if (key === "info") return within;
	const value = key === "value" ? valueAt(column, i) : resultAt(column, i);
	return isArray(value) ? within : value;
}

// lazyOnes returns flat elements. names are their keys, and at returns a value. A changed
// value is stored without its element, which would be larger.
function lazyOnes(count, names, at, make) {
	const written = create(null);
	const setAt = (i, key) => written[key] === undefined ? undefined : written[key][i];
	const write = (i, key, value) => {
		if (written[key] === undefined) {
			const all = written[key] = bareList();
			for (let n = 0; n < count; n++) all[n] = undefined;
		}
		written[key][i] = value;
		return true;
	};
	const { made, whole } = makings(count, (i) => {
		const one = make(i);
		for (let n = 0; n < names.length; n++) {
			const value = setAt(i, names[n]);
			if (value !== undefined) defineProperty(one, names[n], property(value));
		}
		return one;
	});
	const shape = shapeOf(names, ({ i }, key) => {
		const value = setAt(i, key);
		if (value !== undefined) return value;
		const usual = at(i, key);
		return isArray(usual) ? within : usual;
	}, made, whole, ({ i }) => {
		const value = setAt(i, "value");
		return value === undefined ? undefined : { __proto__: null, value };
	});
	const known = create(null);
	for (let n = 0; n < names.length; n++) known[names[n]] = true;
	shape.traps.set = (place, key, value) => {
		const simple = value !== undefined && (typeof value !== "object" || value === null) && typeof value !== "function";
		if (simple && known[key] === true && made(place) === undefined) return write(place.i, key, value);
		return plainTraps.set(whole(place), key, value);
	};
	return lazyList(count, (i) => ghostOf(shape, i, -1));
}

function lazyValues(request, column, make) {
	settleColumns();
	return lazyOnes(request.rows, ["index", "value", "rowId"], (i, key) => {
		switch (key) {
			case "index": return indexAt(request, i);
			case "value": return valueAt(column, i);
			default: return idAt(request, i);
		}
	}, make);
}

function lazyResults(request) {
	const list = request.keys, placeOf = create(null), all = bareList();
	for (let c = 0; c < list.length; c++) {
		placeOf[list[c]] = c;
		all[c] = keptColumn(c, -1);
	}
	const cell = (i, c) => {
		return all[c] === null ? miss(c) : valueAt(all[c], i);
	};
	return lazyOnes(request.rows, list, (i, key) => cell(i, placeOf[key]), (i) => resultRow(list, (c) => cell(i, c)));
}
