import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../api';
import type { CellsHandle, CellsHost } from './host';
import { Button, Note } from '../kit';
import { faultText } from './fault-text';
import { startPreload, type Preload, type Preloaded } from './preload';
import { Model } from './model';
import { CellsView } from './cells-view';
import './cells.css';

const retryAfter = 3000;

interface Props {
  readonly host: CellsHost;
  /** Data requested before the step was shown; null if none was. */
  readonly preload: Preload | null;
  /** Called with a handle when the step is ready, and with null when the step is removed. */
  readonly onHandle: (handle: CellsHandle | null) => void;
}

interface Shown {
  readonly start?: Preloaded;
  readonly model?: Model;
}

/** The step in which users fix cells: the table, its problems and the available actions. */
export default function Cells({ host, preload, onHandle }: Props) {
  const [{ start, model }, setShown] = useState<Shown>(() => (preload?.now ? shownOf(host, preload.now) : {}));
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    if (model) return;
    let left = false;
    const coming = turn === 0 && preload ? preload.coming : startPreload(host);
    coming.then((came) => left || showOrReport(host, came, setShown), (fault) => left || host.onFault(fault));
    return () => void (left = true);
  }, [turn]);

  const lost = start?.fault instanceof Fault && start.fault.kind === 'lost';
  useEffect(() => {
    if (!lost) return;
    const timer = setTimeout(() => setTurn(turn + 1), retryAfter);
    return () => clearTimeout(timer);
  }, [start]);

  if (model) return <CellsView model={model} onHandle={onHandle} />;
  if (!start || isOver(start.fault)) return <div class="c-cells c-blank" aria-busy="true" />;
  const { t, fault } = start;
  const again = <Button onClick={() => setTurn(turn + 1)}>{t('retry')}</Button>;
  return (
    <div class="c-cells c-blank">
      <Note tone="error" title={t('cannotOpen')} actions={again}>{faultText(t, fault)}</Note>
    </div>
  );
}

function showOrReport(host: CellsHost, start: Preloaded, show: (shown: Shown) => void): void {
  if (isOver(start.fault)) host.onFault(start.fault);
  else show(shownOf(host, start));
}

function shownOf(host: CellsHost, start: Preloaded): Shown {
  return { start, ...(start.first && { model: new Model(host, start.tableApi, start.first, start.t) }) };
}

/** Reports whether the page must handle the fault, because the step cannot continue. */
function isOver(fault: unknown): boolean {
  return fault instanceof Fault && fault.endsReview;
}
