() => ({row: {out: {value: "x".repeat(1e8)}}})
