() => { const a = []; a[2 ** 32 - 2] = 1; return {row: {out: {value: a}}}; }
