(() => { const a = []; for (;;) a.push([a]); })()
