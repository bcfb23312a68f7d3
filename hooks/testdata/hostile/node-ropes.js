() => { let text = "x"; for (let i = 0; i < 28; i++) text += text; const all = []; for (let i = 0; ; i++) { all.push(text + i); if (i % 3 === 0) all[i].charCodeAt(77); } }
