() => /^(a|a|aa)*$/.test("a".repeat(80) + "b")
