() => { Object.prototype.value = "pwned"; Object.prototype.row = {out: {value: "pwned"}}; return {}; }
