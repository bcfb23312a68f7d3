import type { Conflict } from '../../grid';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../kit';
import { useKeptFocus } from './focus';
import type { Model } from './model';
import { useStore } from './store';
import { ValueText } from './value-text';

const mostListed = 50;

/**
 * Lists the cells that somebody else changed first. For each cell, the user chooses which
 * of the two values to keep.
 */
export default function ConflictList({ model }: { model: Model; onClose: () => void }) {
  const { t } = model;
  const conflicts = useStore(model.store, (now) => now.conflicts);
  const list = useRef<HTMLElement>(null);
  useKeptFocus(list, () => model.focus());
  const all = (what: (one: Conflict) => void) => () => [...conflicts].forEach(what);
  return (
    <section ref={list} class="c-conflicts" aria-labelledby="cells-conflicts">
      <div class="c-conflicts-head" role="alert">
        <h2 id="cells-conflicts">{t('conflicts.title', { n: conflicts.length })}</h2>
        <p class="c-quiet">{t('conflicts.text')}</p>
      </div>
      <ul>{conflicts.slice(0, mostListed).map((one) => <Item key={`${one.rowId} ${one.column}`} model={model} conflict={one} />)}</ul>
      {conflicts.length > 1 && (
        <footer>
          <Button small look="quiet" onClick={all((one) => model.keepTheirs(one))}>{t('conflicts.allTheirs', { n: conflicts.length })}</Button>
          <Button small look="quiet" onClick={all((one) => (one.gone ? model.keepTheirs(one) : model.keepMine(one)))}>{t('conflicts.allMine', { n: conflicts.length })}</Button>
        </footer>
      )}
    </section>
  );
}

function Item({ model, conflict }: { model: Model; conflict: Conflict }) {
  const { t } = model;
  const place = model.place(conflict.column);
  const column = place?.column.label ?? conflict.column;
  return (
    <li>
      <span class="c-conflict-place">{t('grid.place', { row: conflict.number, column })}</span>
      <Text label={t('conflicts.theirs')}>{conflict.gone ? t('conflicts.gone') : <ValueText t={t} place={place} text={conflict.theirs.text} />}</Text>
      <Text label={t('conflicts.mine')}><ValueText t={t} place={place} text={conflict.mine} /></Text>
      <span class="c-conflict-choice">
        <Button small onClick={() => model.keepTheirs(conflict)}>{t('conflicts.keep')}</Button>
        {!conflict.gone && <Button small onClick={() => model.keepMine(conflict)}>{t('conflicts.put')}</Button>}
      </span>
    </li>
  );
}

function Text({ label, children }: { label: string; children: ComponentChildren }) {
  return <span class="c-conflict-text"><span class="c-conflict-label">{label}</span> {children}</span>;
}
