() => JSON.stringify({toJSON() { for (;;); }})
