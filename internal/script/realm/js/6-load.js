// Hooks become functions here.

// hooks are those of the load: {kind, name, source, live, number, mark, indent,
// lines, call}.
let hooks = [];

// A schema's author may ask for the real clock, at the top of a hook.
const liveClock = /^\s*\/\/ *intray: *live-clock\b/;

// What scripts add to the global object, a fresh start takes away.
const baseline = create(null);

// forms are the ways in which a source can be an expression that gives a
// function: as it stands, or as a method of an object.
function forms(source) {
	const plain = { text: `(${source}\n)`, indent: 1, method: false };
	const method = { text: `({${source}\n})`, indent: 2, method: true };
	return [plain, method];
}

// bare drops the semicolon that often follows a function.
const bare = (source) => apply(String.prototype.replace, source, [/[;\s]+$/, ""]);

function evaluate(form, mark) {
	const value = compile(form.text, mark, form.indent);
	if (!form.method) return value;
	const names = ownKeys(value);
	return names.length === 1 ? value[names[0]] : undefined;
}

// build makes the function of a hook, or throws what to say.
function build(hook) {
	const source = bare(hook.source);
	if (source === "") throw new Fault("the hook is empty");
	let first;
	for (const form of forms(source)) {
		hook.indent = form.indent;
		try {
			const value = evaluate(form, hook.mark);
			if (typeof value === "function") return value;
			if (!form.method) throw new Fault(`the hook is ${nameKind(value)}; it must be a function`);
		} catch (thrown) {
			if (first === undefined) first = { thrown, indent: form.indent };
			if (describe(thrown).name !== "SyntaxError") break;
		}
	}
	hook.indent = first.indent;
	throw first.thrown;
}

// syntaxPlace finds where an engine saw a mistake of syntax.
function syntaxPlace(thrown, hook) {
	if (!node && isInteger(thrown.lineNumber)) return place(hook, thrown.lineNumber, thrown.columnNumber, hook.indent);
	const lines = split(slice(`${thrown.stack}`, 0, maxStack), "\n");
	const found = search(/:(\d+)$/, lines[0]);
	if (!found) return {};
	const column = lines.length > 2 ? indexOf(lines[2], "^") + 1 : 0;
	return place(hook, +found[1], column, hook.indent);
}

// loadFault tells what is wrong with the source of a hook.
function loadFault(thrown, hook) {
	if (Fault.is(thrown)) return { hook: hook.name, message: thrown.message, line: 1, column: 1 };
	const { name, message } = describe(thrown);
	const where = name === "SyntaxError" ? syntaxPlace(thrown, hook) : locate(thrown, hook);
	return { hook: hook.name, name, message, line: where.line || 0, column: where.column || 0 };
}

function buildAll() {
	const faults = [];
	luck.hook = null;
	for (const hook of hooks) {
		atHook = hook;
		atRow = -1;
		try {
			hook.call = build(hook);
		} catch (thrown) {
			faults[faults.length] = loadFault(thrown, hook);
		}
	}
	atHook = null;
	return faults;
}

function prepareHook(given, number) {
	return {
		kind: given.kind, name: given.name, source: given.source, number,
		live: search(liveClock, given.source) !== null,
		mark: node ? given.name : "<input>",
		indent: 1, lines: split(bare(given.source), "\n").length,
		spent: 0,
	};
}

function load(request) {
	atHook = null;
	try {
		pin(request.pins);
	} catch (thrown) {
		return { faults: [{ hook: "", message: describe(thrown).message, line: 0, column: 0 }] };
	}
	sweep();
	limit = request.limit;
	sparseFrom = request.sparse || (node ? 200 : 24);
	setFields(request.fields);
	hooks = [];
	for (let h = 0; h < request.hooks.length; h++) hooks[h] = prepareHook(request.hooks[h], h);
	return { faults: buildAll() };
}

// sweep takes away what hooks put on the global object.
function sweep() {
	for (const key of ownKeys(global)) if (!baseline[key]) delete global[key];
}

// refresh forgets what hooks kept between calls, in their own scope too.
function refresh() {
	sweep();
	buildAll();
}
