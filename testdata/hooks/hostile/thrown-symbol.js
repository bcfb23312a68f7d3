() => { throw Symbol("x"); }
