() => { throw new Error("x".repeat(5e7)); }
