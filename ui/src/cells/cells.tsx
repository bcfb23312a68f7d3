import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../api';
import type { CellsProps, Frame } from '../app/frame';
import { Button, Note } from '../kit';
import { begin, type Start } from './begin';
import { Model } from './model';
import { Workplace } from './workplace';
import './cells.css';

const retryAfter = 3000;

interface Shown {
  readonly start?: Start;
  readonly model?: Model;
}

/** The step in which a person repairs cells: the table, what is wrong with it, and what can be done. */
export default function Cells({ frame, beginning, onHandle }: CellsProps) {
  const [{ start, model }, setShown] = useState<Shown>(() => (beginning?.now ? shownOf(frame, beginning.now) : {}));
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    if (model) return;
    let left = false;
    const coming = turn === 0 && beginning ? beginning.coming : begin(frame);
    coming.then((came) => left || tell(frame, came, setShown), (fault) => left || frame.broken(fault));
    return () => void (left = true);
  }, [turn]);

  const lost = start?.fault instanceof Fault && start.fault.kind === 'lost';
  useEffect(() => {
    if (!lost) return;
    const timer = setTimeout(() => setTurn(turn + 1), retryAfter);
    return () => clearTimeout(timer);
  }, [start]);

  if (model) return <Workplace model={model} onHandle={onHandle} />;
  if (!start || isOver(start.fault)) return <div class="c-cells c-blank" aria-busy="true" />;
  const { t, fault } = start;
  const again = <Button onClick={() => setTurn(turn + 1)}>{t('retry')}</Button>;
  return (
    <div class="c-cells c-blank">
      <Note tone="error" title={t('cannotOpen')} actions={again}>{lost ? t('unanswered') : messageOf(fault)}</Note>
    </div>
  );
}

function tell(frame: Frame, start: Start, show: (shown: Shown) => void): void {
  if (isOver(start.fault)) frame.broken(start.fault);
  else show(shownOf(frame, start));
}

function shownOf(frame: Frame, start: Start): Shown {
  return { start, ...(start.first && { model: new Model(frame, start.desk, start.first, start.t) }) };
}

/** Whether the page has to say it. */
function isOver(fault: unknown): boolean {
  return fault instanceof Fault && (fault.kind === 'unauthorized' || fault.kind === 'gone');
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
