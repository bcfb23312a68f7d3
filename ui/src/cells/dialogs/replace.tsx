import { useState } from 'preact/hooks';
import { Fault, type Verdict } from '../../api';
import { Button, Checkbox, Dialog, Field, Select } from '../../kit';
import { columnsFor } from '../choices';
import type { DialogProps } from '../dialogs';
import { isNarrow } from '../filter';
import { useFirst } from '../focus';
import type { Model } from '../model';
import type { Deed } from '../orders';
import { ownNames } from '../own-names';
import { Preview, useLook } from './preview';

interface Wish {
  readonly find: string;
  readonly with: string;
  /** The key of a field; "" is all. */
  readonly column: string;
  /** Only rows that are in view. */
  readonly inView: boolean;
  readonly whole: boolean;
  readonly matchCase: boolean;
  readonly expression: boolean;
}

/** Finds a text in cells and puts another in its place, after it was shown what that does. */
export default function Replace({ model, onClose }: DialogProps<'replace'>) {
  const { t } = model;
  const narrow = isNarrow(model.now.filter);
  const [wish, setWish] = useState<Wish>(() => ({
    find: model.now.wanted.search ?? '', with: '', column: model.now.wanted.in ?? '', inView: narrow, whole: false, matchCase: false, expression: false,
  }));
  const first = useFirst();
  const put = (part: Partial<Wish>) => setWish({ ...wish, ...part });
  const deed = deedOf(model, wish);
  const look = useLook(model, JSON.stringify(wish), wish.find === '' ? null : (signal) => previewed(model, deed, signal));
  const cells = look.verdict?.cells ?? 0;
  const ready = !look.busy && cells > 0;
  const apply = () => {
    if (!ready) return;
    model.make(deed, (verdict) => (verdict.cells === 0 ? t('nothingChanged') : t('replacedCells', { n: verdict.cells })));
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
          <Field label={t('replace.find')} value={wish.find} onInput={(find) => put({ find })} refTo={first} code={wish.expression} />
          <Field label={t('replace.with')} value={wish.with} onInput={(text) => put({ with: text })} code={wish.expression} {...(wish.expression && { hint: t('replace.groups') })} />
        </div>
        <div class="c-replace-options">
          <Select
            label={t('column')} bare value={wish.column} placeholder={t('search.all')} searchLabel={t('searchColumns')} nothing={t('noChoice')}
            options={[{ value: '', label: t('search.all') }, ...columnsFor(model.places, true).map(({ key, label }) => ({ value: key, label }))]} onChange={(column) => put({ column })}
          />
          <Checkbox label={t('replace.whole')} checked={wish.whole} onChange={(whole) => put({ whole })} />
          <Checkbox label={t('replace.case')} checked={wish.matchCase} onChange={(matchCase) => put({ matchCase })} />
          <Checkbox label={t('replace.expression')} checked={wish.expression} onChange={(expression) => put({ expression })} />
          {narrow && <Checkbox label={t('replace.inView', { n: model.now.total })} checked={wish.inView} onChange={(inView) => put({ inView })} />}
        </div>
        <button type="submit" hidden />
      </form>
      <Preview model={model} look={look} idle={t('replace.idle')} />
    </Dialog>
  );
}

/** A refused expression is asked about once more as it was typed: the service quotes it with the signs that it puts around it. */
async function previewed(model: Model, deed: Deed, signal: AbortSignal): Promise<Verdict> {
  try {
    return await model.preview(deed, signal);
  } catch (cause) {
    if (deed.expression && cause instanceof Fault && cause.code === 'not_possible') await model.preview({ ...deed, matchCase: true, whole: false }, signal);
    throw cause;
  }
}

function deedOf(model: Model, wish: Wish): Deed {
  return {
    kind: 'replace', names: ownNames(model.places), find: wish.find, with: wish.with, whole: wish.whole, matchCase: wish.matchCase, expression: wish.expression,
    where: wish.inView ? { ...model.now.filter, view: model.source.view } : { show: 'all' },
    ...(wish.column && { keys: [wish.column] }),
  };
}
