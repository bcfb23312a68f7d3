() => { let n = 0; return {row: {out: {get value() { return n++ ? {} : "x"; }}}}; }
