import type { Import } from '../../api';
import { Button } from '../../kit';
import { useShared } from '../context';
import { Notices } from '../notices';
import { truncate } from '../server-text';
import { StatePage } from './state-page';
import { UnsentNote } from './unsent-note';

/** The page of a failed import. It shows why the import failed and what to do. */
export function Failed({ facts }: { facts: Import }) {
  const { t, host } = useShared();
  const reasons = [...facts.import_errors].sort((a, b) => rank(a.level) - rank(b.level));
  const name = facts.original_filename;
  return (
    <StatePage icon="error" title={name ? t('failed.title', { file: truncate(name, 60) }) : t('failed.untitled')} lead={reasons.length === 0 ? t('failed.unknown') : t(host?.startOver ? 'failed.leadHere' : 'failed.lead')}>
      <UnsentNote />
      <Notices notices={reasons} />
      {host?.startOver && <Button look="primary" onClick={() => host.startOver!(true)}>{t('failed.another')}</Button>}
      {!host?.startOver && reasons.length > 0 && <p class="quiet">{t('failed.whom')}</p>}
    </StatePage>
  );
}

function rank(level: string): number {
  return ['error', 'warning', 'info'].indexOf(level);
}
