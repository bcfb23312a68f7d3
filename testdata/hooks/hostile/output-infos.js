() => ({row: {out: {info: Array.from({length: 1e6}, () => ({message: "m".repeat(1e3)}))}}})
