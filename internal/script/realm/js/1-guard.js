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
const PromiseOf = Promise;
const promiseThen = Promise.prototype.then;
const promiseResolve = Promise.resolve;
const indirectEval = eval;
const uncurry = (method) => (self, ...args) => apply(method, self, args);
const slice = uncurry(String.prototype.slice);
const indexOf = uncurry(String.prototype.indexOf);
const split = uncurry(String.prototype.split);
const wellFormed = uncurry(String.prototype.toWellFormed);
const isWellFormed = uncurry(String.prototype.isWellFormed);
const search = uncurry(RegExp.prototype.exec);

const global = globalThis;
const node = host !== undefined;

// compile gives the value of an expression. Its frames in stack traces bear the
// name, or a mark that no other code has.
const compile = node ? host.compile : (text) => indirectEval(text);
const clock = node ? host.clock : global.intrayClock;
delete global.intrayClock;

const maxText = 500; // characters of a message of an error
const maxStack = 20000;
const maxLines = 20; // lines of console output
const maxLine = 200;

// Fault is a breach of what a hook may give back.
class Fault {
	#brand = true;

	constructor(message) {
		this.message = message;
	}

	// is asks without touching what may be a proxy of the hook.
	static is(thrown) {
		return typeof thrown === "object" && thrown !== null && #brand in thrown;
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
		case "number": return isFinite(value) ? "a number" : `the number ${value}`;
		case "boolean": return `${value}`;
		case "object": return value instanceof Date ? "a Date" : "an object";
		default: return `a ${typeof value}`;
	}
}

// describe gives name and message of whatever was thrown.
function describe(thrown) {
	try {
		if (typeof thrown !== "object" && typeof thrown !== "function" || thrown === null) {
			return { name: "", message: short(String(thrown), maxText) };
		}
		const { name, message } = thrown;
		if (typeof message === "string") {
			return { name: typeof name === "string" ? short(name, 100) : "", message: short(explain(name, message), maxText) };
		}
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

// locate finds the place in the source of a hook where an error arose.
function locate(thrown, hook) {
	try {
		const stack = thrown.stack;
		if (typeof stack !== "string") return {};
		for (const line of split(slice(stack, headOf(stack, thrown.message), maxStack), "\n")) {
			const found = search(/^\s+at .*?([^\s(]+):(\d+):(\d+)\)?$/, line);
			if (found && found[1] === hook.mark) return place(hook, +found[2], +found[3], node ? 0 : hook.indent);
		}
	} catch { /* a stack that cannot be read names no place */ }
	return {};
}

// place turns a place of the wrapped text, whose first line is indented, into
// one of the hook's own source. Column 0 is the end of the line.
function place(hook, line, column, indent) {
	if (line > hook.lines) return { line: hook.lines, column: 0 };
	return { line, column: line === 1 ? column - indent : column };
}
