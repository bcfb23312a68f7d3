/**
 * Tab-separated text as spreadsheets copy it to the clipboard. Cells that contain tabs,
 * line breaks or quotes are quoted, and the quotes in them are doubled.
 */

export type Matrix = string[][];

export function toTsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quoted).join('\t')).join('\r\n');
}

function quoted(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Parses tab-separated text. Accepts any text. Pads short rows with "". */
export function parseTsv(text: string): Matrix {
  const rows: Matrix = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const cell = cellAt(text, at);
    row.push(cell.text);
    at = cell.end;
    if (text[at] === '\t') {
      at++;
      continue;
    }
    rows.push(row);
    row = [];
    at = afterBreak(text, at);
    // A line break after the last row ends that row and does not start another.
    if (at >= text.length) break;
  }
  return padRows(rows);
}

/** Pads every row to the length of the longest. */
export function padRows(rows: Matrix): Matrix {
  const cols = rows.reduce((most, row) => Math.max(most, row.length), 0);
  for (const row of rows) while (row.length < cols) row.push('');
  return rows;
}

function cellAt(text: string, at: number): { text: string; end: number } {
  return (text[at] === '"' && quotedAt(text, at)) || plainAt(text, at);
}

function plainAt(text: string, at: number): { text: string; end: number } {
  let end = at;
  while (end < text.length && !'\t\r\n'.includes(text[end]!)) end++;
  return { text: text.slice(at, end), end };
}

/**
 * Parses a quoted cell. Returns null if the quote is never closed and is therefore an
 * ordinary character.
 */
function quotedAt(text: string, at: number): { text: string; end: number } | null {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    if (text[end + 1] === '"') {
      end++;
      continue;
    }
    const next = text[end + 1];
    if (next !== undefined && !'\t\r\n'.includes(next)) return null;
    return { text: text.slice(at + 1, end).replaceAll('""', '"').replaceAll('\r\n', '\n'), end: end + 1 };
  }
  return null;
}

function afterBreak(text: string, at: number): number {
  return text.startsWith('\r\n', at) ? at + 2 : at + 1;
}
