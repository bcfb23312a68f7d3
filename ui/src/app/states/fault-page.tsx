import type { Fault } from '../../api';
import { Button, Spinner, type IconName } from '../../kit';
import { useReview, useShared, type Key } from '../context';
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
  if (fault.kind === 'gone') return 'gone';
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
      {look.passes && <Button onClick={() => void review.retry()}>{t('tryAgain')}</Button>}
    </StatePage>
  );
}
