() => { throw null; }
