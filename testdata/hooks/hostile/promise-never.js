() => new Promise(() => {})
