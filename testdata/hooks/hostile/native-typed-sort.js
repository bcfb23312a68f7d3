() => new Float64Array(1e6).sort(() => { for (;;); })
