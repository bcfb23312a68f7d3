import { messageOf, type Fault, type Notice } from '../api';
import { Icon, Note } from '../kit';
import { useShared, type Key } from './context';
import { Raw, ServerText } from './server-text';

const levels: Readonly<Record<Notice['level'], Key>> = { error: 'level.error', warning: 'level.warning', info: 'level.info' };

/** Maximum number of notices listed. */
const maxListed = 20;

/** Lists the notices of an import. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  const { t } = useShared();
  const shown = notices.filter((one) => one.type !== 'TRUNCATED');
  if (shown.length === 0) return null;
  return (
    <>
      <ul class="notices" aria-label={t('notices')}>
        {shown.slice(0, maxListed).map((one, at) => (
          <li key={at}>
            <Icon name={one.level} label={t(levels[one.level])} />
            <div>
              <p><ServerText message={messageOf(one)} /></p>
              <Place notice={one} />
            </div>
          </li>
        ))}
      </ul>
      {shown.length > maxListed && <p class="quiet">{t('notices.more', { n: shown.length - maxListed })}</p>}
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

/** Shows why the server rejected an answer. */
export function FaultNote({ fault }: { fault: Fault | null }) {
  const { t } = useShared();
  return (
    <div role="alert">
      {fault && (
        <Note tone="error" toneLabel={t('level.error')} title={fault.kind === 'lost' ? t('send.lost') : t('send.refused')}>
          {fault.kind === 'lost' ? t('send.lostText') : fault.detail && <ServerText message={fault.detail} />}
          {fault.status >= 500 && fault.request && <p class="quiet">{t('broken.request')} <code>{fault.request}</code></p>}
        </Note>
      )}
    </div>
  );
}
