// What the prelude needs of the language, taken before any hook can change it,
// and the words in which it speaks of what hooks did.

const { parse, stringify } = JSON;
const { isArray } = Array;
const { isFinite, isInteger } = Number;
const { apply, construct, ownKeys } = Reflect;
const { keys, create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
const { imul, floor } = Math;
const ProxyOf = Proxy;
const ErrorOf = Error;
const EvalErrorOf = EvalError;
const TypeErrorOf = TypeError;
const RangeErrorOf = RangeError;
const StringOf = String;
const FunctionOf = Function;
const WeakMapOf = WeakMap;
const WeakSetOf = WeakSet;
const MapOf = Map;
const Uint8ArrayOf = Uint8Array;
const Uint32ArrayOf = Uint32Array;
const Float64ArrayOf = Float64Array;
const ArrayBufferOf = ArrayBuffer;
const ErrorPrototype = Error.prototype;
const ObjectPrototype = Object.prototype;
const ArrayPrototype = Array.prototype;
const GeneratorPrototype = getPrototypeOf(function* () {});
const AsyncGeneratorPrototype = getPrototypeOf(async function* () {});
const indirectEval = eval;
const uncurry = (method) => (self, ...args) => apply(method, self, args);

// Methods that are called for each cell take as many arguments as they need.
const uncurryOne = (method) => (self, a) => apply(method, self, [a]);
const uncurryTwo = (method) => (self, a, b) => apply(method, self, [a, b]);
const slice = uncurryTwo(String.prototype.slice);
const indexOf = uncurry(String.prototype.indexOf);
const charCodeAt = uncurryOne(String.prototype.charCodeAt);
const wellFormed = uncurry(String.prototype.toWellFormed);
const isWellFormed = uncurry(String.prototype.isWellFormed);
const search = uncurry(RegExp.prototype.exec);
const hasOwn = uncurryOne(Object.prototype.hasOwnProperty);
const functionText = uncurry(Function.prototype.toString);

const global = globalThis;
const node = host !== undefined;
const InternalErrorPrototype = node ? null : global.InternalError.prototype;

// compile gives the value of an expression. Its frames in stack traces bear the
// name, or a mark that no other code has.
const compile = node ? host.compile : (text) => indirectEval(text);
const clock = node ? host.clock : global.intrayClock;

// parseOnly reads a script and does not run it.
const parseOnly = node ? host.parse : (text) => FunctionOf(text);

// note tells the outside what is done from now on: when the process is killed,
// that is all that is known.
const note = node ? host.note : global.intrayNote;
delete global.intrayClock;

// newTaker is there where the engine can be spoken to without its language.
const newTaker = node ? undefined : global.intrayTaker;
delete global.intrayNote;
delete global.intrayTaker;

// Whatever a script may find is as changeable as what it made itself. From the
// first hook on, this code therefore calls nothing by name of an object that
// hooks can reach, goes through lists by their places, reads what may be absent
// with own, and makes objects with all that they will have.
const own = (object, name) => hasOwn(object, name) ? object[name] : undefined;

// property is a plain one, whatever the prototype of all objects was given.
const property = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });

// A list without a prototype takes what is put into it, whatever hooks did to all
// lists. Hooks are given none.
const bareList = () => setPrototypeOf([], null);

// The functions behind the traps of proxies, by their names.
const trapNames = ["get", "set", "has", "deleteProperty", "ownKeys", "getOwnPropertyDescriptor", "defineProperty", "getPrototypeOf", "setPrototypeOf", "isExtensible", "preventExtensions"];
const plainTraps = create(null);
for (const name of trapNames) plainTraps[name] = Reflect[name];

const maxText = 500; // characters of a message of an error
const maxStack = 20000;
const maxLines = 20; // lines of console output
const maxLine = 200;

// faultText is what a Fault says, and undefined of whatever else was thrown.
let faultText;

// Fault is a breach of what a hook may give back, or hand to a method. It is an
// error as others are, for a hook may catch it, and its stack says where it arose.
class Fault extends ErrorOf {
	#text;

	constructor(text) {
		super(text);
		this.#text = short(text, maxText);
	}

	static {
		// It asks without touching what may be a proxy of the hook.
		faultText = (thrown) => typeof thrown === "object" && thrown !== null && #text in thrown ? thrown.#text : undefined;
	}
}

// missed stands for the read of a column that was not sent. It is an error for
// the hook, whose catch may swallow it: what counts is someMissing.
const missed = new ErrorOf("this column is read again");

const short = (text, length) => wellFormed(text.length > length ? slice(text, 0, length) + "…" : text);

// nameKind says what a value is, with an article.
function nameKind(value) {
	if (value === null) return "null";
	if (isArray(value)) return "a list";
	switch (typeof value) {
		case "undefined": return "undefined";
		case "string": return "a text";
		case "number": return isFinite(value) ? "a number" : "the number " + value;
		case "boolean": return "" + value;
		case "object": return value instanceof RealDate ? "a Date" : "an object";
		default: return "a " + (typeof value);
	}
}

// describe gives name and message of whatever was thrown.
function describe(thrown) {
	try {
		if (typeof thrown !== "object" && typeof thrown !== "function" || thrown === null) {
			return { name: "", message: short(StringOf(thrown), maxText) };
		}
		const { name, message } = thrown;
		if (typeof message === "string") {
			return { name: typeof name === "string" ? short(name, 100) : "", message: short(explain(name, message), maxText) };
		}
		// QuickJS throws its error without a message where it has no memory for one.
		if (!node && getPrototypeOf(thrown) === InternalErrorPrototype) return { name: "InternalError", message: "out of memory" };
		const text = stringify(thrown);
		return { name: "", message: short(typeof text === "string" ? text : nameKind(thrown), maxText) };
	} catch {
		return { name: "", message: "the hook threw something that cannot be shown" };
	}
}

// headOf is how long the message is that some engines put before the frames.
function headOf(stack, message) {
	if (!node || typeof message !== "string" || message === "") return 0;
	const at = indexOf(stack, message);
	return at < 0 || at > maxText ? 0 : at + message.length;
}

// endOf gives where the line that begins at a place ends.
function endOf(text, from) {
	const end = indexOf(text, "\n", from);
	return end < 0 ? text.length : end;
}

// linesIn counts lines.
function linesIn(text) {
	let n = 1;
	for (let at = endOf(text, 0); at < text.length; at = endOf(text, at + 1)) n++;
	return n;
}

// locate finds the place in the source of a hook where an error arose. An error of
// a class of the hook's own arose where it was made, and not within the class.
function locate(thrown, hook) {
	try {
		const stack = thrown.stack;
		if (typeof stack !== "string") return {};
		const text = slice(stack, headOf(stack, thrown.message), maxStack);
		const makers = node ? null : makersOf(thrown);
		let first = null;
		for (let from = 0; from <= text.length;) {
			const end = endOf(text, from);
			const found = search(frame, slice(text, from, end));
			from = end + 1;
			if (!found || found[2] !== hook.mark) continue;
			if (first === null) first = found;
			if (makers === null || makers[found[1]] !== true) {
				first = found;
				break;
			}
		}
		if (first === null) return {};
		const where = place(hook, +first[3], +first[4], node ? 0 : hook.indent);
		if (!node && where.column > 0) where.column = pointedAt(lineOf(hook.source, where.line), where.column);
		return where;
	} catch { /* a stack that cannot be read names no place */ }
	return {};
}

// frame is a line of a stack: the name of a function, its mark, line and column.
// QuickJS has lines without brackets too, which are of a text that JSON.parse reads.
const frame = node ? /^\s+at (?:(.*?) \(|.*?)([^\s(]+):(\d+):(\d+)\)?$/ : /^\s+at (.*?) \(([^\s(]+):(\d+):(\d+)\)$/;

// makersOf gives the names of the classes that an error is of.
function makersOf(error) {
	const names = create(null);
	for (let one = getPrototypeOf(error), n = 0; one !== null && one !== ErrorPrototype && n < 20; one = getPrototypeOf(one), n++) {
		const maker = own(one, "constructor");
		if (typeof maker === "function") names[own(maker, "name")] = true;
	}
	return names;
}

// place turns a place of the wrapped text, whose first line is indented, into one
// of the hook's own source. Columns count characters; 0 is not known. What they
// come from a hook can forge.
function place(hook, line, column, indent) {
	if (!isInteger(line) || line < 1) return {};
	if (line > hook.lines) return { line: hook.lines, column: 0 };
	const text = lineOf(hook.source, line);
	if (line === 1) column -= indent;
	if (!isInteger(column) || column < 1 || column > text.length + 1) return { line, column: 0 };
	return { line, column: node ? pointsIn(slice(text, 0, column - 1)) + 1 : column };
}

// lineOf gives a line of a text, counted from 1.
function lineOf(text, line) {
	let from = 0;
	for (let n = 1; n < line; n++) from = endOf(text, from) + 1;
	return slice(text, from, endOf(text, from));
}

// pointsIn counts characters, of which some are two units of a text.
function pointsIn(text) {
	let n = 0;
	for (let i = 0; i < text.length; i++) if ((charCodeAt(text, i) & 0xfc00) !== 0xdc00) n++;
	return n;
}

// pointedAt gives the column that Node tells where QuickJS tells one in a line: that
// of the name for the dot ahead of it, of the function for the bracket behind it,
// and of new for what follows the class.
function pointedAt(line, column) {
	let at = 0; // units
	for (let n = 1; n < column && at < line.length; n++) at += (charCodeAt(line, at) & 0xfc00) === 0xd800 ? 2 : 1;
	const before = slice(line, 0, at);
	if (search(/^\.[^.\d]/, slice(line, at, at + 2))) return column + 1;
	const called = search(/\bnew\s+[\w$.\x80-\uffff]+\s*$/, before) || slice(line, at, at + 1) === "(" && search(/[\w$#\x80-\uffff]+\s*$/, before);
	return called ? column - pointsIn(called[0]) : column;
}
