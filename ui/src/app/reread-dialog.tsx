import { Button, Dialog } from '../kit';
import { useShared } from './context';

interface Props {
  /** Number of cell changes to discard. */
  readonly changes: number;
  readonly onDo: () => void;
  readonly onClose: () => void;
}

/** Asks the user for confirmation, because reading the file again discards changes. This cannot be undone. */
export function RereadDialog({ changes, onDo, onClose }: Props) {
  const { t } = useShared();
  return (
    <Dialog
      title={t('again.title')}
      closeLabel={t('close')}
      onClose={onClose}
      foot={(
        <>
          <Button onClick={onClose}>{t('again.keep', { n: changes })}</Button>
          <Button look="danger" onClick={onDo}>{t('again.do', { n: changes })}</Button>
        </>
      )}
    >
      <p>{t('again.text', { n: changes })}</p>
    </Dialog>
  );
}
