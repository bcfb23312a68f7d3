import { useRef, useState } from 'preact/hooks';
import { newId } from '../../../grid/outbox';
import { Button, Dialog, Icon, Note } from '../../kit';
import { columnKey } from '../columns';
import type { FileVerdict, MergeConflict } from '../table-api';
import type { DialogProps } from './props';
import type { Model } from '../model';
import { ValueText } from '../value-text';
import { Preview, reportFault, noPreview, type PreviewState } from './preview';

/** Merges rows that users fixed in a spreadsheet. The first column identifies the rows. */
export default function Upload({ model, onClose }: DialogProps<'upload'>) {
  const { t } = model;
  const [file, setFile] = useState<File | null>(null);
  const [look, setLook] = useState<PreviewState>(noPreview);
  const [came, setCame] = useState<FileVerdict | null>(null);
  // Whether the file wins if a cell was changed both in the file and on the page.
  const [over, setOver] = useState(false);
  const [held, setHeld] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const asked = useRef(0);

  const preview = async (taken: File | null | undefined, insist = false) => {
    if (!taken) return;
    const turn = ++asked.current;
    if (taken !== file) setCame(null);
    setFile(taken);
    setOver(insist);
    setLook({ verdict: null, fault: '', busy: true });
    try {
      const answer = await model.tableApi.uploadFile(taken, { op: newId(), preview: true, over: insist });
      if (turn !== asked.current) return;
      setCame(answer);
      setLook({ verdict: answer.verdict, fault: '', busy: false });
    } catch (cause) {
      if (turn !== asked.current) return;
      setCame(null);
      setLook({ verdict: null, fault: reportFault(model, cause), busy: false });
    }
  };
  const choose = (field: HTMLInputElement) => {
    const [chosen] = field.files ?? [];
    // Reset the field, so that choosing the same file again triggers a change event.
    field.value = '';
    void preview(chosen);
  };
  const changes = look.verdict?.cells ?? 0;
  const apply = () => {
    model.mergeFile(file!, over);
    onClose();
  };
  const foot = (
    <>
      <Button onClick={() => onClose()}>{t('cancel')}</Button>
      <Button look="primary" disabled={look.busy || changes === 0} onClick={apply}>{changes > 0 ? t('upload.apply', { n: changes }) : t('upload.short')}</Button>
    </>
  );
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setHeld(false);
    void preview(event.dataTransfer?.files[0]);
  };
  return (
    <Dialog title={t('file.upload')} closeLabel={t('close')} onClose={() => onClose()} foot={foot} wide class="c-dialog">
      <p class="c-quiet c-lead">{t('upload.text')}</p>
      <div class={`c-drop${held ? ' is-over' : ''}`} onDragOver={(event) => { event.preventDefault(); setHeld(true); }} onDragLeave={() => setHeld(false)} onDrop={drop}>
        <Icon name="upload" size={20} />
        <p>{file ? <bdi>{file.name}</bdi> : t('upload.drop')}</p>
        <Button onClick={() => input.current?.click()}>{t(file ? 'upload.other' : 'upload.choose')}</Button>
        <input ref={input} type="file" hidden accept=".xlsx,.csv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" onChange={(event) => choose(event.currentTarget)} />
      </div>
      {file && <Preview model={model} look={look} idle="" />}
      {came && <MergeConflicts model={model} came={came} over={over} onTurn={() => void preview(file, !over)} />}
      {came && <Remarks model={model} came={came} />}
    </Dialog>
  );
}

/**
 * Lists the cells that were changed both in the file and on the page, and lets the user
 * choose which change wins.
 */
function MergeConflicts({ model, came, over, onTurn }: { model: Model; came: FileVerdict; over: boolean; onTurn: () => void }) {
  const { t } = model;
  const { clashes: n, examples } = came;
  if (n === 0) return null;
  const turn = <Button onClick={onTurn}>{t(over ? 'upload.keep' : 'upload.take', { n })}</Button>;
  return (
    <>
      <Note tone="warning" actions={turn}>
        <p>{t('upload.conflicts', { n })}</p>
        <p role="status">{t(over ? 'upload.taken' : 'upload.kept', { n })}</p>
      </Note>
      <section class="c-preview">
        <p class="c-preview-sum">{t('upload.examples')}</p>
        <div class="c-samples" tabIndex={0} role="region" aria-label={t('upload.examples')}>
          <table>
            <thead>
              <tr><th scope="col" class="c-at-end">{t('grid.rowHeader')}</th><th scope="col">{t('column')}</th><th scope="col">{t('upload.here')}</th><th scope="col">{t('upload.file')}</th></tr>
            </thead>
            <tbody>{examples.map((one, at) => <ConflictLine key={at} model={model} one={one} />)}</tbody>
          </table>
        </div>
      </section>
    </>
  );
}

function ConflictLine({ model, one: { id, key, part, here, file } }: { model: Model; one: MergeConflict }) {
  const place = model.place(columnKey(key, part ?? 0));
  return (
    <tr>
      <td class="c-at-end c-quiet">{model.host.locale.number(Number(id) + 1)}</td>
      <td class="c-quiet" dir="auto">{place?.column.label ?? key}</td>
      <td><ValueText t={model.t} place={place} text={here} /></td>
      <td><ValueText t={model.t} place={place} text={file} /></td>
    </tr>
  );
}

function Remarks({ model: { t, host }, came }: { model: Model; came: FileVerdict }) {
  return (
    <>
      {came.untold > 0 && <Note tone="info">{t('upload.unknownBase', { n: came.untold })}</Note>}
      {came.unknown > 0 && <Note tone="warning">{t('upload.unknown', { n: came.unknown })}</Note>}
      {came.ignored.length > 0 && <Note tone="info">{t('upload.ignored', { n: came.ignored.length, names: host.locale.list(came.ignored.map((name) => host.locale.isolate(name))) })}</Note>}
    </>
  );
}
