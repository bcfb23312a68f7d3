import { useRef, useState } from 'preact/hooks';
import { Button, Icon } from '../kit';
import { useShared, useVisit } from './context';
import { useDroppedFile, usePastedFile } from './drop';
import { Earlier } from './earlier-list';
import type { OpenedPage } from './endpoint';
import { EnterRows } from './enter-rows';
import { ExpectedFields } from './expected-fields';
import { PasteButton } from './paste';
import { RefusalNote } from './refusal-note';
import { formatSize } from './sizes';
import { UnfinishedNote } from './unfinished-note';

/** Says what is expected, and accepts a file. */
export function Intro({ page }: { page: OpenedPage }) {
  const { t, locale, visit } = useShared();
  const { refusal, unfinished } = useVisit();
  const input = useRef<HTMLInputElement>(null);
  const only = page.manualInput === 'only';
  const [typing, setTyping] = useState(only || visit.typed.length > 0);
  const send = (file: File | null | undefined) => file && void visit.send(file);
  const choose = () => input.current?.click();
  const over = useDroppedFile((file) => typing || send(file));
  usePastedFile((file) => typing || send(file));
  return (
    <main class="import">
      <div class="import-head">
        {page.company && page.title && <p class="import-from">{t('from', { company: page.company })}</p>}
        <h1>{page.title ? <bdi>{page.title}</bdi> : t('title')}</h1>
        {page.text && <p class="import-text"><bdi>{page.text}</bdi></p>}
      </div>
      <div role="alert">{refusal && <RefusalNote refusal={refusal} onChoose={choose} />}</div>
      <div role="status">{unfinished && <UnfinishedNote unfinished={unfinished} onChoose={choose} />}</div>
      {typing ? <EnterRows page={page} onBack={only ? null : () => { visit.typed = []; setTyping(false); }} /> : <div class={`drop${over ? ' is-over' : ''}`}>
        <Icon name="upload" size={28} />
        <p class="drop-lead">{over ? t('drop.now') : t('drop.lead')}</p>
        <div class="drop-actions">
          <Button look="primary" icon="file" event="UPLOAD_DATA" onClick={choose}>{t('drop.choose')}</Button>
          <PasteButton onText={send} />
          {page.manualInput === 'allowed' && page.fields.length > 0 && <Button event="ENTER_DATA" onClick={() => setTyping(true)}>{t('rows.enter')}</Button>}
        </div>
        <p class="quiet">{t('drop.formats', { size: formatSize(locale, page.maxFileSize) })}</p>
        <input
          ref={input}
          class="k-unseen"
          type="file"
          tabIndex={-1}
          aria-label={t('drop.choose')}
          onChange={(event) => {
            send(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </div>}
      <Earlier />
      <ExpectedFields page={page} />
    </main>
  );
}
