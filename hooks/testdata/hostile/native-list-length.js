() => ({ row: { out: { value: "x", info: new Proxy([], { get: (t, k) => k === "length" ? 2 ** 32 - 1 : { message: "m" } }) } } })
