() => { const text = "a".repeat(40) + "!"; for (const r of [/^(a?){40}a{40}$/, /^(([a-z])+.)+[A-Z]([a-z])+$/, /(?<=(a+)+)b/, /^(?:a|aa|aaa)*$/u]) while (!r.test(text)) r.exec(text + text); }
