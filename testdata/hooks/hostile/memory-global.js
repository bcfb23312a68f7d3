() => { globalThis.kept ||= []; for (let i = 0; i < 1e8; i++) kept.push([i]); }
