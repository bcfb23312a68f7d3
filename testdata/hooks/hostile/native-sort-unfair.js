() => Array.from({length: 1e6}, (_, i) => i).sort(() => 1)
