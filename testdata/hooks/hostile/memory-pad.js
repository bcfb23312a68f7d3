() => "".padStart(2 ** 30, "x")
