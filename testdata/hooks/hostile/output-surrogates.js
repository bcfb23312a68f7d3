() => ({row: {out: {value: "\ud800"}}})
