import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, Icon, Spinner } from '../kit';
import { useReview, useShared } from './context';
import type { CellsProps, Frame } from './frame';
import { useSubmit } from './submit/submit';

type Loaded = ComponentType<CellsProps> | 'failed' | null;

/** Asked for as soon as the page is there, as most people come for the cells. */
let asked: Promise<{ default: ComponentType<CellsProps> }> | null = null;
export function loadCells(): Promise<{ default: ComponentType<CellsProps> }> {
  asked ??= import('../cells').catch((error) => {
    asked = null;
    throw error;
  });
  return asked;
}

/** The cells, once what shows them is there. */
export function CellsStep() {
  const { review, locale, t } = useShared();
  const { facts, reading } = useReview();
  const { open, setStanding, setHandle } = useSubmit();
  const [Cells, setCells] = useState<Loaded>(null);
  const load = () => {
    setCells(null);
    loadCells().then((module) => setCells(() => module.default), () => setCells('failed'));
  };
  useEffect(load, []);
  useEffect(() => () => setStanding(null), [reading]);
  const frame = useMemo<Frame>(() => ({
    api: review.api, events: review.events, facts: facts!, locale, submit: open, standing: setStanding,
    broken: (fault) => review.fail(fault), goTo: (step) => review.goTo(step),
  }), [reading]);
  if (Cells === 'failed') {
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
    <main class="cells-place" aria-busy={Cells === null}>
      <h1 class="k-unseen">{t('cells.title')}</h1>
      {Cells ? <Cells key={reading} frame={frame} onHandle={setHandle} /> : <p class="cells-opening"><Spinner /> {t('opening')}</p>}
    </main>
  );
}
