() => ({row: Object.fromEntries(Array.from({length: 1e6}, (_, i) => ["k" + i, {value: i}]))})
