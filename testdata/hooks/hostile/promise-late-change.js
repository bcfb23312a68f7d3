(r) => { Promise.resolve().then(() => { r.row.out.value = "late"; }); return null; }
