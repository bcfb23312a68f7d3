() => { const a = "\u0344\u0315".repeat(3e5); for (;;) { a.normalize("NFD"); if (typeof Intl !== "undefined") a.localeCompare(a + "x", "sv", { numeric: true }); } }
