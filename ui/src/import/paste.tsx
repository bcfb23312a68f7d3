import { useState } from 'preact/hooks';
import { Button, Dialog } from '../kit';
import { useShared } from './context';
import { fileOfText } from './drop';

/** A button with a dialog for cells that are copied from a spreadsheet. */
export function PasteButton({ onText }: { onText: (file: File) => void }) {
  const { t } = useShared();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const file = fileOfText(text);
  const lines = text.trim() === '' ? 0 : text.trim().split(/\r\n|\r|\n/).length;
  const submit = () => {
    if (!file) return;
    setOpen(false);
    setText('');
    onText(file);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('paste')}</Button>
      {open && (
        <Dialog
          wide
          title={t('paste.title')}
          closeLabel={t('close')}
          onClose={() => setOpen(false)}
          foot={
            <>
              <Button onClick={() => setOpen(false)}>{t('cancel')}</Button>
              <Button look="primary" disabled={!file} onClick={submit}>{lines > 1 ? t('paste.lines', { n: lines }) : t('continue')}</Button>
            </>
          }
        >
          <label class="paste">
            <span class="quiet">{t('paste.hint')}</span>
            <textarea rows={10} dir="auto" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
        </Dialog>
      )}
    </>
  );
}
