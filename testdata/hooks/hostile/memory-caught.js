() => { const all = []; for (;;) { try { all.push(new Array(1e5).fill(2)); } catch { } } }
