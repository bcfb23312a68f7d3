import { Button } from '../kit';
import type { Model } from './model';

/** Shown if the table has no rows. It shows the reason and a button to add a row. */
export default function EmptyTable({ model }: { model: Model; onClose: () => void }) {
  const { t, host } = model;
  const header = host.facts.import_errors.some((one) => one.type === 'NO_ROWS');
  return (
    <div class="c-rowless">
      <p role="status">{t(header ? 'rowless' : 'noRows')}</p>
      <Button icon="add" onClick={() => model.addRow()}>{t('add.one')}</Button>
    </div>
  );
}
