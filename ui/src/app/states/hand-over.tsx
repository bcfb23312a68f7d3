import { useEffect, useState } from 'preact/hooks';
import type { Import } from '../../api';
import { Button, Progress } from '../../kit';
import { useShared } from '../context';
import { Done } from './done';
import { StatePage } from './state-page';

interface Props {
  readonly facts: Import;
  readonly deliver: () => Promise<void>;
}

/** Hands the rows over to the page that embeds the importer. */
export function HandOver({ facts, deliver }: Props) {
  const { t } = useShared();
  const [state, setState] = useState<'handing' | 'failed' | 'done'>('handing');
  const start = () => {
    setState('handing');
    deliver().then(() => setState('done'), (error: unknown) => {
      console.error('The page did not accept the rows.', error);
      setState('failed');
    });
  };
  useEffect(start, []);
  if (state === 'done') return <Done facts={facts} />;
  if (state === 'handing') return <StatePage title={t('handOver.title')}><Progress label={t('handOver.title')} share={null} /></StatePage>;
  return (
    <StatePage icon="warning" title={t('handOver.failed')} lead={t('handOver.failedLead')}>
      <div class="state-actions"><Button look="primary" onClick={start}>{t('handOver.again')}</Button></div>
    </StatePage>
  );
}
