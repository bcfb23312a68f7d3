() => { if (typeof Intl === "undefined") return null; const all = []; for (;;) all.push(new Intl.DateTimeFormat("ar-u-ca-islamic", { dateStyle: "full", timeZone: "Asia/Riyadh" })); }
