() => ({get row() { for (;;); }})
