import { useEffect, useState } from 'preact/hooks';
import { importTexts } from '../i18n/import-texts';
import { chooseLocale } from '../i18n/locale';
import { loadTexts } from '../i18n/texts';
import type { T, Key } from '../import/context';
import type { Visit } from '../import/visit';
import { Button, Dialog, IconButton } from '../kit';
import { SafeHtml } from './safe-html';
import type { Confirmation, Widget } from './widget';

interface Asked {
  readonly confirmation: Confirmation;
  readonly answer: (refused: string | null) => void;
}

/** What the widget shows above the pages of an import: a button that closes it, and the message of the page. */
export function Corner({ widget, visit }: { widget: Widget; visit: Visit }) {
  const [t, setT] = useState<T | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  widget.confirm = (confirmation) => new Promise((answer) => setAsked({ confirmation, answer }));
  useEffect(() => {
    void loadTexts<Key>(chooseLocale(widget.language, navigator.languages), importTexts).then((loaded) => setT(() => loaded));
  }, []);
  if (!t) return null;
  return (
    <>
      {!widget.inline && <CloseButton t={t} widget={widget} visit={visit} />}
      {asked && (
        <ConfirmDialog
          t={t}
          confirmation={asked.confirmation}
          onAnswer={(agreed) => {
            setAsked(null);
            asked.answer(agreed ? null : t('widget.notSubmitted'));
          }}
        />
      )}
    </>
  );
}

interface ConfirmProps {
  readonly t: T;
  readonly confirmation: Confirmation;
  readonly onAnswer: (agreed: boolean) => void;
}

function ConfirmDialog({ t, confirmation: { html, submit, cancel }, onAnswer }: ConfirmProps) {
  return (
    <Dialog
      title={t('widget.confirm')}
      closeLabel={t('close')}
      onClose={() => onAnswer(false)}
      foot={
        <>
          <Button onClick={() => onAnswer(false)}>{cancel ?? t('cancel')}</Button>
          <Button look="primary" onClick={() => onAnswer(true)}>{submit ?? t('continue')}</Button>
        </>
      }
    >
      <SafeHtml html={html} />
    </Dialog>
  );
}

/** The button that closes the importer. If something would be lost, it asks first. */
function CloseButton({ t, widget, visit }: { t: T; widget: Widget; visit: Visit }) {
  const [asking, setAsking] = useState(false);
  const close = () => {
    const { phase } = visit.state;
    if (phase === 'uploading' || (phase === 'review' && !widget.saves)) setAsking(true);
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
              <Button event="EXIT_CANCEL" onClick={() => setAsking(false)}>{t('widget.stay')}</Button>
              <Button look="danger" event="EXIT_CONFIRM" onClick={() => void widget.cancel()}>{t('widget.leaveDo')}</Button>
            </>
          }
        >
          <p>{t('widget.leaveText')}</p>
        </Dialog>
      )}
    </>
  );
}
