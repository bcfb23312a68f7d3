import { useEffect, useRef } from 'preact/hooks';
import { Button, Progress } from '../kit';
import { useShared, useVisit } from './context';
import { formatDuration, formatSize } from './sizes';

/** Shows how much of the file has been sent. */
export function UploadProgressPage() {
  const { t, locale, visit } = useShared();
  const { uploading } = useVisit();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  // Ask before the page is closed, because the upload would stop.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  if (!uploading) return null;
  const { name, progress: { sent, total, rate, lost } } = uploading;
  const done = sent >= total && !lost;
  const facts = [
    t('upload.sent', { sent: formatSize(locale, sent), total: formatSize(locale, total) }),
    rate > 0 && !done && t('upload.rate', { rate: formatSize(locale, rate) }),
    rate > 0 && !done && t('upload.left', { time: formatDuration(locale, (total - sent) / rate) }),
  ].filter(Boolean);
  return (
    <main class="state">
      <div class="state-main">
        <h1 ref={heading} tabIndex={-1}>{done ? t('upload.storing', { file: name }) : t('upload.title', { file: name })}</h1>
        <Progress label={t('upload.title', { file: name })} share={done ? null : sent / total} />
        <p class="quiet">{facts.join(' · ')}</p>
        <p role="status">{lost && t('upload.lost')}</p>
        <Button onClick={() => visit.cancelUpload()}>{t('cancel')}</Button>
      </div>
    </main>
  );
}
