() => { const a = {length: 2 ** 53 - 1}; return Array.prototype.indexOf.call(a, 1); }
