() => { const all = []; for (;;) { const b = new Uint8Array(16 << 20); for (let i = 0; i < b.length; i += 4096) b[i] = 1; all.push(b); } }
