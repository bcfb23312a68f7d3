import { Button, Dialog } from '../kit';
import { useShared } from './context';

interface Props {
  /** How many changes of cells are dropped. */
  readonly changes: number;
  readonly onDo: () => void;
  readonly onClose: () => void;
}

/** Says what is dropped where the file is read again: that cannot be undone. */
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
