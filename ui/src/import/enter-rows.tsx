import { useRef, useState } from 'preact/hooks';
import { Button } from '../kit';
import { useShared } from './context';
import { inLanguage } from './expected-fields';
import type { OpenedPage, TypedRows } from './endpoint';

/** Number of empty rows at the beginning, and below the last one with a value. */
const spare = 5;
/** Maximum number of rows that the table shows. */
const maxShown = 300;

function isFilled(row: readonly string[]): boolean {
  return row.some((cell) => cell.trim() !== '');
}

/** A table in which people type the rows, instead of sending a file. */
export function EnterRows({ page, onBack }: { page: OpenedPage; onBack: (() => void) | null }) {
  const { t, locale, visit } = useShared();
  const [cells, setCells] = useState(visit.typed);
  visit.typed = cells;
  /** The number of pasted columns, and that for which there was room; null if they fitted. */
  const [wide, setWide] = useState<{ readonly n: number; readonly room: number } | null>(null);
  const [sending, setSending] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  const { fields } = page;
  const labels = fields.map((field) => inLanguage(locale.tag, field.labels, field.label));
  const filled = cells.filter(isFilled);
  /** Replaces cells from a place on. */
  const write = (row: number, column: number, block: readonly (readonly string[])[]) => {
    const next = Array.from({ length: Math.max(cells.length, row + block.length) }, (_, at) => [...(cells[at] ?? [])]);
    block.forEach((line, down) => line.forEach((cell, right) => (next[row + down]![column + right] = cell)));
    setCells(next.map((line) => Array.from(line, (cell) => cell ?? '')));
  };
  const focus = (row: number, column: number) => table.current?.querySelector<HTMLInputElement>(`[data-cell="${row} ${column}"]`)?.focus();
  const onKey = (event: KeyboardEvent, row: number, column: number) => {
    const step = event.key === 'Enter' ? (event.shiftKey ? -1 : 1) : event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    // The browser needs these keys for the list of values.
    if (step === 0 || event.isComposing || fields[column]!.options?.length) return;
    event.preventDefault();
    focus(row + step, column);
  };
  const onPaste = (event: ClipboardEvent, row: number, column: number) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const block = blockOf(text);
    if (block.length < 2 && block[0]!.length < 2 && block[0]![0] === text) return;
    event.preventDefault();
    const width = Math.max(...block.map((line) => line.length));
    const room = fields.length - column;
    setWide(width > room ? { n: width, room } : null);
    if (width > room) return;
    // So many inputs would be slow, so a large table is sent at once.
    if (row + block.length > maxShown) void send([...cells, ...block.map((line) => [...Array.from({ length: column }, () => ''), ...line])]);
    else write(row, column, block);
  };
  const send = async (all: typeof cells) => {
    setSending(true);
    const rows: TypedRows = all.filter(isFilled).map((row) => Object.fromEntries(fields.map((field, at) => [field.key, row[at] ?? ''] as const).filter(([, value]) => value !== '')));
    await visit.sendRows(rows, Object.fromEntries(fields.map((field, at) => [field.key, labels[at]!])));
    setSending(false);
  };
  const lastFilled = cells.findLastIndex(isFilled);
  const count = Math.max(lastFilled + 1 + spare, cells.length);
  return (
    <section class="import-part enter">
      <p class="quiet">{t('rows.hint')}</p>
      <div role="alert">{wide && <p>{t('rows.tooWide', wide)}</p>}</div>
      <div class="enter-place">
        <table ref={table}>
          <thead>
            <tr>
              <td />
              {fields.map((field, column) => (
                <th key={field.key} scope="col"><bdi>{labels[column]}</bdi>{field.required && <> <span class="mark" aria-hidden="true">•</span><span class="k-unseen">{t('fields.isRequired')}</span></>}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: count }, (_, row) => (
              <tr key={row}>
                <th scope="row">{locale.number(row + 1)}</th>
                {fields.map((field, column) => (
                  <td key={field.key}>
                    <input
                      data-cell={`${row} ${column}`}
                      aria-label={t('rows.cell', { column: labels[column]!, n: row + 1 })}
                      dir="auto"
                      autocomplete="off"
                      spellcheck={false}
                      list={field.options?.length ? `options-${column}` : undefined}
                      value={cells[row]?.[column] ?? ''}
                      onInput={(event) => write(row, column, [[event.currentTarget.value]])}
                      onKeyDown={(event) => onKey(event, row, column)}
                      onPaste={(event) => onPaste(event, row, column)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {fields.map((field, column) => field.options?.length && (
        <datalist key={field.key} id={`options-${column}`}>{field.options.map((one) => <option key={one.value} value={one.label} />)}</datalist>
      ))}
      <div class="enter-foot">
        {onBack && <Button icon="back" event="GO_BACK" onClick={onBack}>{t('rows.back')}</Button>}
        <Button look="primary" icon="next" iconLast event="CONTINUE" busy={sending} disabled={filled.length === 0} onClick={() => void send(cells)}>
          {filled.length === 0 ? t('continue') : t('rows.continue', { n: filled.length })}
        </Button>
      </div>
    </section>
  );
}

/** Returns the cells of a spreadsheet that were copied as text: tabs between cells, and quotes around cells with line breaks. */
export function blockOf(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.replace(/\r\n?/g, '\n').replace(/\n$/, '').matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))([\t\n]|$)/g)) {
    rows.at(-1)!.push(quoted === undefined ? plain ?? '' : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
    if (end === '') break;
  }
  return rows;
}
