import { useState } from 'preact/hooks';
import { messageOf, type Import, type Layout } from '../api';
import { Button, Dialog, Icon, IconButton } from '../kit';
import { useReview, useShared } from './context';
import { Notices } from './notices';
import { ServerText } from './server-text';

/** Types of notices that the table shows itself. */
const shownInTable = new Set(['VALIDATION', 'VALUE_MAPPED', 'REPAIRED_ROW', 'NO_ROWS', 'TRUNCATED']);

/** Returns what the file contains that the table does not show, and how it was read. */
export function notesOf(facts: Import) {
  return facts.import_errors.filter((one) => one.rowIndex === undefined && !shownInTable.has(one.type));
}

function columnsLeftOut(layout: Layout | null) {
  return layout?.columns.filter((one) => !one.field && one.header !== '') ?? [];
}

/** Tells the user, above the table, which parts of the file are not imported. */
export function FileNotes() {
  const { t, locale, review } = useShared();
  const { facts, layout, steps } = useReview();
  const [dismissed, setDismissed] = useState(false);
  const [open, setOpen] = useState(false);
  const notes = facts ? notesOf(facts) : [];
  const left = columnsLeftOut(layout);
  if (dismissed || (notes.length === 0 && left.length === 0)) return null;
  const names = left.slice(0, 3).map((one) => locale.isolate(one.header));
  return (
    <div class="banner is-info" role="note">
      <Icon name="info" label={t('level.info')} />
      <p>
        {left.length > 0
          ? t('notes.columns', { n: left.length, columns: left.length > names.length ? `${names.join(', ')}…` : names.join(', ') })
          : <ServerText message={messageOf(notes[0]!)} />}
      </p>
      {notes.length > (left.length > 0 ? 0 : 1) && <Button small look="quiet" onClick={() => setOpen(true)}>{t('notes.all', { n: notes.length })}</Button>}
      {left.length > 0 && steps.some((one) => one.id === 'columns') && <Button small onClick={() => review.goTo('columns')}>{t('notes.match')}</Button>}
      <IconButton small icon="close" label={t('close')} onClick={() => setDismissed(true)} />
      {open && (
        <Dialog title={t('notes.title')} closeLabel={t('close')} onClose={() => setOpen(false)} foot={<Button look="primary" onClick={() => setOpen(false)}>{t('close')}</Button>}>
          <Notices notices={notes} />
        </Dialog>
      )}
    </div>
  );
}
