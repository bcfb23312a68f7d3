() => { const go = () => Promise.resolve().then(go); return go(); }
