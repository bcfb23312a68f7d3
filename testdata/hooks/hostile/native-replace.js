() => "a".repeat(1e6).replace(/a/g, () => { for (;;); })
