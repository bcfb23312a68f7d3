() => { const s = "a".repeat(1e6); for (;;) s.indexOf("a".repeat(5e5) + "b"); }
