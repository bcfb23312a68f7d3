import { useRef, useState } from 'preact/hooks';
import { Fault } from '../../api';
import { newId } from '../../../grid/outbox';
import { Button, Dialog, Icon, Note } from '../../kit';
import type { FileVerdict } from '../desk';
import type { DialogProps } from '../dialogs';
import { Preview, sentence, unknown, type Look } from './preview';

/** Takes rows back that were mended in a spreadsheet; they are known by the number in their first column. */
export default function Upload({ model, onClose }: DialogProps<'upload'>) {
  const { t } = model;
  const [file, setFile] = useState<File | null>(null);
  const [look, setLook] = useState<Look>(unknown);
  const [came, setCame] = useState<FileVerdict | null>(null);
  const [raced, setRaced] = useState(0);
  const [over, setOver] = useState(false);
  const [held, setHeld] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const take = async (taken: File | null | undefined, insist = false) => {
    if (!taken) return;
    setFile(taken);
    setOver(insist);
    setCame(null);
    setLook({ verdict: null, fault: '', busy: true });
    try {
      const answer = await model.desk.sendFile(taken, { op: newId(), preview: true, over: insist });
      setCame(answer);
      setRaced(0);
      setLook({ verdict: answer.verdict, fault: '', busy: false });
    } catch (cause) {
      const lost = cause instanceof Fault && cause.code === 'changed_by_others' ? cause.cells.length : 0;
      setRaced(lost);
      setLook({ verdict: null, fault: lost > 0 ? '' : sentence(model, cause), busy: false });
    }
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
    void take(event.dataTransfer?.files[0]);
  };
  return (
    <Dialog title={t('file.upload')} closeLabel={t('close')} onClose={() => onClose()} foot={foot} wide class="c-dialog">
      <p class="c-quiet c-lead">{t('upload.text')}</p>
      <div class={`c-drop${held ? ' is-over' : ''}`} onDragOver={(event) => { event.preventDefault(); setHeld(true); }} onDragLeave={() => setHeld(false)} onDrop={drop}>
        <Icon name="upload" size={20} />
        <p>{file ? <bdi>{file.name}</bdi> : t('upload.drop')}</p>
        <Button onClick={() => input.current?.click()}>{t(file ? 'upload.other' : 'upload.choose')}</Button>
        <input ref={input} type="file" hidden accept=".xlsx,.csv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" onChange={(event) => void take(event.currentTarget.files?.[0])} />
      </div>
      {file && <Preview model={model} look={look} idle="" />}
      {raced > 0 && (
        <Note tone="warning" actions={<Button onClick={() => void take(file, true)}>{t('upload.over')}</Button>}>{t('upload.raced', { n: raced })}</Note>
      )}
      {came && <Remarks model={model} came={came} />}
    </Dialog>
  );
}

function Remarks({ model: { t, frame }, came }: { model: DialogProps['model']; came: FileVerdict }) {
  return (
    <>
      {came.unknown > 0 && <Note tone="warning">{t('upload.unknown', { n: came.unknown })}</Note>}
      {came.ignored.length > 0 && <Note tone="info">{t('upload.ignored', { n: came.ignored.length, names: frame.locale.list(came.ignored.map((name) => frame.locale.isolate(name))) })}</Note>}
    </>
  );
}
