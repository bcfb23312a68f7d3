() => new RegExp("(?:a{1,1000}){1,1000}{1,1000}".slice(0, 26) + "$").test("a".repeat(3e4) + "b")
