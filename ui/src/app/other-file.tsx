import { useState } from 'preact/hooks';
import { Fault } from '../api';
import { Button, Dialog, Icon } from '../kit';
import { useReview, useShared } from './context';
import { ServerText } from './server-text';

/** Asks for confirmation, and then discards the import, so that another file can be sent. */
export function OtherFile({ onClose }: { onClose: () => void }) {
  const { t, host, review } = useShared();
  const { facts } = useReview();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const discard = async () => {
    setBusy(true);
    setFault(null);
    try {
      await review.discard();
      host?.startOver?.(true);
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('other.title')}
      closeLabel={t('close')}
      onClose={onClose}
      held={busy}
      foot={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="danger" busy={busy} onClick={() => void discard()}>{t('other.do')}</Button>
        </>
      }
    >
      <p>{t('other.text', { file: facts?.original_filename || t('page.import') })}</p>
      {fault && <p role="alert" class="k-fault"><Icon name="error" /> {fault.detail ? <ServerText message={fault.detail} /> : t('lost.title')}</p>}
    </Dialog>
  );
}
