import { toSourceFault } from './block-cache';
import type { Core } from './core';
import { displayText } from './display-text';
import { parseHtml, toHtml } from './html';
import { SourceFault, type Row } from './row-source';
import { cellsOf, colsOf, rowsOf, type Range } from './ranges';
import { parseTsv, toTsv, type Matrix } from './tsv';

/** Maximum number of cells copied or pasted at once. */
export const maxCells = 1_000_000;
const readAtOnce = 1000;

/** A copied range: the raw text of its cells, and the text on the clipboard. */
interface Copy {
  readonly texts: Matrix;
  readonly plain: string;
  readonly html: string;
}

/**
 * Handles copy, cut and paste. Other programs receive the text that the table shows.
 * Pasting into the same grid uses the raw text.
 */
export class Clipboard {
  readonly #core: Core;
  readonly #stop = new AbortController();
  #last: Omit<Copy, 'html'> | null = null;

  constructor(core: Core, active: () => boolean, signal: AbortSignal) {
    this.#core = core;
    signal.addEventListener('abort', () => this.#stop.abort());
    const on = (name: 'copy' | 'cut' | 'paste', act: (event: ClipboardEvent) => void) =>
      document.addEventListener(name, (event) => active() && act(event), { signal });
    on('copy', (event) => this.#copy(event, false));
    on('cut', (event) => this.#copy(event, true));
    on('paste', (event) => this.#paste(event));
  }

  /** Returns the raw text of each cell in a range, or null if the range is too large or not completely loaded. */
  read(range: Range): Matrix | null {
    if (cellsOf(range) > maxCells) return null;
    const rows: Matrix = [];
    for (let row = range.top; row <= range.bottom; row++) {
      const line: string[] = [];
      for (let col = range.left; col <= range.right; col++) {
        const cell = this.#core.cell({ row, col });
        if (!cell || cell.cut) return null;
        line.push(cell.text);
      }
      rows.push(line);
    }
    return rows;
  }

  #copy(event: ClipboardEvent, cut: boolean): void {
    const range = this.#core.selection.range;
    if (!range) return;
    event.preventDefault();
    if (cellsOf(range) > maxCells) return this.#core.notify(this.#core.texts.copyTooMuch(cellsOf(range), maxCells));
    const texts = this.read(range);
    if (!texts) return void this.#copyAll(range, cut);
    const copy = this.#print(texts, range);
    event.clipboardData?.setData('text/plain', copy.plain);
    event.clipboardData?.setData('text/html', copy.html);
    this.#copied(range, cut, copy);
  }

  #print(texts: Matrix, range: Range): Copy {
    const { columns } = this.#core;
    const named = texts.map((line) => line.map((text, at) => displayText(columns.at(range.left + at), text)));
    return { texts, plain: toTsv(named), html: toHtml(named) };
  }

  /**
   * Copies a range that must be loaded first. Passes a promise to the clipboard
   * immediately, because browsers allow access only in response to the key press.
   */
  async #copyAll(range: Range, cut: boolean): Promise<void> {
    if (!navigator.clipboard?.write) return this.#core.notify(this.#core.texts.copyDenied());
    this.#core.notify(this.#core.texts.copying(cellsOf(range)));
    const all = this.#fetch(range).then((texts) => this.#print(texts, range));
    const blob = (type: string, part: 'plain' | 'html') => all.then((copy) => new Blob([copy[part]], { type }));
    try {
      await navigator.clipboard.write([
        new ClipboardItem({ 'text/plain': blob('text/plain', 'plain'), 'text/html': blob('text/html', 'html') }),
      ]);
      this.#copied(range, cut, await all);
    } catch {
      // Either loading the rows or writing to the clipboard failed.
      this.#core.notify(await all.then(() => this.#core.texts.copyDenied(), (cause) => toSourceFault(cause).message));
    }
  }

  async #fetch(range: Range): Promise<Matrix> {
    const { source } = this.#core.config;
    const texts: Matrix = [];
    while (texts.length < rowsOf(range)) {
      const from = range.top + texts.length;
      const to = Math.min(range.bottom + 1, from + readAtOnce);
      const { rows } = await source.rows(from, to, this.#stop.signal);
      if (rows.length === 0) break;
      for (const row of rows) {
        texts.push(this.#line(row, range, range.top + texts.length));
      }
    }
    return texts;
  }

  #line(row: Row, range: Range, index: number): string[] {
    const line: string[] = [];
    for (let col = range.left; col <= range.right; col++) {
      const cell = this.#core.cellOf(row, index, col);
      if (cell.cut) throw new SourceFault('failed', this.#core.texts.tooLong(this.#core.columns.at(col).label));
      line.push(cell.text);
    }
    return line;
  }

  #copied(range: Range, cut: boolean, { texts, plain }: Copy): void {
    this.#last = { texts, plain };
    if (cut) this.#core.change(range, [['']], 'cut');
    this.#core.notify(this.#core.texts.copied(cellsOf(range)));
  }

  #paste(event: ClipboardEvent): void {
    const range = this.#core.selection.range;
    if (!range || !event.clipboardData) return;
    event.preventDefault();
    const plain = event.clipboardData.getData('text/plain');
    const last = this.#last;
    const texts = last && isOwnCopy(plain, last.plain) ? last.texts : chooseMatrix(plain, event.clipboardData.getData('text/html'));
    if (!texts) return this.#core.notify(this.#core.texts.cannotPaste());
    this.#write(range, texts);
  }

  #write(range: Range, texts: Matrix): void {
    const { rows, cols } = this.#core.selection.size;
    const high = texts.length;
    const wide = texts[0]!.length;
    const most = this.#core.config.maxPaste ?? maxCells;
    if (high * wide > most) return this.#core.notify(this.#core.texts.tooMuch(high * wide, most));
    const area = pasteArea(range, high, wide);
    const fits = { ...area, bottom: Math.min(rows - 1, area.bottom), right: Math.min(cols - 1, area.right) };
    const lostRows = area.bottom - fits.bottom;
    const lostCols = area.right - fits.right;
    const fitting = texts.slice(0, rowsOf(fits)).map((line) => line.slice(0, colsOf(fits)));
    this.#core.change(fits, fitting, 'paste', undefined, { rows: lostRows, cols: lostCols });
    this.#core.selection.to({ row: fits.top, col: fits.left });
    this.#core.selection.extend({ row: fits.bottom, col: fits.right });
    this.#core.selectionChanged();
    if (lostRows || lostCols) this.#core.notify(this.#core.texts.leftOut(lostRows, lostCols));
  }

}

/**
 * Reports whether the clipboard still contains what was copied. Operating systems may
 * change the line breaks.
 */
export function isOwnCopy(plain: string, copied: string): boolean {
  return plain !== '' && plain.replaceAll('\r\n', '\n') === copied.replaceAll('\r\n', '\n');
}

/**
 * Chooses between the two clipboard formats. Tab-separated text preserves spaces exactly.
 * HTML distinguishes line breaks in a cell from the end of a row. If both have the same
 * number of rows and columns, returns the tab-separated text, otherwise the HTML. Returns
 * null if there is neither.
 */
export function chooseMatrix(plain: string, html: string): Matrix | null {
  const table = html ? parseHtml(html) : null;
  if (!table || table[0]!.length === 0) return plain ? parseTsv(plain) : null;
  if (!plain) return table;
  const text = parseTsv(plain);
  return text.length === table.length && text[0]!.length === table[0]!.length ? text : table;
}

/**
 * Returns the area to paste into: the whole range if its size is a multiple of the size of the
 * matrix, otherwise an area of the size of the matrix, starting at the first cell of the range.
 */
export function pasteArea(range: Range, high: number, wide: number): Range {
  const repeats = rowsOf(range) % high === 0 && colsOf(range) % wide === 0;
  if (repeats) return range;
  return { ...range, bottom: range.top + high - 1, right: range.left + wide - 1 };
}
