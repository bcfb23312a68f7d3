import { Button, Icon } from '../kit';
import { useReview, useShared } from './context';

/** Tells that the connection is lost while it is. */
export function Offline() {
  const { review, t } = useShared();
  const { connected } = useReview();
  return (
    <div role="status" class="banner-place">
      {!connected && (
        <div class="banner">
          <Icon name="offline" />
          <p><strong>{t('offline.title')}</strong> {t('offline.text')}</p>
          <Button small onClick={() => void review.refresh()}>{t('offline.retry')}</Button>
        </div>
      )}
    </div>
  );
}
