import { visibleText } from '../../../grid/visible-text';
import { Button, Dialog, Note } from '../../kit';
import type { DialogProps } from './props';
import './dialogs.css';

/** Shows the beginning of a cell whose text is too long to edit. */
export default function LongText({ model, open: { spot, row }, onClose }: DialogProps<'longText'>) {
  const { t, host } = model;
  const at = model.places.findIndex((place) => place.column.key === spot.column);
  const column = model.places[at]?.column.label ?? '';
  const text = row.cells[at]?.text ?? '';
  const title = t('grid.place', { row: row.number, column });
  return (
    <Dialog title={title} closeLabel={t('close')} onClose={() => onClose()} wide foot={<Button onClick={() => onClose()}>{t('close')}</Button>} class="c-dialog">
      <Note tone="info">{t('long.text', { size: `${host.locale.number(64)} KiB` })}</Note>
      <pre class="c-long" dir="auto" tabIndex={0} role="region" aria-label={title}>{visibleLongText(text)}</pre>
    </Dialog>
  );
}

const piece = 400;

/** Makes invisible characters visible. Keeps line breaks and does not shorten the text. */
export function visibleLongText(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.map((line) => pieces(line).map(visibleText).join('')).join('\n');
}

function pieces(line: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < line.length; at += piece) parts.push(line.slice(at, at + piece));
  return parts;
}
