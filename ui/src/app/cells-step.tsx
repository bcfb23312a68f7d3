import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Preload } from '../cells';
import type { PreloadNeeds } from '../cells/preload';
import { Fault } from '../api';
import { Button, Icon, Progress, Spinner } from '../kit';
import { useReview, useShared } from './context';
import { OnDemand, useOnDemand } from './on-demand';
import type { CellsHost } from '../cells/host';
import { FileNotes } from './file-notes';
import { useSubmit } from './submit/context';

/** Loaded as soon as possible, because most users open the page to fix cells. */
export const cells = new OnDemand(() => import('../cells'));
let preload: Preload | null = null;

/** Preloads the data of the cells step for the next time it is shown. */
export async function preloadCells(of: PreloadNeeds): Promise<void> {
  const module = await cells.load();
  preload = new module.Preload(of);
  await preload.coming;
}

function takePreload(): Preload | null {
  const taken = preload;
  preload = null;
  return taken;
}

/** The cells step, once its code is loaded. */
export function CellsStep() {
  const { review, locale, t, host: around } = useShared();
  const { facts, reading } = useReview();
  const { setTotals, setHandle, forgetPending } = useSubmit();
  useEffect(() => forgetPending, []);
  const { module, failure } = useOnDemand(cells);
  const host = useMemo<CellsHost>(() => ({
    api: review.api, events: review.events, facts: facts!, locale, forbids: around?.forbids, onTotals: setTotals,
    // If the review has ended, reload the import to show its outcome.
    onFault: (fault) => (fault instanceof Fault && fault.code === 'not_in_review' ? void review.refresh() : review.fail(fault)),
    onUnsent: (unsent) => review.rememberUnsent(unsent), isConnected: () => review.state.connected && navigator.onLine,
  }), [reading]);
  const first = useRef(reading);
  const preload = useMemo(() => (reading === first.current ? takePreload() : null), [module, reading]);
  if (failure) return failure;
  return (
    <main class="cells-place" aria-busy={module === null}>
      <Headline focus={preload === null} />
      <FileNotes />
      {module ? <module.default key={reading} host={host} preload={preload} onHandle={setHandle} /> : <p class="cells-opening"><Spinner /> {t('opening')}</p>}
    </main>
  );
}

/** Shows how many rows are left to fix, and leads on. `focus` is set if the user comes from a different step. */
function Headline({ focus }: { focus: boolean }) {
  const { t } = useShared();
  const { rows, errors, goTo } = useSubmit();
  const title = useRef<HTMLHeadingElement>(null);
  /** The largest number of rows with errors since the step was opened. */
  const most = useRef(0);
  most.current = Math.max(most.current, errors);
  useEffect(() => {
    if (focus) title.current?.focus({ preventScroll: true });
  }, []);
  const ready = rows > 0 && errors === 0;
  return (
    <header class="fix-head">
      <div class="fix-left">
        <h1 ref={title} tabIndex={-1} aria-live="polite">{ready && <Icon name="good" size={18} />}{rows === 0 ? t('submit.emptyTitle') : ready ? t('fix.ready', { n: rows }) : t('fix.left', { n: errors, rows: t('rows', { n: rows }) })}</h1>
        {most.current > 0 && !ready && rows > 0 && <Progress label={t('fix.progress')} share={1 - errors / most.current} />}
      </div>
      <Button look={ready ? 'primary' : 'plain'} class="fix-continue" event="CONTINUE" icon="next" iconLast onClick={() => goTo('confirm')}>{t('continue')}</Button>
    </header>
  );
}
