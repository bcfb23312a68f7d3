import { useEffect, useState } from 'preact/hooks';
import type { Import } from '../../api';
import { Progress, Spinner } from '../../kit';
import { useReview, useShared, type Key } from '../context';
import { truncate } from '../server-text';
import { StatePage } from './state-page';

/** The loading page. It often disappears before anyone can read it. */
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

/** Delay before the page tells users that they can close it, in milliseconds. */
const long = 30_000;

/** Shown while the import is waiting for the server or the file. */
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

/** Returns false at first, and true after a number of milliseconds. */
function useLater(milliseconds: number): boolean {
  const [late, setLate] = useState(milliseconds === 0);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), milliseconds);
    return () => clearTimeout(timer);
  }, []);
  return late;
}
