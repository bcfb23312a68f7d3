import { Button, Icon } from '../kit';
import { useShared, useVisit } from './context';
import { useServerText } from './refusal-note';

/** Explains why the link cannot be opened, and what to do. */
export function TroublePage() {
  const { t, visit } = useShared();
  const { trouble } = useVisit();
  const detail = useServerText(trouble);
  if (!trouble) return null;
  const { kind, code, status } = trouble;
  const lost = kind === 'lost' || status >= 500;
  if (!visit.isLink && !lost) return <Refused detail={detail} />;
  const title = lost ? t('lost.title') : code === 'expired' ? t('expired.title') : code === 'link_used_up' ? t('usedUp.title') : t('invalid.title');
  const lead = lost ? t('lost.lead') : code === 'expired' ? t('expired.lead') : code === 'bad_signature' || code === 'revoked' ? t('invalid.lead') : detail;
  return (
    <main class="state">
      <div class="state-main">
        <div class="state-sign"><Icon name={lost ? 'offline' : code === 'expired' ? 'clock' : 'lock'} size={28} /></div>
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        {lost && <Button onClick={() => void visit.open()}>{t('tryAgain')}</Button>}
      </div>
    </main>
  );
}

/** Explains to the developers of a page why it cannot embed the importer. */
function Refused({ detail }: { detail: string }) {
  const { t } = useShared();
  return (
    <main class="state">
      <div class="state-main">
        <div class="state-sign"><Icon name="lock" size={28} /></div>
        <h1>{t('widget.refused')}</h1>
        <p class="lead">{t('widget.refusedLead')}</p>
        <p class="quiet">{detail}</p>
      </div>
    </main>
  );
}
