import { Button, Icon } from '../kit';
import { useReview, useShared } from './context';

/** Tells that the connection is lost while it is. */
export function OfflineBanner() {
  const { t } = useShared();
  const { connected } = useReview();
  // The page and the grid try again whenever a browser says so.
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
