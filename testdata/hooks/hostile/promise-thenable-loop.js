() => ({get then() { for (;;); }})
