() => { Object.defineProperty(Array.prototype, "0", {set() { for (;;); }}); return {row: {out: {value: ["x"]}}}; }
