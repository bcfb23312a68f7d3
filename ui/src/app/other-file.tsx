import { useState } from 'preact/hooks';
import { Fault } from '../api';
import { Button, Dialog, Icon } from '../kit';
import { useReview, useShared } from './context';
import { ServerText } from './server-text';

/** A button that discards the import after a confirmation, so that another file can be sent. */
export function OtherFile() {
  const { t, host, review } = useShared();
  const { facts } = useReview();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  if (!host) return null;
  const discard = async () => {
    setBusy(true);
    setFault(null);
    try {
      await review.discard();
      host.startOver(true);
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
      setBusy(false);
    }
  };
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>{t('other.file')}</Button>
      {open && (
        <Dialog
          title={t('other.title')}
          closeLabel={t('close')}
          onClose={() => setOpen(false)}
          held={busy}
          foot={
            <>
              <Button onClick={() => setOpen(false)}>{t('cancel')}</Button>
              <Button look="danger" busy={busy} onClick={() => void discard()}>{t('other.do')}</Button>
            </>
          }
        >
          <p>{t('other.text', { file: facts?.original_filename || t('page.import') })}</p>
          {fault && <p role="alert" class="k-fault"><Icon name="error" /> {fault.detail ? <ServerText message={fault.detail} /> : t('lost.title')}</p>}
        </Dialog>
      )}
    </>
  );
}
