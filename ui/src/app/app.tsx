import { useEffect } from 'preact/hooks';
import { Toasts } from '../kit';
import { PageHeader } from './page-header';
import { useReview, useShared } from './context';
import { withAccent } from './accent';
import { applyTheme } from './apply-theme';
import { OfflineBanner } from './offline-banner';
import { Steps } from './steps-view';
import { Done } from './states/done';
import { Failed } from './states/failed';
import { HandOver } from './states/hand-over';
import { Opening, InProgress } from './states/in-progress';
import { FaultPage } from './states/fault-page';
import { SubmitContainer } from './submit/container';

/** The review page. */
export function App() {
  const { t, host } = useShared();
  const { phase, facts } = useReview();
  const styles = withAccent(facts?.styleOverrides ?? {}, host?.accentColor ?? '');
  useEffect(() => applyTheme(styles), [JSON.stringify(styles)]);
  useEffect(() => {
    document.title = facts ? t('page.title', { title: facts.title || t('page.import') }) : t('page.review');
  }, [facts?.title]);
  return (
    <Toasts closeLabel={t('close')}>
      <SubmitContainer>
        <PageHeader />
        {phase === 'open' && <OfflineBanner />}
        <Content />
      </SubmitContainer>
    </Toasts>
  );
}

function Content() {
  const { host } = useShared();
  const { phase, facts, trouble } = useReview();
  if (phase === 'trouble' && trouble) return <FaultPage fault={trouble} />;
  if (phase === 'opening' || !facts) return <Opening />;
  switch (facts.status) {
    case 'NEEDS_REVIEW': return <Steps />;
    case 'SUCCESSFUL': return host?.deliver ? <HandOver facts={facts} deliver={host.deliver} /> : <Done facts={facts} />;
    case 'FAILED': return <Failed facts={facts} />;
    default: return <InProgress facts={facts} />;
  }
}
