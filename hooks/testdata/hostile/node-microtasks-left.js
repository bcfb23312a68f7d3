() => { const again = () => Promise.resolve().then(again); again(); return { row: { out: { value: "left behind" } } }; }
