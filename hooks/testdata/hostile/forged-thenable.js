() => ({ then(take, refuse) { take({ row: { out: { value: "one" } } }); take({ row: { out: { value: "ESCAPED" } } }); refuse(new Error("two")); for (let i = 0; i < 1e5; i++) take(i); } })
