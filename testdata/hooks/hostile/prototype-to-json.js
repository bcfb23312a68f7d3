() => { Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => "[[[["; return {row: {out: {value: "x"}}}; }
