// Captures the built-in functions that the prelude uses before hooks can change them, and
// describes values and errors from hooks.

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

// Methods that are called for each cell have a fixed number of parameters, which is faster.
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

// compile evaluates an expression. In stack traces, its frames have the given name, or a
// mark that no other code has.
const compile = node ? host.compile : (text) => indirectEval(text);
const clock = node ? host.clock : global.intrayClock;

// parseOnly parses a script without running it.
const parseOnly = node ? host.parse : (text) => FunctionOf(text);

// note reports what the worker does next. If the process is killed, the last note is the
// only evidence of that.
const note = node ? host.note : global.intrayNote;
delete global.intrayClock;

// These functions of the host exist only in QuickJS, and not on all machines; see
// changereader.go, rowloop.go and changewriter.go.
const newChangeReader = node ? undefined : global.intrayChangeReader;
const newRowLoop = node ? undefined : global.intrayRowLoop;
const writeChanges = node ? undefined : global.intrayWriteChanges;
for (const name of ["intrayNote", "intrayChangeReader", "intrayRowLoop", "intrayWriteChanges"]) delete global[name];

// A hook can change every object that it can reach. After the first hook has run, this code
// therefore does not call methods of such objects. It iterates over lists by index, reads
// properties that may be missing with own, and creates objects with all their properties.
const own = (object, name) => hasOwn(object, name) ? object[name] : undefined;

// property is a property descriptor that does not depend on the prototype of all objects.
const property = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });

// bareList returns a list without a prototype. Hooks cannot affect it by changing
// prototypes, and never receive one.
const bareList = () => setPrototypeOf([], null);

// These are the functions behind the traps of proxies, by name.
const trapNames = ["get", "set", "has", "deleteProperty", "ownKeys", "getOwnPropertyDescriptor", "defineProperty", "getPrototypeOf", "setPrototypeOf", "isExtensible", "preventExtensions"];
const plainTraps = create(null);
for (const name of trapNames) plainTraps[name] = Reflect[name];

const maxText = 500; // characters of an error message
const maxStack = 20000;
const maxLines = 20; // lines of console output
const maxLine = 200;

// faultText returns the text of a Fault, and undefined for any other value that was thrown.
let faultText;

// Fault reports an invalid result of a hook, or an invalid argument of a method. It is an
// ordinary error, because a hook may catch it and its stack contains the position.
class Fault extends ErrorOf {
	#text;

	constructor(text) {
		super(text);
		this.#text = short(text, maxText);
	}

	static {
		// This check does not call any trap of a proxy.
		faultText = (thrown) => typeof thrown === "object" && thrown !== null && #text in thrown ? thrown.#text : undefined;
	}
}

// missed is thrown when a hook reads a column that was not sent. Only someMissing is
// decisive, because the hook may catch the error.
const missed = new ErrorOf("this column is read again");

const short = (text, length) => wellFormed(text.length > length ? slice(text, 0, length) + "…" : text);

// nameKind returns a name for the kind of a value, with an article.
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

// describe returns the name and the message of any value that was thrown.
function describe(thrown) {
	try {
		if (typeof thrown !== "object" && typeof thrown !== "function" || thrown === null) {
			return { name: "", message: short(StringOf(thrown), maxText) };
		}
		const { name, message } = thrown;
		if (typeof message === "string") {
			return { name: typeof name === "string" ? short(name, 100) : "", message: short(explain(name, message), maxText) };
		}
		// If there is no memory for a message, QuickJS throws an error without one.
		if (!node && getPrototypeOf(thrown) === InternalErrorPrototype) return { name: "InternalError", message: "out of memory" };
		const text = stringify(thrown);
		return { name: "", message: short(typeof text === "string" ? text : nameKind(thrown), maxText) };
	} catch {
		return { name: "", message: "the hook threw something that cannot be shown" };
	}
}

// headOf returns the length of the message before the frames of a stack trace in Node.
function headOf(stack, message) {
	if (!node || typeof message !== "string" || message === "") return 0;
	const at = indexOf(stack, message);
	return at < 0 || at > maxText ? 0 : at + message.length;
}

// endOf returns the end of the line that starts at an index.
function endOf(text, from) {
	const end = indexOf(text, "\n", from);
	return end < 0 ? text.length : end;
}

// linesIn returns the number of lines in a text.
function linesIn(text) {
	let n = 1;
	for (let at = endOf(text, 0); at < text.length; at = endOf(text, at + 1)) n++;
	return n;
}

// locate returns the position of an error in the source of a hook. If the hook defines the
// class of the error, the position is the call of its constructor, not a line of the class.
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
		if (!node && where.column > 0) where.column = nodeColumn(lineOf(hook.source, where.line), where.column);
		return where;
	} catch { /* a stack that cannot be read has no position */ }
	return {};
}

// frame matches a line of a stack trace: the name of a function, the mark, the line and the
// column. For text that JSON.parse reads, QuickJS also writes lines without parentheses.
const frame = node ? /^\s+at (?:(.*?) \(|.*?)([^\s(]+):(\d+):(\d+)\)?$/ : /^\s+at (.*?) \(([^\s(]+):(\d+):(\d+)\)$/;

// makersOf returns the names of the classes of an error.
function makersOf(error) {
	const names = create(null);
	for (let one = getPrototypeOf(error), n = 0; one !== null && one !== ErrorPrototype && n < 20; one = getPrototypeOf(one), n++) {
		const maker = own(one, "constructor");
		if (typeof maker === "function") names[own(maker, "name")] = true;
	}
	return names;
}

// place converts a position in the wrapped source, whose first line is indented, to a
// position in the source of the hook. Columns are counted in characters; 0 means unknown. A
// hook can forge the input.
function place(hook, line, column, indent) {
	if (!isInteger(line) || line < 1) return {};
	if (line > hook.lines) return { line: hook.lines, column: 0 };
	const text = lineOf(hook.source, line);
	if (line === 1) column -= indent;
	if (!isInteger(column) || column < 1 || column > text.length + 1) return { line, column: 0 };
	return { line, column: node ? pointsIn(slice(text, 0, column - 1)) + 1 : column };
}

// lineOf returns a line of a text, counted from 1.
function lineOf(text, line) {
	let from = 0;
	for (let n = 1; n < line; n++) from = endOf(text, from) + 1;
	return slice(text, from, endOf(text, from));
}

// pointsIn returns the number of characters in a text. Some characters have two UTF-16
// units.
function pointsIn(text) {
	let n = 0;
	for (let i = 0; i < text.length; i++) if ((charCodeAt(text, i) & 0xfc00) !== 0xdc00) n++;
	return n;
}

// nodeColumn converts a column from QuickJS to the column that Node reports: that of the
// name instead of the preceding dot, of the function instead of the following parenthesis,
// and of new instead of the text after the class.
function nodeColumn(line, column) {
	let at = 0; // in UTF-16 units
	for (let n = 1; n < column && at < line.length; n++) at += (charCodeAt(line, at) & 0xfc00) === 0xd800 ? 2 : 1;
	const before = slice(line, 0, at);
	if (search(/^\.[^.\d]/, slice(line, at, at + 2))) return column + 1;
	const called = search(/\bnew\s+[\w$.\x80-\uffff]+\s*$/, before) || slice(line, at, at + 1) === "(" && search(/[\w$#\x80-\uffff]+\s*$/, before);
	return called ? column - pointsIn(called[0]) : column;
}
