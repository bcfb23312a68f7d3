import { Button, Dialog, Note } from '../../kit';
import type { DialogProps } from '../dialogs';
import { shownWhole } from '../shown-whole';
import './dialogs.css';

/** The beginning of a cell that is too long to come whole: to read, not to change. */
export default function Long({ model, open: { spot, row }, onClose }: DialogProps<'long'>) {
  const { t, frame } = model;
  const at = model.places.findIndex((place) => place.column.key === spot.column);
  const column = model.places[at]?.column.label ?? '';
  const text = row.cells[at]?.text ?? '';
  const title = t('grid.place', { row: row.number, column });
  return (
    <Dialog title={title} closeLabel={t('close')} onClose={() => onClose()} wide foot={<Button onClick={() => onClose()}>{t('close')}</Button>} class="c-dialog">
      <Note tone="info">{t('long.text', { size: `${frame.locale.number(64)} KiB` })}</Note>
      <pre class="c-long" dir="auto" tabIndex={0} role="region" aria-label={title}>{shownWhole(text)}</pre>
    </Dialog>
  );
}
