() => { Promise.prototype.then = () => { for (;;); }; return Promise.resolve(1); }
