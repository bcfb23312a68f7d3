() => { const m = new SharedArrayBuffer(8); Atomics.wait(new Int32Array(m), 0, 0); }
