() => { const f = () => { try { f(); } catch {} f(); }; f(); }
