({row}) => { for (const k in row) { Object.defineProperty(row, k, {get() { for (;;); }}); } return {row}; }
