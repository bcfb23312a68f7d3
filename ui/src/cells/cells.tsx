import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../api';
import type { CellsProps, Frame } from '../app/frame';
import { Button, Note } from '../kit';
import { openDesk } from './desk';
import { everything } from './filter';
import { Model } from './model';
import { firstRows } from './source';
import { Workplace } from './workplace';
import { readCellWords, type T } from './words';
import './cells.css';

const retryAfter = 3000;

interface Start {
  readonly model?: Model;
  readonly t?: T;
  readonly fault?: unknown;
}

/** The step in which a person repairs cells: the table, what is wrong with it, and what can be done. */
export default function Cells({ frame, onHandle }: CellsProps) {
  const [{ model, t, fault }, setStart] = useState<Start>({});
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    let left = false;
    const tell = (start: Start) => !left && setStart(start);
    void begin(frame, tell);
    return () => void (left = true);
  }, [turn]);

  const lost = fault instanceof Fault && fault.kind === 'lost';
  useEffect(() => {
    if (!lost) return;
    const timer = setTimeout(() => setTurn(turn + 1), retryAfter);
    return () => clearTimeout(timer);
  }, [fault]);

  if (model) return <Workplace model={model} onHandle={onHandle} />;
  if (!fault || !t) return <div class="c-cells c-blank" aria-busy="true" />;
  const again = <Button onClick={() => setTurn(turn + 1)}>{t('retry')}</Button>;
  return (
    <div class="c-cells c-blank">
      <Note tone="error" title={t('cannotOpen')} actions={again}>{lost ? t('unanswered') : messageOf(fault)}</Note>
    </div>
  );
}

/** Asks for everything at once that the first rows need. */
async function begin(frame: Frame, tell: (start: Start) => void): Promise<void> {
  const desk = openDesk(frame.api);
  const counts = desk.counts().catch(() => null);
  const asked = Promise.all([desk.table(), desk.rows(everything, '', 0, firstRows)]);
  // What was refused before the words are here is told with them.
  asked.catch(() => {});
  const t = await readCellWords(frame.locale);
  try {
    const [table, rows] = await asked;
    tell({ model: new Model(frame, desk, { table, rows, counts }, t), t });
  } catch (fault) {
    if (fault instanceof Fault && (fault.kind === 'unauthorized' || fault.kind === 'gone')) frame.broken(fault);
    else tell({ t, fault });
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
