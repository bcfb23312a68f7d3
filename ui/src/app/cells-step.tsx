import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Beginning } from '../cells';
import type { Needed } from '../cells/begin';
import { Fault } from '../api';
import { Button, Icon, Spinner } from '../kit';
import { useReview, useShared } from './context';
import type { Frame } from './frame';
import { useSubmit } from './submit/submit';

type Loaded = typeof import('../cells');

/** Asked for as soon as the page is there, as most people come for the cells. */
let asked: Promise<Loaded> | null = null;
let loaded: Loaded | null = null;
let begun: Beginning | null = null;

export function loadCells(): Promise<Loaded> {
  asked ??= import('../cells').then(
    (module) => (loaded = module),
    (error) => {
      asked = null;
      throw error;
    },
  );
  return asked;
}

/** Gets all that the cells are drawn with first, for whoever shows them next. */
export async function openCells(of: Needed): Promise<void> {
  const module = await loadCells();
  begun = new module.Beginning(of);
  await begun.coming;
}

function takeBegun(): Beginning | null {
  const taken = begun;
  begun = null;
  return taken;
}

/** The cells, once what shows them is there. */
export function CellsStep() {
  const { review, locale, t } = useShared();
  const { facts, reading } = useReview();
  const { open, setStanding, setHandle } = useSubmit();
  const [module, setModule] = useState<Loaded | 'failed' | null>(loaded);
  const load = () => {
    setModule(null);
    loadCells().then(setModule, () => setModule('failed'));
  };
  useEffect(() => void (module || load()), []);
  useEffect(() => () => setStanding(null), [reading]);
  const frame = useMemo<Frame>(() => ({
    api: review.api, events: review.events, facts: facts!, locale, submit: open, standing: setStanding,
    // Where it is over, the page says how it ended.
    broken: (fault) => (fault instanceof Fault && fault.code === 'not_in_review' ? void review.refresh() : review.fail(fault)),
    left: (unsent) => review.keep(unsent), connected: () => review.state.connected && navigator.onLine, goTo: (step) => review.goTo(step),
  }), [reading]);
  const first = useRef(reading);
  const beginning = useMemo(() => (reading === first.current ? takeBegun() : null), [module, reading]);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Whoever comes from another step has lost what they pressed there.
    if (!beginning && document.activeElement === document.body) title.current?.focus({ preventScroll: true });
  }, []);
  if (module === 'failed') {
    return (
      <main class="state">
        <div class="state-main">
          <div class="state-sign"><Icon name="offline" size={28} /></div>
          <h1>{t('cells.failed')}</h1>
          <Button onClick={load}>{t('tryAgain')}</Button>
        </div>
      </main>
    );
  }
  return (
    <main class="cells-place" aria-busy={module === null}>
      <h1 ref={title} tabIndex={-1} class="k-unseen">{t('cells.title')}</h1>
      {module ? <module.default key={reading} frame={frame} beginning={beginning} onHandle={setHandle} /> : <p class="cells-opening"><Spinner /> {t('opening')}</p>}
    </main>
  );
}
