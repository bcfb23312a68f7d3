() => { const flood = () => { for (let i = 0; i < 1000; i++) Promise.resolve().then(flood); }; flood(); return new Promise(() => {}); }
