() => { for (const name of Object.getOwnPropertyNames(globalThis)) if (/intray|note|host|enter|frame/i.test(name)) return { row: { out: { value: "ESCAPED " + name } } }; for (;;); }
