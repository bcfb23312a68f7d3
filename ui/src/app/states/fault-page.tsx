import { useState } from 'preact/hooks';
import { Fault } from '../../api';
import { Button, Spinner, type IconName } from '../../kit';
import { useReview, useShared, type Key } from '../context';
import { RereadDialog } from '../reread-dialog';
import { ServerText } from '../server-text';
import { StatePage } from './state-page';
import { UnsentNote } from './unsent-note';

interface Look {
  readonly icon?: IconName;
  readonly title: Key;
  readonly lead: Key;
  /** Whether trying again may help. */
  readonly passes?: boolean;
}

const looks = {
  unopened: { icon: 'lock', title: 'unopened.title', lead: 'unopened.lead' },
  expired: { icon: 'clock', title: 'expired.title', lead: 'expired.lead' },
  denied: { icon: 'lock', title: 'denied.title', lead: 'denied.lead' },
  gone: { icon: 'file', title: 'gone.title', lead: 'gone.lead' },
  lost: { title: 'lost.title', lead: 'lost.lead', passes: true },
  damaged: { icon: 'error', title: 'damaged.title', lead: 'damaged.lead' },
  broken: { icon: 'error', title: 'broken.title', lead: 'broken.lead', passes: true },
} as const satisfies Record<string, Look>;

/**
 * Classifies a fault for a user who only has a link. `opened` reports whether the page has shown
 * the review. If it has not and there is no cookie, it is unknown whether there ever was a
 * session.
 */
export function faultPageKind(fault: Fault, opened: boolean): keyof typeof looks {
  if (fault.kind === 'lost') return 'lost';
  if (fault.kind === 'unauthorized') return !opened && fault.detail?.code === 'review.no_cookie' ? 'unopened' : 'expired';
  if (fault.kind === 'gone' || fault.kind === 'damaged') return fault.kind;
  // A URL without a valid ID does not match any import.
  if (fault.status === 400) return 'gone';
  return fault.status === 403 ? 'denied' : 'broken';
}

/** Explains why there is nothing to review, and what to do. */
export function FaultPage({ fault }: { fault: Fault }) {
  const { review, t } = useShared();
  const { facts } = useReview();
  const kind = faultPageKind(fault, facts !== null);
  const look: Look = looks[kind];
  return (
    <StatePage title={t(look.title)} lead={t(look.lead)} {...(look.icon ? { icon: look.icon } : { sign: <Spinner /> })}>
      {kind === 'broken' && (
        <div class="state-box">
          {fault.detail && <p><ServerText message={fault.detail} /></p>}
          {fault.request && <p class="quiet">{t('broken.request')} <code>{fault.request}</code></p>}
        </div>
      )}
      <UnsentNote />
      {kind === 'damaged' && <RunAgain />}
      {look.passes && <Button onClick={() => void review.retry()}>{t('tryAgain')}</Button>}
    </StatePage>
  );
}

/** A button that runs the import again. */
function RunAgain() {
  const { review, t } = useShared();
  const [sending, setSending] = useState(false);
  const [dropped, setDropped] = useState(0);
  const [refused, setRefused] = useState<Fault | null>(null);
  const send = async (discard = false) => {
    setDropped(0);
    setSending(true);
    setRefused(null);
    try {
      await review.runAgain(discard);
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('lost');
      if (fault.code === 'discards_changes') setDropped(fault.changes);
      else if (fault.kind === 'unauthorized' || fault.kind === 'gone') review.fail(fault);
      else setRefused(fault);
    }
    setSending(false);
  };
  return (
    <>
      {refused && <p role="alert">{refused.detail ? <ServerText message={refused.detail} /> : t('lost.title')}</p>}
      <Button look="primary" busy={sending} onClick={() => void send()}>{t('damaged.run')}</Button>
      {dropped > 0 && <RereadDialog changes={dropped} onDo={() => void send(true)} onClose={() => setDropped(0)} />}
    </>
  );
}
