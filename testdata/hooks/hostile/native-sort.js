() => new Array(1e6).fill(0).map((_, i) => -i).sort(() => { for (;;); })
