() => ({then(take) { take(this); }})
