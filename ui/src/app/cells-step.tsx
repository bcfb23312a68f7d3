import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Preload } from '../cells';
import type { PreloadNeeds } from '../cells/preload';
import { Fault } from '../api';
import { Spinner } from '../kit';
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
  const { review, locale, t } = useShared();
  const { facts, reading } = useReview();
  const { setTotals, setHandle, open } = useSubmit();
  const { module, failure } = useOnDemand(cells);
  useEffect(() => () => setTotals(null), [reading]);
  const host = useMemo<CellsHost>(() => ({
    api: review.api, events: review.events, facts: facts!, locale, onTotals: setTotals, onSubmit: open,
    // If the review has ended, reload the import to show its outcome.
    onFault: (fault) => (fault instanceof Fault && fault.code === 'not_in_review' ? void review.refresh() : review.fail(fault)),
    onUnsent: (unsent) => review.rememberUnsent(unsent), isConnected: () => review.state.connected && navigator.onLine,
  }), [reading]);
  const first = useRef(reading);
  const preload = useMemo(() => (reading === first.current ? takePreload() : null), [module, reading]);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // When the user comes from a different step, nothing has the focus, so move it to the
    // title.
    if (!preload && document.activeElement === document.body) title.current?.focus({ preventScroll: true });
  }, []);
  if (failure) return failure;
  return (
    <main class="cells-place" aria-busy={module === null}>
      <h1 ref={title} tabIndex={-1} class="k-unseen">{t('cells.title')}</h1>
      <FileNotes />
      {module ? <module.default key={reading} host={host} preload={preload} onHandle={setHandle} /> : <p class="cells-opening"><Spinner /> {t('opening')}</p>}
    </main>
  );
}
