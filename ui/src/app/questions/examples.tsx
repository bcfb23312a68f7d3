import type { Reading } from '../../api';
import { Icon } from '../../kit';
import type { Locale } from '../../i18n/types';
import { useShared } from '../context';
import { truncate, Raw } from '../server-text';

interface Props {
  readonly texts: readonly string[];
  /** Whether the cells form a row of the file. */
  readonly inRow: boolean;
}

/** Shows a row of the file, or some values of a column. */
export function Examples({ texts, inRow }: Props) {
  const shown = inRow ? texts : texts.filter((one) => one.trim() !== '');
  return (
    <span class={inRow ? 'examples is-row' : 'examples'} style={inRow ? { '--cells': String(shown.length) } : {}}>
      {shown.map((text, at) => <code key={at} class="example">{text === '' ? '\u00a0' : <Raw text={truncate(text, 40)} />}</code>)}
    </span>
  );
}

/** Shows some values of a column with their parsed values. */
export function Readings({ list }: { list: readonly Reading[] }) {
  const { locale } = useShared();
  return (
    <span class="examples">
      {list.map(({ raw, value }, at) => (
        <span key={at} class="example is-read">
          <code><Raw text={truncate(raw, 40)} /></code> <Icon name="arrow" size={12} /> <Raw text={truncate(displayValue(value, locale), 40)} />
        </span>
      ))}
    </span>
  );
}

/**
 * Formats a canonical date or number for display. Dates use month names, so that day and
 * month cannot be confused.
 */
export function displayValue(value: string, locale: Locale): string {
  if (/^-?\d+(\.\d+)?$/.test(value)) return locale.figure(value);
  const day = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : '';
  return Number.isNaN(Date.parse(day)) ? value : locale.day(day);
}
