() => { for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k]; } catch {} } return {row: {out: {value: "x"}}}; }
