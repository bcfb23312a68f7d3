() => ({row: {out: {value: new Array(1e7).fill("x")}}})
