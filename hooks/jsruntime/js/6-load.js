// Converts sources to functions.

// hooks are the hooks of the load request: {kind, name, source, reads, live, number, mark,
// indent, lines, call}.
let hooks = [];

// The author of a schema can request the real clock at the top of a hook.
const liveClock = /^\s*\/\/ *intray: *live-clock\b/;

// baseline contains the keys of the global object before any hook ran. removeGlobals
// removes all other keys.
const baseline = create(null);

// forms returns the two expressions in which a source can be embedded: a function, or a
// method of an object.
function forms(source) {
	const plain = { text: "(" + source + "\n)", other: "[" + source + "\n]", indent: 1, method: false };
	const method = { text: "({" + source + "\n})", other: "[{" + source + "\n}]", indent: 2, method: true };
	return [plain, method];
}

// bare removes the semicolon that often follows a function.
function bare(source) {
	const found = search(/^[^]*[^;\s]/, source);
	return found === null ? "" : found[0];
}

function parses(text) {
	try {
		parseOnly(text);
		return true;
	} catch {
		return false;
	}
}

// evaluate returns the value of a form. A source that closes the bracket around it cannot
// also close a different kind of bracket, so a source that can be parsed within both kinds
// is one expression.
function evaluate(form, mark) {
	if (!parses(form.other) && parses(form.text)) throw new Fault("the hook is more than one function expression");
	const value = compile(form.text, mark, form.indent);
	if (!form.method) return value;
	const names = ownKeys(value);
	return names.length === 1 ? value[names[0]] : undefined;
}

// build returns the function of a hook, or its fault. If neither form can be parsed, it
// returns the syntax error in the later line, which is more likely the actual one.
function build(hook) {
	const source = bare(hook.source);
	const both = source === "" ? bareList() : forms(source);
	let fault;
	for (let n = 0; n < both.length; n++) {
		const form = both[n];
		hook.indent = form.indent;
		try {
			const value = evaluate(form, hook.mark);
			const kind = uncallable(value);
			if (kind === "") return { call: value, fault: undefined };
			if (!form.method || typeof value === "function") throw new Fault("the hook is " + kind + "; it must be a function");
		} catch (thrown) {
			const found = loadFault(thrown, hook);
			if (fault === undefined || found.kind !== "syntax" || found.line > fault.line) fault = found;
			if (found.kind !== "syntax") break;
		}
	}
	return { call: undefined, fault: fault || loadFault(new Fault("the hook is empty"), hook) };
}

// uncallable describes a value that cannot be called as a hook. It returns "" for a
// function.
function uncallable(value) {
	if (typeof value !== "function") return nameKind(value);
	const maker = getPrototypeOf(value);
	if (maker === GeneratorPrototype || maker === AsyncGeneratorPrototype) return "a generator";
	return search(/^class\b/, functionText(value)) === null ? "" : "a class";
}

// syntaxPlace returns the position of a syntax error. For an unknown private name, QuickJS
// reports only the name.
function syntaxPlace(thrown, hook) {
	if (!node && isInteger(thrown.lineNumber)) return placeOrEnd(hook, thrown.lineNumber, thrown.columnNumber);
	const unknown = node ? null : search(/^undefined private field '(#.*)'$/, thrown.message);
	if (unknown) return placeOf(hook, indexOf(hook.source, unknown[1]));
	const text = slice("" + thrown.stack, 0, maxStack);
	const first = endOf(text, 0), second = endOf(text, first + 1);
	const found = search(/:(\d+)$/, slice(text, 0, first));
	if (!found) return {};
	return placeOrEnd(hook, +found[1], indexOf(slice(text, second + 1, endOf(text, second + 1)), "^") + 1);
}

// placeOrEnd returns the position of a syntax error. Lines after the last line of the
// source belong to this code, so an error there means that the source ends too early.
function placeOrEnd(hook, line, column) {
	if (line <= hook.lines) return place(hook, line, column, hook.indent);
	return { line: hook.lines, column: pointsIn(lineOf(bare(hook.source), hook.lines)) + 1, atEnd: true };
}

// placeOf returns the position of an index in the source.
function placeOf(hook, at) {
	if (at < 0) return {};
	const before = slice(hook.source, 0, at), line = linesIn(before);
	return { line, column: pointsIn(lineOf(before, line)) + 1 };
}

// loadFault returns the fault for a hook that cannot be loaded.
function loadFault(thrown, hook) {
	const fault = faultText(thrown);
	if (fault !== undefined) return { kind: "notFunction", hook: hook.name, message: fault, line: 1, column: 1 };
	const { name, message } = describe(thrown);
	const syntax = name === "SyntaxError";
	const where = syntax ? syntaxPlace(thrown, hook) : locate(thrown, hook);
	return {
		kind: syntax ? "syntax" : "threw", hook: hook.name, name,
		message: own(where, "atEnd") === true ? "the source ends too early" : message,
		line: own(where, "line") || 0, column: own(where, "column") || 0,
	};
}

// withCall returns a hook with its function. It sets the function when it creates the
// object, so that an optimizing engine knows that it does not change.
function withCall(hook, call) {
	const { kind, name, source, reads, number, live, mark, indent, lines: count } = hook;
	return { kind, name, source, reads, number, live, mark, indent, lines: count, spent: 0, call };
}

function buildAll() {
	const faults = bareList();
	randomState.hook = null;
	for (let h = 0; h < hooks.length; h++) {
		const hook = hooks[h];
		note(hook.name);
		atHook = hook;
		atRow = -1;
		const { call, fault } = build(hook);
		if (fault === undefined) hooks[h] = withCall(hook, call);
		else faults[faults.length] = fault;
	}
	atHook = null;
	return faults;
}

function prepareHook(given, number) {
	return {
		kind: given.kind, name: given.name, source: given.source, reads: own(given, "reads") === true, number,
		live: search(liveClock, given.source) !== null,
		mark: node ? given.name : "<input>",
		indent: 1, lines: linesIn(bare(given.source)),
		spent: 0,
	};
}

function load(request) {
	atHook = null;
	try {
		applyPins(request.pins);
	} catch (thrown) {
		return { faults: [{ kind: "threw", hook: "", message: describe(thrown).message, line: 0, column: 0 }] };
	}
	removeGlobals();
	forgetKept();
	tally[LIMIT] = usualLimit = request.limit;
	sparseFrom = request.sparse || (node ? 200 : 24);
	setFields(request.fields);
	hooks = bareList();
	for (let h = 0; h < request.hooks.length; h++) hooks[h] = prepareHook(request.hooks[h], h);
	return { faults: buildAll() };
}

// removeGlobals removes everything that hooks added to the global object.
function removeGlobals() {
	const names = ownKeys(global);
	for (let n = 0; n < names.length; n++) if (!baseline[names[n]]) delete global[names[n]];
}

// resetHooks removes all data that hooks stored in earlier calls, including data in their
// own scope.
function resetHooks() {
	removeGlobals();
	buildAll();
}
