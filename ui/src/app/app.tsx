import { useEffect } from 'preact/hooks';
import { Toasts } from '../kit';
import { Bar } from './bar';
import { useReview, useShared } from './context';
import { dress } from './dress';
import { Offline } from './offline';
import { Steps } from './steps-view';
import { Done } from './states/done';
import { Failed } from './states/failed';
import { Opening, UnderWay } from './states/under-way';
import { Trouble } from './states/trouble';
import { SubmitPlace } from './submit/place';

/** The whole page. */
export function App() {
  const { t } = useShared();
  const { phase, facts } = useReview();
  useEffect(() => dress(facts?.styleOverrides), [JSON.stringify(facts?.styleOverrides)]);
  useEffect(() => {
    document.title = facts ? t('page.title', { title: facts.title || t('page.import') }) : t('page.review');
  }, [facts?.title]);
  return (
    <Toasts closeLabel={t('close')}>
      <SubmitPlace>
        <Bar />
        {phase === 'open' && <Offline />}
        <Content />
      </SubmitPlace>
    </Toasts>
  );
}

function Content() {
  const { phase, facts, trouble } = useReview();
  if (phase === 'trouble' && trouble) return <Trouble fault={trouble} />;
  if (phase === 'opening' || !facts) return <Opening />;
  switch (facts.status) {
    case 'NEEDS_REVIEW': return <Steps />;
    case 'SUCCESSFUL': return <Done facts={facts} />;
    case 'FAILED': return <Failed facts={facts} />;
    default: return <UnderWay facts={facts} />;
  }
}
