import { useEffect, useState } from 'preact/hooks';
import { importTexts } from '../i18n/import-texts';
import { chooseLocale } from '../i18n/locale';
import { loadTexts } from '../i18n/texts';
import type { T, Key } from '../import/context';
import type { Visit } from '../import/visit';
import { Button, Dialog, IconButton } from '../kit';
import type { Widget } from './widget';

/** The button that closes the importer. If something would be lost, it asks first. */
export function CloseButton({ widget, visit }: { widget: Widget; visit: Visit }) {
  const [t, setT] = useState<T | null>(null);
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    void loadTexts<Key>(chooseLocale(widget.language, navigator.languages), importTexts).then((loaded) => setT(() => loaded));
  }, []);
  const close = () => {
    if (visit.state.phase === 'uploading' || visit.state.phase === 'review') setAsking(true);
    else void widget.cancel();
  };
  useEffect(() => {
    // Dialogs, menus and cells handle the key themselves.
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && event.target === document.body) close();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (!t) return null;
  return (
    <>
      <IconButton icon="close" class="corner-close" label={t('widget.close')} onClick={close} />
      {asking && (
        <Dialog
          title={t('widget.leave')}
          closeLabel={t('close')}
          onClose={() => setAsking(false)}
          foot={
            <>
              <Button onClick={() => setAsking(false)}>{t('widget.stay')}</Button>
              <Button look="danger" onClick={() => void widget.cancel()}>{t('widget.leaveDo')}</Button>
            </>
          }
        >
          <p>{t('widget.leaveText')}</p>
        </Dialog>
      )}
    </>
  );
}
