// Removes the features that hooks must not use, and explains why they are missing.

const absent = create(null);

function without(names, why) {
	for (const name of names.split(" ")) absent[name] = why + ": " + name + " is not there";
}

without("fetch XMLHttpRequest WebSocket EventSource", "hooks have no network");
without("setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask requestAnimationFrame", "hooks have no timers");
without("require module exports importScripts", "hooks cannot load modules");
without("process Buffer global __dirname __filename performance Deno Bun", "hooks cannot access the machine");
without("window document navigator location localStorage sessionStorage alert", "hooks do not run in a browser");
without("SharedArrayBuffer Atomics WebAssembly WeakRef FinalizationRegistry", "hooks must be reproducible");
without("URL URLSearchParams TextEncoder TextDecoder structuredClone atob btoa crypto Blob AbortController", "hooks have only the JavaScript language");
if (!node) absent.Intl = "the QuickJS runtime has no Intl: it comes with --hook-runtime node";

// explain replaces the "is not defined" error of an engine with the reason.
function explain(name, message) {
	if (name !== "ReferenceError") return message;
	const found = search(/^'?([\w$]+)'? is not defined$/, message);
	return found ? absent[found[1]] || found[1] + " is not defined" : message;
}

function replace(object, name, value) {
	defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

for (const name of ["SharedArrayBuffer", "Atomics", "WebAssembly", "WeakRef", "FinalizationRegistry", "gc"]) delete global[name];

// Hooks cannot create code while rows are processed, so the schema contains all code that
// runs.
replace(global, "eval", function () {
	throw new EvalErrorOf("hooks cannot build code from text: eval is not there");
});

for (const sample of [function () {}, async function () {}, function* () {}, async function* () {}]) {
	const prototype = getPrototypeOf(sample);
	const refused = function () {
		throw new EvalErrorOf("hooks cannot build code from text: the Function constructor is not there");
	};
	defineProperty(refused, "prototype", { value: prototype });
	defineProperty(refused, "name", { value: prototype.constructor.name });
	if (prototype.constructor === global.Function) replace(global, "Function", refused);
	// The constructors of async functions and generators are read-only.
	defineProperty(prototype, "constructor", { value: refused });
}
if (node) defineProperty(ErrorOf, "prepareStackTrace", { value: undefined, writable: false, configurable: false });

// QuickJS ignores locales in formatting and comparing functions. Their results would differ
// from those of other engines, so these functions throw.
function needsNode(object, name) {
	replace(object, name, function () {
		throw new TypeErrorOf(name + " needs locales, which the QuickJS runtime does not have: they come with --hook-runtime node");
	});
}

// rootCase makes a method that changes the case of letters throw for locales with special
// rules.
function rootCase(name, plain) {
	const method = String.prototype[plain];
	replace(String.prototype, name, function (locales) {
		const tag = isArray(locales) ? locales[0] : locales;
		if (tag !== undefined && search(/^(tr|az|lt)\b/i, "" + tag)) {
			throw new RangeErrorOf(name + " for " + short("" + tag, 20) + " needs locales, which the QuickJS runtime does not have: they come with --hook-runtime node");
		}
		return apply(method, this, []);
	});
}

if (!node) {
	needsNode(String.prototype, "localeCompare");
	for (const type of [Number, BigInt, Array, getPrototypeOf(Int8Array)]) needsNode(type.prototype, "toLocaleString");
	for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) needsNode(Date.prototype, name);
	rootCase("toLocaleUpperCase", "toUpperCase");
	rootCase("toLocaleLowerCase", "toLowerCase");
}

// console keeps the last lines for `intray hooks test`.
let lines = bareList();

function show(value) {
	if (typeof value === "string") return value;
	try {
		if (typeof value === "object" && value !== null) {
			return value instanceof ErrorOf ? value.name + ": " + value.message : "" + stringify(value);
		}
		return StringOf(value);
	} catch {
		return "[cannot be shown]";
	}
}

function print(...values) {
	let text = "";
	for (let i = 0; i < values.length && text.length <= maxLine; i++) text += (i > 0 ? " " : "") + show(values[i]);
	if (lines.length === maxLines) for (let i = 1; i < maxLines; i++) lines[i - 1] = lines[i];
	lines[lines.length < maxLines ? lines.length : maxLines - 1] = short(text, maxLine - 1);
}

const printer = create(getPrototypeOf({}));
for (const name of ["log", "info", "warn", "error", "debug", "trace"]) printer[name] = print;
replace(global, "console", printer);
