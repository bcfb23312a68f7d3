import { useEffect, useState } from 'preact/hooks';
import type { Import } from '../../api';
import { Progress, Spinner } from '../../kit';
import { useReview, useShared, type Key } from '../context';
import { truncate } from '../server-text';
import { StatePage } from './state-page';

/** Before anything is known. Most of the time it is over before it can be read. */
export function Opening() {
  const { t } = useShared();
  const late = useLater(300);
  return (
    <main class="state" aria-busy="true">
      <h1 class={late ? 'state-opening' : 'k-unseen'}>{late && <Spinner />} {t('opening')}</h1>
    </main>
  );
}

const texts: Readonly<Record<string, readonly [Key, Key]>> = {
  AWAITING_UPLOAD: ['awaiting.title', 'awaiting.lead'],
  PENDING: ['pending.title', 'pending.lead'],
  RUNNING: ['running.title', 'running.lead'],
};

/** How long until the page says that it may be closed. */
const long = 30_000;

/** While the service, or whoever sends the file, has to do something. */
export function InProgress({ facts }: { facts: Import }) {
  const { t } = useShared();
  const { since } = useReview();
  const [title, lead] = texts[facts.status] ?? texts.RUNNING!;
  const waits = facts.status === 'AWAITING_UPLOAD';
  const late = useLater(Math.max(0, since + long - Date.now()));
  return (
    <StatePage title={t(title, { file: truncate(facts.original_filename, 60) })} lead={t(lead)} {...(waits ? { icon: 'upload' as const } : {})}>
      {!waits && <Progress label={t(title, { file: truncate(facts.original_filename, 60) })} share={null} />}
      <p class="quiet" role="status">{late || waits ? t('mayClose') : t('byItself')}</p>
    </StatePage>
  );
}

/** True once so many milliseconds are over. */
function useLater(milliseconds: number): boolean {
  const [late, setLate] = useState(milliseconds === 0);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), milliseconds);
    return () => clearTimeout(timer);
  }, []);
  return late;
}
