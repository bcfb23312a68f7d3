import { useEffect, useRef } from 'preact/hooks';
import type { Row, Spot } from '../../grid';
import { Button, Icon, IconButton } from '../kit';
import { CardField } from './card-field';
import { useKeptFocus } from './focus';
import type { Place } from './columns';
import type { Model } from './model';
import { useStore } from './store';

interface Props {
  readonly model: Model;
  readonly onLong: (spot: Spot, row: Row) => void;
  readonly onClose: () => void;
}

/**
 * Shows one row at a time if the window is too narrow for a table. The hidden grid still
 * loads the rows and saves the changes.
 */
export default function Cards({ model, onLong }: Props) {
  const now = useStore(model.store, (state) => state);
  const { t } = model;
  const top = useRef<HTMLDivElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useKeptFocus(top, () => title.current?.focus());
  const index = Math.min(now.active.row, Math.max(0, now.total - 1));
  const row = model.row(index);
  useEffect(() => top.current?.scrollTo({ top: 0 }), [index]);
  const lastJump = useRef(now.jumps);
  // After "next problem", focus the field with the problem, as the table does.
  useEffect(() => {
    if (lastJump.current === now.jumps || !row) return;
    lastJump.current = now.jumps;
    const fields = [...top.current!.querySelectorAll<HTMLElement>('[data-column]')];
    const field = fields.find((one) => one.dataset.column === now.active.column && /has-/.test(one.className));
    field?.scrollIntoView({ block: 'nearest' });
    (field?.querySelector<HTMLElement>('textarea, input, button') ?? title.current)?.focus({ preventScroll: true });
  }, [now.jumps, row]);
  const go = (to: number) => model.grid?.goToRow(to);
  return (
    <div class="c-cards">
      <header class="c-card-head">
        <IconButton icon="back" label={t('card.back')} disabled={index <= 0} onClick={() => go(index - 1)} />
        <h2 ref={title} tabIndex={-1} aria-live="polite">{model.rowName}</h2>
        <span class="c-quiet c-card-line">{model.lineName}</span>
        <IconButton icon="next" label={t('card.on')} disabled={index >= now.total - 1} onClick={() => go(index + 1)} />
      </header>
      <div ref={top} class="c-card">
        {now.total === 0 ? null : row ? <Card model={model} index={index} row={row} onLong={onLong} /> : <div class="c-values is-loading" aria-busy="true" />}
      </div>
    </div>
  );
}

function Card({ model, index, row, onLong }: { model: Model; index: number; row: Row } & Pick<Props, 'onLong'>) {
  const { t } = model;
  const problems = (place: Place) => row.cells[model.places.indexOf(place)]?.problems.length ?? 0;
  const bad = model.places.filter((place) => problems(place) > 0);
  const others = model.places.filter((place) => problems(place) === 0);
  const field = (place: Place) => <CardField key={`${row.id} ${place.column.key}`} model={model} place={place} index={index} row={row} onLong={onLong} />;
  return (
    <>
      {row.problems?.map((problem) => <p key={problem.code} class="c-card-problem"><Icon name={problem.level} size={14} label={t(`level.${problem.level}`)} /> <bdi>{problem.message}</bdi></p>)}
      {bad.map(field)}
      {bad.length === 0 && !row.problems && <p class="c-card-fine"><Icon name="good" /> {t('card.fine')}</p>}
      {bad.length > 0 && others.length > 0 && <h3 class="c-card-others">{t('card.others', { n: others.length })}</h3>}
      {others.map(field)}
      {!model.host.forbids?.removing && (
        <div class="c-card-foot">
          <Button small look="quiet" icon="remove" onClick={() => model.deleteRows({ kind: 'delete', where: { show: 'all', rows: [row.id] } })}>
            {t('card.delete')}
          </Button>
        </div>
      )}
    </>
  );
}
