() => ({changes: [999999, "x"], failure: null, miss: [0], row: {out: {value: '"],"changes":[1,2,3]}'}}})
