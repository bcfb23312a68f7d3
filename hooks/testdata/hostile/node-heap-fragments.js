() => { const all = new Map(); for (let i = 0; ; i++) { all.set("k" + i, { ["p" + i]: i }); if (i % 5 === 0) all.delete("k" + (i >> 1)); } }
