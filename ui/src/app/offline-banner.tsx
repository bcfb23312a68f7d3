import { Button, Icon } from '../kit';
import { useReview, useShared } from './context';

/** Shown while the connection is lost. */
export function OfflineBanner() {
  const { t } = useShared();
  const { connected } = useReview();
  // The page and the grid retry on this event.
  const again = () => dispatchEvent(new Event('online'));
  return (
    <div role="status" class="banner-place">
      {!connected && (
        <div class="banner">
          <Icon name="offline" />
          <p><strong>{t('offline.title')}</strong> {t('offline.text')}</p>
          <Button small onClick={again}>{t('offline.retry')}</Button>
        </div>
      )}
    </div>
  );
}
