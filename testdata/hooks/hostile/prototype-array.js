() => { Array.prototype.push = Array.prototype.map = null; Array.prototype[Symbol.iterator] = null; }
