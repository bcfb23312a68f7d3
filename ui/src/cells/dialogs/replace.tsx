import { useState } from 'preact/hooks';
import { Fault, type Verdict } from '../../api';
import { Button, Checkbox, Dialog, Field, Select } from '../../kit';
import { fieldOptions } from '../choices';
import type { DialogProps } from './props';
import { isFiltered } from '../filter';
import { useAutoFocus } from '../focus';
import type { Model } from '../model';
import type { EditSpec } from '../selection-scope';
import { localizedNames } from '../localized-choices';
import { Preview, usePreview } from './preview';

interface ReplaceOptions {
  readonly find: string;
  readonly with: string;
  /** Key of the field to search; "" for all fields. */
  readonly column: string;
  /** Whether to search only the rows in the current view. */
  readonly inView: boolean;
  readonly whole: boolean;
  readonly matchCase: boolean;
  readonly expression: boolean;
}

/** Finds and replaces text, with a preview. */
export default function Replace({ model, onClose }: DialogProps<'replace'>) {
  const { t } = model;
  const narrow = isFiltered(model.now.filter);
  const [options, setOptions] = useState<ReplaceOptions>(() => ({
    find: model.now.wanted.search ?? '', with: '', column: model.now.wanted.in ?? '', inView: narrow, whole: false, matchCase: false, expression: false,
  }));
  const first = useAutoFocus();
  const put = (part: Partial<ReplaceOptions>) => setOptions({ ...options, ...part });
  const edit = replaceEdit(model, options);
  const look = usePreview(model, JSON.stringify(options), options.find === '' ? null : (signal) => previewed(model, edit, signal));
  const cells = look.verdict?.cells ?? 0;
  const ready = !look.busy && cells > 0;
  const apply = () => {
    if (!ready) return;
    model.applyEdit(edit, (verdict) => (verdict.cells === 0 ? t('nothingChanged') : t('replacedCells', { n: verdict.cells })));
    onClose();
  };
  const foot = (
    <>
      <Button onClick={() => onClose()}>{t('cancel')}</Button>
      <Button look="primary" disabled={!ready} onClick={apply}>{ready ? t('replace.apply', { n: cells }) : t('replace.short')}</Button>
    </>
  );
  return (
    <Dialog title={t('replace.open')} closeLabel={t('close')} onClose={() => onClose()} foot={foot} wide class="c-dialog">
      <form class="c-replace" onSubmit={(event) => { event.preventDefault(); apply(); }}>
        <div class="c-two">
          <Field label={t('replace.find')} value={options.find} onInput={(find) => put({ find })} refTo={first} code={options.expression} />
          <Field label={t('replace.with')} value={options.with} onInput={(text) => put({ with: text })} code={options.expression} {...(options.expression && { hint: t('replace.groups') })} />
        </div>
        <div class="c-replace-options">
          <Select
            label={t('column')} bare value={options.column} placeholder={t('search.all')} searchLabel={t('searchColumns')} nothing={t('noChoice')}
            options={fieldOptions(model.places, t('search.all'), true)} onChange={(column) => put({ column })}
          />
          <Checkbox label={t('replace.whole')} checked={options.whole} onChange={(whole) => put({ whole })} />
          <Checkbox label={t('replace.case')} checked={options.matchCase} onChange={(matchCase) => put({ matchCase })} />
          <Checkbox label={t('replace.expression')} checked={options.expression} onChange={(expression) => put({ expression })} />
          {narrow && <Checkbox label={t('replace.inView', { n: model.now.total })} checked={options.inView} onChange={(inView) => put({ inView })} />}
        </div>
        <button type="submit" hidden />
      </form>
      <Preview model={model} look={look} idle={t('replace.idle')} />
    </Dialog>
  );
}

/**
 * Previews the edit. If the server rejects the expression, requests the preview again with
 * the expression as typed: the first message quotes the expression with the parts that the
 * server adds.
 */
async function previewed(model: Model, edit: EditSpec, signal: AbortSignal): Promise<Verdict> {
  try {
    return await model.preview(edit, signal);
  } catch (cause) {
    if (edit.expression && cause instanceof Fault && cause.code === 'not_possible') await model.preview({ ...edit, matchCase: true, whole: false }, signal);
    throw cause;
  }
}

function replaceEdit(model: Model, options: ReplaceOptions): EditSpec {
  return {
    kind: 'replace', names: localizedNames(model.places), find: options.find, with: options.with, whole: options.whole, matchCase: options.matchCase, expression: options.expression,
    where: options.inView ? { ...model.now.filter, view: model.source.view } : { show: 'all' },
    ...(options.column && { keys: [options.column] }),
  };
}
