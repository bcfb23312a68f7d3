() => { const a = {}; a.row = a; a.out = a; a.value = a; return a; }
