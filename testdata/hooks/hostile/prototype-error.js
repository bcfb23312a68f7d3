() => { Error.prepareStackTrace = () => { for (;;); }; Error.stackTraceLimit = 1e9; throw new Error("x"); }
