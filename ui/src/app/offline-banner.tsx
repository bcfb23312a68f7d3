import { Button, Icon } from '../kit';
import { useReview, useShared } from './context';

/** Shown while calls get no response: the user is offline or, if the browser is online, the service does not respond. */
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
          <p>{navigator.onLine ? <strong>{t('unanswered')}</strong> : <><strong>{t('offline.title')}</strong> {t('offline.text')}</>}</p>
          <Button small onClick={again}>{t('offline.retry')}</Button>
        </div>
      )}
    </div>
  );
}
