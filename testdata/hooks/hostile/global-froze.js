() => { Object.freeze(globalThis); Object.freeze(Object.prototype); Object.freeze(Array.prototype); return {row: {out: {value: "x"}}}; }
