() => { Object.defineProperty(Array.prototype, 0, { set() {}, get() { return 12345; }, configurable: true }); return { row: { out: { value: "x" } } }; }
