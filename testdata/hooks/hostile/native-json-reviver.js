() => JSON.parse("[1]", () => { for (;;); })
