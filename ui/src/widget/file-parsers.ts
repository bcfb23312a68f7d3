import { csvOf } from '../import/template';
import type { Peer } from './channel';
import { limited } from './limited';

/** The file formats that the page reads itself, by the extensions of their names. */
export class FileParsers {
  #extensions: ReadonlySet<string> = new Set();

  set(extensions: unknown): void {
    const given = Array.isArray(extensions) ? extensions : [];
    this.#extensions = new Set(given.filter((one) => typeof one === 'string').map((one) => one.toLowerCase().replace(/^\./, '')));
  }

  /** Reports whether the page reads files with this name. */
  reads(name: string): boolean {
    return this.#extensions.has(/\.([^.]*)$/.exec(name)?.[1]?.toLowerCase() ?? '');
  }

  /** Returns a CSV file with the cells that the page has read from a file; null if it could not. */
  async read(peer: Peer, file: File): Promise<File | null> {
    try {
      const rows = await limited(file.arrayBuffer().then((content) => peer.call('handleParseFileCallback', content, file.name)), 'The file parser');
      if (!Array.isArray(rows) || rows.length === 0 || !rows.every(Array.isArray)) throw new Error('The file parser did not return rows.');
      return new File([csvOf((rows as unknown[][]).map((row) => row.map(textOf)))], file.name, { type: 'text/csv' });
    } catch (error) {
      console.error('A file parser of this page failed.', error);
      return null;
    }
  }
}

/** Returns the text of a cell that a parser returned. Throws if it is not a text, number, boolean or date. */
function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'object' || typeof cell === 'function' || typeof cell === 'symbol') throw new Error('The file parser returned a cell that is not text.');
  return String(cell);
}
