(r) => { r.index = -1; r.rowId = "9"; return {row: {out: {value: "x"}}, index: 1e9}; }
