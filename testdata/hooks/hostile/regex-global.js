() => { const r = /(?:)/g; let n = 0; while (r.exec("x") !== 7) { r.lastIndex = 0; n++; } }
