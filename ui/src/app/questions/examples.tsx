import { Icon } from '../../kit';
import type { Locale } from '../../words/types';
import { useShared } from '../context';
import { truncate, Raw } from '../server-text';

/** A cell, and what it is read as. */
export interface Reading {
  readonly raw: string;
  readonly value: string;
}

/** Takes 'raw is value' apart, as the service writes it; days are written out, so that nobody takes the month for the day, and numbers as the person writes them. */
export function parseReading(example: string, locale: Locale): Reading | null {
  const at = example.lastIndexOf(' is ');
  if (at < 0) return null;
  const value = example.slice(at + 4);
  const day = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : '';
  const read = /^-?\d+(\.\d+)?$/.test(value) ? locale.figure(value) : Number.isNaN(Date.parse(day)) ? value : locale.day(day);
  return { raw: example.slice(0, at), value: read };
}

interface Props {
  readonly texts: readonly string[];
  /** Cells one beside the other, as in a row of the file. */
  readonly inRow: boolean;
  /** Each is a cell and what it is read as. */
  readonly read: boolean;
}

/** What would follow: a row of the file, or some cells of a column. */
export function Examples({ texts, inRow, read }: Props) {
  const { locale } = useShared();
  const shown = inRow ? texts : texts.filter((one) => one.trim() !== '');
  return (
    <span class={inRow ? 'examples is-row' : 'examples'} style={inRow ? { '--cells': String(shown.length) } : {}}>
      {shown.map((text, at) => <Example key={at} text={text} reading={read ? parseReading(text, locale) : null} />)}
    </span>
  );
}

function Example({ text, reading }: { text: string; reading: Reading | null }) {
  if (!reading) return <code class="example">{text === '' ? '\u00a0' : <Raw text={truncate(text, 40)} />}</code>;
  return (
    <span class="example is-read">
      <code><Raw text={truncate(reading.raw, 40)} /></code> <Icon name="arrow" size={12} /> <Raw text={truncate(reading.value, 40)} />
    </span>
  );
}
