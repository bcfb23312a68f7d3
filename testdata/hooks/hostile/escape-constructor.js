() => { throw new Error(String((function () {}).constructor("return process")())); }
