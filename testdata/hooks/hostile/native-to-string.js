() => String({toString() { for (;;); }})
