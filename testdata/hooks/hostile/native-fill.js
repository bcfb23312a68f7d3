() => { const a = new Array(1e7); for (;;) a.fill(0); }
