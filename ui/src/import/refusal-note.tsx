import { useEffect, useState } from 'preact/hooks';
import { Fault } from '../api';
import { loadMessages, messageText } from '../i18n/messages';
import { Button, Note } from '../kit';
import { useShared, useVisit, type Key } from './context';
import type { FileProblem } from './check-file';
import { formatSize } from './sizes';
import type { Refusal } from './visit';

const problems: Readonly<Record<FileProblem, Key>> = {
  empty: 'refused.empty', tooLarge: 'refused.tooLarge', encrypted: 'refused.encrypted', pdf: 'refused.pdf', document: 'refused.document',
  image: 'refused.image', lockFile: 'refused.lockFile', unreadable: 'refused.unreadable',
};

/** Says why a file was not accepted. */
export function RefusalNote({ refusal, onChoose }: { refusal: Refusal; onChoose: () => void }) {
  const { t, locale } = useShared();
  const { page } = useVisit();
  const { problem, name } = refusal;
  const detail = useServerText(problem instanceof Fault ? problem : null);
  const size = formatSize(locale, page?.maxFileSize ?? 0);
  const text = problem instanceof Fault ? (problem.kind === 'lost' ? t('refused.lost') : detail) : t(problems[problem], { size });
  return (
    <Note
      tone="error"
      toneLabel={t('error')}
      title={name ? t('refused.title', { file: name }) : t('refused.rows')}
      actions={name && <Button small onClick={onChoose}>{t('refused.another')}</Button>}
    >
      <p>{text}</p>
    </Note>
  );
}

/** Returns the message of a fault in the language of the page. */
export function useServerText(fault: Fault | null): string {
  const { locale } = useShared();
  const [, setLoaded] = useState(false);
  useEffect(() => {
    if (fault?.detail && !locale.renderMessage) void loadMessages(locale, 'files').then(() => setLoaded(true), () => {});
  }, [fault]);
  return fault?.detail ? messageText({ locale }, fault.detail) : '';
}
