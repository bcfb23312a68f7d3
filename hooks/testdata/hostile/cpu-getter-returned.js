() => ({ get row() { return { get out() { for (;;); } }; } })
