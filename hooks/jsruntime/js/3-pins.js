// Pins the clock, random numbers, the time zone and the locale, so that they are the same
// in every run.

// These are the current hook and row. Random numbers depend only on them and the seed, so
// rows that were processed before have no effect.
let atHook = null;
let atRow = -1;

// In the row loop of the host, the current row is in tally, counted from firstInLoop.
let inLoop = false;
let firstInLoop = 0;
const currentRow = () => inLoop ? firstInLoop + tally[ROW] : atRow;
const randomState = { hook: null, row: -1, draws: 0 };
const pins = { now: 0, seed: 0, locale: "en-US", timeZone: "UTC" };

const RealDate = Date;
const realNow = RealDate.now;
let dateText = RealDate.prototype.toString;
const now = () => atHook !== null && atHook.live ? apply(realNow, RealDate, []) : pins.now;

function PinnedDate(first) {
	const count = arguments.length;
	if (new.target === undefined) return apply(dateText, new RealDate(now()), []);
	if (new.target === PinnedDate) {
		if (count === 0) return new RealDate(now());
		if (count === 1) return new RealDate(first);
	}
	return construct(RealDate, count === 0 ? [now()] : arguments, new.target);
}

for (const key of ["UTC", "parse"]) replace(PinnedDate, key, RealDate[key]);
replace(PinnedDate, "now", { now() { return now(); } }.now);
defineProperty(PinnedDate, "name", { value: "Date" });
defineProperty(PinnedDate, "length", { value: 7 });
defineProperty(PinnedDate, "prototype", { value: RealDate.prototype, writable: false });
replace(RealDate.prototype, "constructor", PinnedDate);
replace(global, "Date", PinnedDate);

// nameZone makes a method append the time zone, as in other engines.
function nameZone(method) {
	const plain = RealDate.prototype[method];
	replace(RealDate.prototype, method, function () {
		const text = apply(plain, this, []);
		return text === "Invalid Date" ? text : text + " (Coordinated Universal Time)";
	});
}

if (!node) {
	nameZone("toString");
	nameZone("toTimeString");
	dateText = RealDate.prototype.toString;
}

// mix spreads the bits of a number (the finalizer of MurmurHash3).
function mix(bits) {
	bits = imul(bits ^ bits >>> 16, 0x85ebca6b);
	bits = imul(bits ^ bits >>> 13, 0xc2b2ae35);
	return (bits ^ bits >>> 16) >>> 0;
}

function random() {
	const row = currentRow();
	if (randomState.hook !== atHook || randomState.row !== row) {
		randomState.hook = atHook;
		randomState.row = row;
		randomState.draws = 0;
	}
	const hook = atHook === null ? 0 : atHook.number + 1;
	const place = mix(pins.seed ^ mix(row + 1 ^ mix(hook)));
	const high = mix(place ^ imul(++randomState.draws, 0x9e3779b1));
	const low = mix(high ^ place + randomState.draws);
	return ((high >>> 5) * 67108864 + (low >>> 6)) / 9007199254740992;
}

replace(Math, "random", random);

// localized makes a method use the pinned locale if a hook does not specify one.
function localized(type, name, place) {
	const plain = type.prototype[name];
	replace(type.prototype, name, function (...args) {
		while (args.length < place) args[args.length] = undefined;
		if (args[place] === undefined) args[place] = pins.locale;
		return apply(plain, this, args);
	});
}

function localizedFormat(name) {
	const Plain = Intl[name];
	if (name === "Locale" || !search(/^[A-Z]/, name)) return;
	const Pinned = function (locales, options) {
		const args = [locales === undefined ? pins.locale : locales, options];
		return new.target === undefined ? apply(Plain, undefined, args) : construct(Plain, args, new.target === Pinned ? Plain : new.target);
	};
	defineProperty(Pinned, "name", { value: name });
	defineProperty(Pinned, "prototype", { value: Plain.prototype });
	replace(Pinned, "supportedLocalesOf", Plain.supportedLocalesOf);
	replace(Plain.prototype, "constructor", Pinned);
	replace(Intl, name, Pinned);
}

// localePinned reports whether methods use the pinned locale. They check it in each call.
let localePinned = false;

// nameZoneAgain makes a method write the time zone in English on machines with a different
// language.
function nameZoneAgain(method) {
	const plain = RealDate.prototype[method];
	replace(RealDate.prototype, method, function () {
		const text = apply(plain, this, []);
		const name = pins.timeZone === "UTC" ? search(/^(.* \()[^(]*\)$/, text) : null;
		return name === null ? text : name[1] + "Coordinated Universal Time)";
	});
	dateText = RealDate.prototype.toString;
}

function pinLocale() {
	if (localePinned) return;
	localePinned = true;
	for (const name of Object.getOwnPropertyNames(Intl)) localizedFormat(name);
	for (const type of [Number, BigInt]) localized(type, "toLocaleString", 0);
	for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) localized(RealDate, name, 0);
	for (const name of ["toLocaleUpperCase", "toLocaleLowerCase"]) localized(String, name, 0);
	localized(String, "localeCompare", 1);
	for (const name of ["toString", "toTimeString"]) nameZoneAgain(name);
}

if (node) {
	if (new Intl.NumberFormat().resolvedOptions().locale !== pins.locale) pinLocale();
	// A format function without a date uses the clock.
	const prototype = Intl.DateTimeFormat.prototype;
	const { get } = getOwnPropertyDescriptor(prototype, "format");
	const parts = prototype.formatToParts;
	const given = (date) => date === undefined ? now() : date;
	defineProperty(prototype, "format", {
		get() {
			const format = apply(get, this, []);
			return (date) => format(given(date));
		},
		configurable: true,
	});
	replace(prototype, "formatToParts", function (date) { return apply(parts, this, [given(date)]); });
}

// applyPins applies the pins of a load request. It throws if the runtime does not support them.
function applyPins(wanted) {
	pins.now = wanted.now;
	pins.seed = wanted.seed | 0;
	pins.locale = wanted.locale;
	pins.timeZone = wanted.timeZone;
	if (node) {
		host.zone(pins.timeZone);
		if (pins.locale !== "en-US") pinLocale();
		return;
	}
	if (pins.timeZone !== "UTC") throw new Fault("the time zone " + pins.timeZone + " comes with --hook-runtime node; the QuickJS runtime has UTC");
	if (pins.locale !== "en-US") throw new Fault("the locale " + pins.locale + " comes with --hook-runtime node; the QuickJS runtime has en-US");
}
