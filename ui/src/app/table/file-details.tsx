import { useState } from 'preact/hooks';
import type { Locale } from '../../i18n/types';
import { messageText } from '../../i18n/messages';
import { Fault, labelOf, reasonOf, type LayoutEvidence } from '../../api';
import { Button, Dialog, Field, Select } from '../../kit';
import { useReview, useShared, type Key, type T } from '../context';
import { FaultNote } from '../notices';
import { areColumnStarts, noneAnswer } from '../questions/drafts';
import { choiceLabel } from '../questions/headings';
import { Raw, ServerText } from '../server-text';

/** Labels of the detected file properties, by the server's names. */
const names: Readonly<Record<string, Key>> = {
  'format': 'reading.format', 'encoding': 'reading.encoding', 'delimiter': 'reading.delimiter', 'sheet': 'reading.sheet', 'column starts': 'reading.columnStarts', 'header row': 'reading.header',
};

/** Headings of the dialogs that change these properties. Sheets and header rows are changed in the view of the file. */
const titles: Readonly<Record<string, Key>> = { 'encoding': 'ask.encoding', 'delimiter': 'ask.delimiter', 'column starts': 'ask.columnStarts' };

/** Shows how the file was read and why, and lets the user change it. */
export function FileDetails() {
  const { t, locale } = useShared();
  const { layout } = useReview();
  const [changing, setChanging] = useState<LayoutEvidence | null>(null);
  const shown = (layout?.evidence ?? []).filter((one) => names[one.choice]);
  if (shown.length === 0) return null;
  return (
    <details class="reading">
      <summary>{t('reading.title')}</summary>
      <dl>
        {shown.map((one) => (
          <div key={one.choice}>
            <dt>{t(names[one.choice]!)}</dt>
            <dd>
              <strong><Raw text={valueOf(one, t, locale)} /></strong>
              <span class="quiet"><ServerText message={reasonOf(one)} /></span>
            </dd>
            <dd class="reading-change">{canChange(one) && <Button look="quiet" small onClick={() => setChanging(one)}>{t('decided.change')}</Button>}</dd>
          </div>
        ))}
      </dl>
      {changing && <ChangeDialog evidence={changing} onClose={() => setChanging(null)} />}
    </details>
  );
}

function valueOf(one: LayoutEvidence, t: T, locale: Locale): string {
  if (one.choice === 'delimiter') return choiceLabel({ id: 'delimiter' }, { value: one.value, label: '' }, null, t, locale);
  if (one.choice !== 'header row') return one.value;
  if (one.value === 'names') return t('reading.names');
  if (one.value === noneAnswer) return t('reading.noHeader');
  return /^\d+$/.test(one.value) ? t('reading.row', { row: Number(one.value) }) : one.value;
}

function canChange({ choice, answer, rivals }: LayoutEvidence): boolean {
  return answer !== '' && titles[choice] !== undefined && (choice === 'column starts' || rivals.length > 0);
}

function ChangeDialog({ evidence, onClose }: { evidence: LayoutEvidence; onClose: () => void }) {
  const { review, t } = useShared();
  const { layout } = useReview();
  const [value, setValue] = useState('');
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const isStarts = evidence.choice === 'column starts';
  const changes = layout?.changes ?? 0;
  const fits = isStarts ? value === noneAnswer || areColumnStarts(value) : value !== '';
  const send = async () => {
    setSending(true);
    setFault(null);
    try {
      await review.updateLayout({ [evidence.answer]: value });
      onClose();
    } catch (error) {
      setFault(error instanceof Fault ? error : new Fault('lost'));
      setSending(false);
    }
  };
  return (
    <Dialog
      title={t(titles[evidence.choice]!)}
      closeLabel={t('close')}
      onClose={onClose}
      foot={(
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" disabled={!fits} busy={sending} onClick={() => void send()}>{t('reading.again')}</Button>
        </>
      )}
    >
      {isStarts ? (
        <div class="reading-row">
          <Field label={t('reading.columnStarts')} hint={t('reading.startsHint')} value={value === noneAnswer ? '' : value} onInput={setValue} />
          <Button pressed={value === noneAnswer} onClick={() => setValue(value === noneAnswer ? '' : noneAnswer)}>{t('choices.noFixedWidth')}</Button>
        </div>
      ) : (
        <Select
          label={t('reading.other')}
          value={value || null}
          options={evidence.rivals.map((one) => ({ value: one.value, label: messageText(t, labelOf(one)), note: messageText(t, reasonOf(one)) }))}
          onChange={setValue}
          placeholder={t('reading.choose')}
          searchLabel={t('search')}
          nothing={t('search.nothing')}
        />
      )}
      <p class="quiet">{changes > 0 ? t('again.text', { n: changes }) : t('columns.again')}</p>
      <FaultNote fault={fault} />
    </Dialog>
  );
}
