import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Row, Spot } from '../../grid';
import { checkboxState } from '../../grid/visible-text';
import { Checkbox, Icon, Select } from '../kit';
import { choiceOption } from './choices';
import { displayName, type Place } from './columns';
import type { Model } from './model';
import { SuggestedFix } from './suggested-fix';

interface Props {
  readonly model: Model;
  readonly place: Place;
  readonly index: number;
  readonly row: Row;
  readonly onLong: (spot: Spot, row: Row) => void;
}

/** One cell of the row, with its editor and problems. */
export function CardField({ model, place, index, row, onLong }: Props) {
  const { t } = model;
  const { column } = place;
  const cell = model.cell(index, column.key);
  const id = useId();
  if (!cell) return null;
  const write = (text: string) => {
    if (text !== cell.text) model.grid?.write(index, column.key, text);
  };
  const problems = cell.pending ? [] : cell.problems;
  return (
    <div class={`c-card-field${problems[0] ? ` has-${problems[0].level}` : ''}`} data-column={column.key}>
      {cell.cut || column.readOnly
        ? <Fixed model={model} place={place} text={cell.text} cut={cell.cut === true} onLong={() => onLong({ row: index, column: column.key }, row)} />
        : <Input model={model} place={place} text={cell.text} value={cell.value ?? cell.text} describedBy={problems.length > 0 ? id : undefined} onWrite={write} />}
      <div id={id}>
        {problems.map((problem) => (
          <p key={problem.code} class="c-card-problem"><Icon name={problem.level} size={14} label={t(`level.${problem.level}`)} /> <bdi>{problem.message}</bdi></p>
        ))}
      </div>
      {problems[0] && !cell.cut && !column.readOnly && cell.text !== '' && <SuggestedFix model={model} place={place} text={cell.text} problem={problems[0]} onTake={write} />}
    </div>
  );
}

function Fixed({ model, place, text, cut, onLong }: { model: Model; place: Place; text: string; cut: boolean; onLong: () => void }) {
  return (
    <>
      <span class="k-label"><bdi>{place.column.label}</bdi></span>
      <p class="c-card-text" dir="auto">{displayName(place, text).slice(0, 200) || model.t('emptyCell')}</p>
      {cut && <button type="button" class="c-link" onClick={onLong}>{model.t('long.open')}</button>}
    </>
  );
}

interface InputProps {
  readonly model: Model;
  readonly place: Place;
  readonly text: string;
  /** The value parsed from the text. */
  readonly value: string;
  readonly describedBy: string | undefined;
  readonly onWrite: (text: string) => void;
}

function Input({ model, place, text, value, describedBy, onWrite }: InputProps) {
  const { t } = model;
  const { column } = place;
  // Show the text instead of a checkbox if the text means neither yes nor no.
  const state = column.kind === 'checkbox' && checkboxState({ text }) === checkboxState({ text, value }) ? checkboxState({ text }) : null;
  if (state !== null) {
    const label = <><bdi>{column.label}</bdi>{state === undefined && <> <span class="c-quiet">· {t('emptyCell')}</span></>}</>;
    return <Checkbox label={label} checked={state === true} onChange={(on) => onWrite(String(on))} />;
  }
  if (column.kind === 'select' && column.choices) {
    return (
      <Select
        label={column.label} value={value} placeholder={text || t('grid.emptyChoice')} searchLabel={t('searchChoices')} nothing={t('noChoice')} onChange={onWrite} wrong={describedBy !== undefined}
        options={[...(place.required ? [] : [{ value: '', label: t('grid.emptyChoice') }]), ...column.choices.map(choiceOption)]} {...(describedBy && { describedBy })}
      />
    );
  }
  return <Line label={column.label} text={text} numeric={column.kind === 'number'} describedBy={describedBy} onWrite={onWrite} />;
}

/** A text field that saves on Enter or when it loses the focus. */
function Line({ label, text, numeric, describedBy, onWrite }: { label: string; text: string; numeric: boolean; describedBy: string | undefined; onWrite: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => setTyped(text), [text]);
  return (
    <>
      <label class="k-label" for={id}><bdi>{label}</bdi></label>
      <textarea
        ref={field} id={id} class="c-field" rows={text.includes('\n') ? 3 : 1} dir="auto" spellcheck={false} value={typed} inputMode={numeric ? 'decimal' : 'text'}
        aria-invalid={describedBy ? 'true' : undefined} aria-describedby={describedBy}
        onInput={(event) => setTyped(event.currentTarget.value)} onBlur={() => onWrite(typed)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyped(text);
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onWrite(typed);
        }}
      />
    </>
  );
}
