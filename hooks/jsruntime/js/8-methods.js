// The methods of the object that step hooks and beforeFinishCallback receive. A method
// throws if an argument is invalid, so the error has the position of the call.

const maxCommands = 10000; // of a call
const maxDepth = 32; // of nested lists and objects
const maxName = 300; // characters of a key
const maxArguments = 4;
const maxElements = 1000000; // of a list
const maxIndex = 9007199254740991;
const userTexts = { __proto__: null, id: true, name: true, email: true, companyId: true, companyName: true };

// These are the steps in which a method can be called, unless it can be called in all
// steps.
const upload = "UPLOAD_STEP", review = "REVIEW_STEP", post = "REVIEW_STEP_POST_HOOKS";
const stepsOf = {
	__proto__: null,
	addField: [upload, review], removeField: [upload, review],
	setHeaderRowOverride: [upload, upload],
	addRows: [review, review], removeRows: [review, review],
	updateInfoMessages: [review, post],
};

// refuse throws an error about an argument.
function refuse(what, value, wanted) {
	throw new Fault(what + " is " + nameKind(value) + "; it must be " + wanted);
}

function textFor(value, what) {
	if (typeof value !== "string") refuse(what, value, "a text");
	if (value.length > maxValue) throw new Fault(what + " has " + value.length + " characters; " + maxValue + " are allowed");
	if (!isWellFormed(value)) throw new Fault(what + " " + loneSurrogateText);
	grow(value.length + 4);
	return value;
}

function booleanFor(value, what) {
	if (typeof value !== "boolean") refuse(what, value, "true or false");
	return value;
}

function indexFor(value, what) {
	if (!isInteger(value) || value < 0 || value > maxIndex) {
		throw new Fault(what + " is " + (typeof value === "number" ? "" + value : nameKind(value)) + "; it must be a whole number, 0 or more");
	}
	grow(20);
	return value;
}

function objectFor(value, what, wanted) {
	if (typeof value !== "object" || value === null || isArray(value)) refuse(what, value, wanted);
	return value;
}

// plainFor copies a JSON value of any kind.
function plainFor(value, what) {
	let text, plain;
	try {
		text = plainText(value === undefined ? null : value);
		if (typeof text === "string") plain = parse(text);
	} catch {
		throw new Fault(what + " cannot be written as JSON");
	}
	if (typeof text !== "string") refuse(what, value, "plain JSON");
	grow(text.length);
	const flaw = flawIn(plain, 0);
	if (flaw !== undefined) throw new Fault(what + " " + flaw);
	return plain;
}

// flawIn describes the error in plain JSON, if there is one.
function flawIn(value, depth) {
	if (depth > maxDepth) return "has more than " + maxDepth + " nested levels of lists and objects";
	if (typeof value === "string" && value.length > maxValue) return "holds a text of " + value.length + " characters; " + maxValue + " are allowed";
	if (typeof value === "string" && !isWellFormed(value)) return loneSurrogateText;
	if (typeof value !== "object" || value === null) return undefined;
	const names = keys(value);
	for (let n = 0; n < names.length; n++) {
		const name = names[n];
		if (name.length > maxName) return "has a key of " + name.length + " characters; " + maxName + " are allowed";
		const flaw = isWellFormed(name) ? flawIn(value[name], depth + 1) : loneSurrogateText;
		if (flaw !== undefined) return flaw;
	}
	return undefined;
}

// plainText writes JSON as if no object or list inherited toJSON.
function plainText(value) {
	const ofObjects = hide(ObjectPrototype), ofLists = hide(ArrayPrototype);
	try {
		return stringify(value);
	} finally {
		if (ofObjects !== undefined) defineProperty(ObjectPrototype, "toJSON", ofObjects);
		if (ofLists !== undefined) defineProperty(ArrayPrototype, "toJSON", ofLists);
	}
}

function hide(object) {
	const found = getOwnPropertyDescriptor(object, "toJSON");
	if (found === undefined || !found.configurable) return undefined;
	delete object.toJSON;
	return setPrototypeOf(found, null);
}

// errorHere returns an error with its position, even if a hook has limited the length of
// stack traces in Node.
function errorHere() {
	const set = node ? getOwnPropertyDescriptor(ErrorOf, "stackTraceLimit") : undefined;
	if (set === undefined || !set.configurable) return new ErrorOf();
	defineProperty(ErrorOf, "stackTraceLimit", property(10));
	const error = new ErrorOf();
	defineProperty(ErrorOf, "stackTraceLimit", setPrototypeOf(set, null));
	return error;
}

// Methods are the methods of one call. They track which fields its hooks added and removed.
class Methods {
	request;
	commands;
	fields = create(null);

	constructor(request, commands) {
		this.request = request;
		this.commands = commands;
	}

	// call runs a method and returns its result.
	call(name, args) {
		const { request, commands } = this;
		const { step } = request, steps = stepsOf[name];
		if (job === null || job.request !== request) throw new Fault(name + " can only be called until the hook has ended");
		if (request.op === "finish" && name !== "setConfirmationMessage") throw new Fault(name + ": the import can't change anymore; call this in a step hook");
		if (steps !== undefined && step !== undefined && step !== steps[0] && step !== steps[1]) {
			throw new Fault(name + " has no effect at " + step + ": call it at " + steps[0] + (steps[1] === steps[0] ? "" : " or " + steps[1]));
		}
		if (commands.length >= maxCommands) throw new Fault("the hook made more than " + maxCommands + " method calls");
		const list = this[name](args), where = locate(errorHere(), atHook);
		commands[commands.length] = { hook: atHook.name, name, args: list, line: where.line, column: where.column };
		return name === "addRows" ? copyArray(list[1]) : undefined;
	}

	has(key) {
		return this.fields[key] === undefined ? fieldOf[key] !== undefined : this.fields[key];
	}

	keyFor(value, what) {
		const key = textFor(value, what);
		if (!this.has(key)) throw new Fault(what + " is \"" + short(key, 100) + "\", and there is no such field");
		return key;
	}

	// addField does not validate the field. The caller of the runtime validates it and
	// reports the position of the call.
	addField(args) {
		const field = plainFor(objectFor(args[0], "argument 1 of addField", "a field: {label, key, type}"), "argument 1 of addField");
		const key = own(field, "key"), neighbor = textOr(args[1], undefined);
		if (typeof key === "string" && this.has(key)) throw new Fault("addField: the field \"" + short(key, 100) + "\" already exists");
		const list = neighbor === undefined ? [field] : [field, this.neighborFor(neighbor, "argument 2 of addField")];
		if (typeof key === "string") this.fields[key] = true;
		return list;
	}

	// neighborFor reads the position at which a field is inserted.
	neighborFor(given, what) {
		const wanted = objectFor(given, what, "{before: key} or {after: key}");
		const before = textOr(wanted.before, "") === "" ? undefined : this.keyFor(wanted.before, "before in " + what);
		const after = textOr(wanted.after, "") === "" ? undefined : this.keyFor(wanted.after, "after in " + what);
		if (before !== undefined && after !== undefined) throw new Fault(what + " has both before and after; one of them is enough");
		return { before, after };
	}

	removeField(args) {
		const key = this.keyFor(args[0], "argument 1 of removeField");
		this.fields[key] = false;
		return [key];
	}

	setHeaderRowOverride(args) {
		return [indexFor(args[0], "argument 1 of setHeaderRowOverride")];
	}

	setUser(args) {
		const user = objectFor(args[0], "argument 1 of setUser", "{id, name, email, companyId, companyName}");
		const made = {}, names = keys(user);
		for (let n = 0; n < names.length; n++) {
			const name = names[n], value = user[name];
			if (userTexts[name] !== true) throw new Fault("the user passed to setUser has \"" + short(name, 100) + "\"; a user has id, name, email, companyId and companyName");
			if (value !== undefined && value !== null) defineProperty(made, name, property(textFor(value, name + " of the user passed to setUser")));
		}
		return [made];
	}

	setDevelopmentMode(args) {
		return [booleanFor(args[0], "argument 1 of setDevelopmentMode")];
	}

	// setConfirmationMessage has no effect, because API imports show no confirmation.
	setConfirmationMessage(args) {
		const list = bareList();
		for (let i = 0; i < args.length && i < maxArguments; i++) list[i] = plainFor(args[i], "argument " + (i + 1) + " of setConfirmationMessage");
		return list;
	}

	removeRows(args) {
		return [listed(args[0], "argument 1 of removeRows", undefined, maxElements, (id, _, n) => textFor(id, "element " + n + " of argument 1 of removeRows"))];
	}

	updateInfoMessages(args) {
		return [listed(args[0], "argument 1 of updateInfoMessages", undefined, maxElements, (one, _, n) => {
			const what = "element " + n + " of argument 1 of updateInfoMessages";
			const { rowIndex, fieldKey, manyToOneIndex, messages } = objectFor(one, what, "{rowIndex, fieldKey, messages}");
			const key = this.keyFor(fieldKey, "the fieldKey of " + what);
			const part = textOr(manyToOneIndex, undefined);
			return {
				rowIndex: indexFor(rowIndex, "the rowIndex of " + what),
				fieldKey: key,
				manyToOneIndex: part === undefined ? undefined : indexFor(part, "the manyToOneIndex of " + what),
				messages: listed(messages, "messages of " + what, undefined, maxInfos, (info) => checkedInfo(info, key)),
			};
		})];
	}

	addRows(args) {
		const { request } = this;
		const rows = listed(args[0], "argument 1 of addRows", undefined, maxElements, (one, _, n) => {
			const what = "element " + n + " of argument 1 of addRows";
			const { index, row } = objectFor(one, what, "{index, row}");
			const at = textOr(index, undefined);
			return { index: at === undefined ? undefined : indexFor(at, "the index of " + what), row: this.rowFor(row, what) };
		});
		const ids = bareList();
		for (let n = 0; n < rows.length; n++) ids[n] = (request.newIds || "new-") + request.nextId++;
		return [rows, ids];
	}

	// rowFor reads a row to add. Its cells have only values.
	rowFor(row, what) {
		const made = {}, names = keys(objectFor(row, "the row of " + what, "an object with cells"));
		grow(8);
		for (let n = 0; n < names.length; n++) {
			const key = names[n], cell = row[key];
			if (!this.has(key)) throw new Fault("the row of " + what + " has the field \"" + short(key, 100) + "\", and there is no such field");
			if (cell === undefined) continue;
			const { value, manyToOne, info } = objectFor(cell, "\"" + key + "\" in the row of " + what, "{value}");
			if (textOr(manyToOne, none) !== none) throw new Fault("\"" + key + "\" in the row of " + what + " has manyToOne; addRows accepts only value");
			if (textOr(info, none) !== none && !(isArray(info) && info.length === 0)) throw new Fault("\"" + key + "\" in the row of " + what + " has info; addRows accepts only value; use updateInfoMessages for messages");
			const found = value === undefined ? undefined : checked(value, key);
			if (!whole(found)) throw new Fault("\"" + key + "\" in the row of " + what + " " + loneSurrogateText);
			if (found !== undefined) defineProperty(made, key, property({ value: found }));
		}
		return made;
	}
}

const methodNames = ["addField", "removeField", "updateInfoMessages", "setHeaderRowOverride", "addRows", "removeRows", "setUser", "setDevelopmentMode", "setConfirmationMessage"];

function instanceFor(request, result) {
	result.commands = bareList();
	const methods = new Methods(request, result.commands), instance = {};
	for (let n = 0; n < methodNames.length; n++) {
		const name = methodNames[n];
		defineProperty(instance, name, property((...args) => methods.call(name, setPrototypeOf(args, null))));
	}
	return instance;
}
