() => /(?<=(a+)+)c/.test("a".repeat(200) + "b")
