() => { const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1)); }
