() => { for (;;) Promise.resolve().then(() => {}); }
