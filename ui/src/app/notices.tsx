import type { Notice } from '../api';
import { Icon } from '../kit';
import { useShared, type Key } from './context';
import { Raw, ServerSentence } from './sentence';

const levels: Readonly<Record<Notice['level'], Key>> = { error: 'level.error', warning: 'level.warning', info: 'level.info' };

/** So many are listed. */
const most = 20;

/** What the service has to say about an import. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  const { t } = useShared();
  const told = notices.filter((one) => one.type !== 'TRUNCATED');
  if (told.length === 0) return null;
  return (
    <>
      <ul class="notices" aria-label={t('notices')}>
        {told.slice(0, most).map((one, at) => (
          <li key={at}>
            <Icon name={one.level} label={t(levels[one.level])} />
            <div>
              <p><ServerSentence text={one.message} code={one.type} /></p>
              <Place notice={one} />
            </div>
          </li>
        ))}
      </ul>
      {told.length > most && <p class="quiet">{t('notices.more', { n: told.length - most })}</p>}
    </>
  );
}

function Place({ notice }: { notice: Notice }) {
  const { t } = useShared();
  const column = notice.header || notice.fieldKey;
  if (notice.rowIndex === undefined) return null;
  return (
    <p class="notices-place">
      {t('dataRow', { row: notice.rowIndex + 1 })}
      {column && <> · <Raw text={column} /></>}
      {notice.value && <> · <code><Raw text={notice.value} /></code></>}
    </p>
  );
}
