import { useState } from 'preact/hooks';
import { Fault } from '../api';
import { Button, Field } from '../kit';
import { useShared, useVisit } from './context';
import { useServerText } from './refusal-note';

/** Asks for the password of the link. */
export function Locked() {
  const { t, visit } = useShared();
  const { wrongPassword } = useVisit();
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const detail = useServerText(fault);
  const submit = async () => {
    if (password === '' || busy) return;
    setBusy(true);
    setFault(null);
    try {
      await visit.open(password);
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
    }
    setBusy(false);
  };
  const problem = fault ? detail || t('lost.title') : wrongPassword && !busy ? t('locked.wrong') : '';
  return (
    <main class="state">
      <form
        class="state-main"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>{t('locked.title')}</h1>
        <p class="lead">{t('locked.lead')}</p>
        <Field kind="password" class="locked" label={t('locked.password')} value={password} onInput={setPassword} autofocus {...(problem ? { fault: problem } : {})} />
        <Button look="primary" submits busy={busy}>{t('continue')}</Button>
      </form>
    </main>
  );
}
