() => { console.log("A\u0002\u0000\u0000\u0000{}"); return {row: {out: {value: "A\u0000\u0000\u0000\u0000F"}}}; }
