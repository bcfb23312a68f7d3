() => ({row: {out: {selectOptions: Array.from({length: 1e6}, (_, i) => ({label: "l" + i, value: "v" + i}))}}})
