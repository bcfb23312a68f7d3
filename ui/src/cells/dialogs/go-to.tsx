import { useState } from 'preact/hooks';
import { Button, Dialog, Field } from '../../kit';
import type { DialogProps } from './props';
import { useAutoFocus } from '../focus';
import { findRow } from '../find-row';
import { reportFault } from './preview';

/** Goes to a row by its number. */
export default function GoTo({ model, onClose }: DialogProps<'goTo'>) {
  const { t, source } = model;
  const first = useAutoFocus();
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const number = Number(text.replace(/[^\d]/g, ''));
  const go = async () => {
    if (number < 1 || busy) return;
    setBusy(true);
    try {
      const found = await findRow(number, model.now.total, (index) => source.idAt(index));
      onClose(() => {
        model.grid?.goToRow(found.index);
        model.grid?.focus();
      });
      if (!found.exact) model.showMessage({ text: t('goTo.near', { n: number }) });
    } catch (cause) {
      setBusy(false);
      setFault(reportFault(model, cause));
    }
  };
  const foot = <Button look="primary" disabled={number < 1} busy={busy} onClick={() => void go()}>{t('goTo.go')}</Button>;
  return (
    <Dialog title={t('goTo')} closeLabel={t('close')} onClose={() => onClose()} foot={foot} class="c-dialog">
      <form onSubmit={(event) => { event.preventDefault(); void go(); }}>
        <Field label={t('goTo.number')} kind="number" value={text} onInput={setText} refTo={first} fault={fault} hint={t('goTo.hint')} />
      </form>
    </Dialog>
  );
}
