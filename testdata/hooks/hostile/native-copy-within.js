() => Array.prototype.copyWithin.call({length: 2 ** 53 - 1}, 0, 1)
