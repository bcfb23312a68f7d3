/** Saves content as a file on the computer of the user. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Returns a CSV file with only the header row that the import expects. */
export function csvTemplate(headers: readonly string[]): Blob {
  return new Blob([templateText(headers)], { type: 'text/csv;charset=utf-8' });
}

/** Returns rows as CSV (RFC 4180). */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map((cell) => quoted(String(cell ?? ''))).join(',')}\r\n`).join('');
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/**
 * Returns the header row as CSV (RFC 4180). It begins with a byte order mark, without which Excel
 * reads UTF-8 as another encoding. A header that a spreadsheet would run as a formula gets an
 * apostrophe.
 */
export function templateText(headers: readonly string[]): string {
  const cells = headers.map((header) => {
    const safe = /^[=+\-@\t\r]/.test(header) ? `'${header}` : header;
    return /[",\r\n]/.test(safe) ? quoted(safe) : safe;
  });
  return `\ufeff${cells.join(',')}\r\n`;
}
