import { Button } from '../kit';
import { allRows, isFiltered } from './filter';
import type { Model } from './model';
import { useStore } from './store';

/** Shown if there are no rows in view. It shows the reason and what the user can do. */
export default function EmptyTable({ model }: { model: Model; onClose: () => void }) {
  const { t, host } = model;
  const filtered = useStore(model.store, (now) => isFiltered(now.filter));
  const errors = useStore(model.store, (now) => now.totals.errors);
  const rows = useStore(model.store, (now) => now.totals.rows);
  if (filtered && rows > 0) {
    const show = (filter: typeof allRows) => () => void model.filterBy(filter).then(() => model.focus());
    return (
      <div class="c-rowless">
        <p role="status">{t('grid.empty')}</p>
        <div class="c-rowless-ways">
          <Button onClick={show(allRows)}>{t('empty.all', { n: rows })}</Button>
          {errors > 0 && <Button onClick={show({ show: 'errors' })}>{t('empty.errors', { n: errors })}</Button>}
        </div>
      </div>
    );
  }
  const header = host.facts.import_errors.some((one) => one.type === 'NO_ROWS');
  return (
    <div class="c-rowless">
      <p role="status">{t(header ? 'rowless' : 'noRows')}</p>
      {!host.forbids?.adding && <Button icon="add" onClick={() => model.addRow()}>{t('add.one')}</Button>}
    </div>
  );
}
