import { padRows, type Matrix } from './tsv';

/**
 * Reads and writes tables as HTML on the clipboard. The tokenizer never creates a document
 * from pasted text, because the text is untrusted and the content security policy of the
 * pages forbids turning text into markup.
 */

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function toHtml(rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `<tr>${row.map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`;
  // Without this style, spreadsheets collapse spaces.
  return `<table style="white-space:pre-wrap">${rows.map(line).join('')}</table>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => escapes[sign]!).replaceAll('\n', '<br>');
}

/** Returns the first table of the clipboard's HTML, or null if there is none. */
export function parseHtml(html: string): Matrix | null {
  const reader = new TableReader();
  let at = 0;
  while (at < html.length && !reader.done) {
    const next = html[at] === '<' ? markupEnd(html, at) : html.indexOf('<', at);
    const end = next < 0 ? html.length : next;
    const part = html.slice(at, end);
    const tag = /^<(\/?)([a-z][a-z0-9:]*)/i.exec(part);
    if (tag && part.endsWith('>')) reader.tag(tag[2]!.toLowerCase(), tag[1] === '/', part);
    else if (!tag && !/^<[!?]/.test(part)) reader.text(part);
    at = end;
  }
  return reader.rows.length ? padRows(reader.rows) : null;
}

/**
 * Returns the end of the markup that begins at a "<". Reads each character once, so
 * untrusted input takes linear time.
 */
function markupEnd(html: string, at: number): number {
  if (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + 4);
    return end < 0 ? html.length : end + 3;
  }
  if (!/[a-z/!?]/i.test(html[at + 1] ?? '')) return at + 1;
  let quote = '';
  for (let end = at + 1; end < html.length; end++) {
    const sign = html[end]!;
    if (quote) quote = sign === quote ? '' : quote;
    else if (sign === '>') return end + 1;
    else if (sign === '"' || sign === "'") quote = sign;
  }
  return html.length;
}

class TableReader {
  readonly rows: Matrix = [];
  done = false;
  #depth = 0;
  #cell: string | null = null;
  #span = 1;
  #below: number[] = [];
  #hidden = '';
  #kept = false;

  tag(name: string, closes: boolean, attributes: string): void {
    if (name === 'style' || name === 'script') this.#hidden = closes ? '' : name;
    else if (name === 'table') this.#table(closes, attributes);
    else if (this.#depth !== 1) return;
    else if (name === 'tr') this.#row(closes);
    else if (name === 'td' || name === 'th') this.#open(closes, attributes);
    else if (name === 'br' && this.#cell !== null) this.#cell += '\n';
    else if (name === 'p' || name === 'div') this.#paragraph(closes);
  }

  text(raw: string): void {
    if (this.#cell === null || this.#hidden) return;
    const folded = this.#kept ? raw : raw.replace(/[ \t\r\n\f]+/g, ' ');
    this.#cell += plain(folded);
  }

  #table(closes: boolean, attributes: string): void {
    if (!closes && this.#depth++ === 0) this.#kept = /white-space:\s*pre/.test(attributes);
    if (closes && --this.#depth === 0) {
      this.#end();
      this.done = this.rows.length > 0;
    }
  }

  #row(closes: boolean): void {
    this.#end();
    if (closes) return;
    this.rows.push([]);
    this.#skip();
  }

  #open(closes: boolean, attributes: string): void {
    this.#end();
    if (closes) return;
    if (this.rows.length === 0) this.rows.push([]);
    this.#cell = '';
    // The numbers are untrusted, so limit them.
    this.#span = Math.min(1000, number(attributes, 'colspan'));
    const down = Math.min(10_000, number(attributes, 'rowspan'));
    const at = this.rows.at(-1)!.length;
    for (let col = at; col < at + this.#span; col++) this.#below[col] = down;
  }

  #paragraph(closes: boolean): void {
    if (!closes && this.#cell) this.#cell = this.#cell.replace(/[ \n]*$/, '\n');
  }

  #end(): void {
    if (this.#cell === null) return;
    const row = this.rows.at(-1)!;
    row.push(this.#kept ? this.#cell : trimmed(this.#cell));
    for (let more = 1; more < this.#span; more++) row.push('');
    this.#cell = null;
    this.#skip();
  }

  /** Skips cells that the rowspan of a cell above covers. */
  #skip(): void {
    const row = this.rows.at(-1)!;
    const above = this.rows.length > 1;
    while (above && (this.#below[row.length] ?? 0) > 1) {
      this.#below[row.length]!--;
      row.push('');
    }
  }
}

function trimmed(text: string): string {
  return text.replace(/ *\n */g, '\n').replace(/^[ \n]+|[ \n]+$/g, '').replaceAll('\u00a0', ' ');
}

function number(attributes: string, name: string): number {
  const found = new RegExp(`\\b${name}\\s*=\\s*["']?(\\d{1,6})`, 'i').exec(attributes);
  return Math.max(1, Number(found?.[1] ?? 1));
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (all, decimal, hex, name) => {
    if (name) return named[String(name).toLowerCase()] ?? all;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
