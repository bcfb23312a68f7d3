() => { JSON.stringify = JSON.parse = () => { for (;;); }; return {row: {out: {value: "x"}}}; }
