() => ({row: {["__proto__"]: {value: 1}, constructor: {value: 2}}})
