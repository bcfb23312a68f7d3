() => Object.keys(new Proxy({}, {ownKeys() { for (;;); }}))
