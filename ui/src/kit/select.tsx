import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from './icon';
import { targetOf } from './menu';
import { Popover } from './popover';

export interface Option {
  readonly value: string;
  readonly label: string;
  /** Secondary text after the label. */
  readonly note?: string;
  /** An additional name that the search finds. */
  readonly also?: string;
  /** The meaning of a dot after the label, such as "required"; without it, there is no dot. */
  readonly mark?: string;
  readonly disabled?: boolean;
}

interface Props {
  readonly label: string;
  /** Whether the label is for screen readers only. */
  readonly bare?: boolean;
  readonly value: string | null;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
  readonly searchLabel: string;
  /** Text shown if nothing matches. */
  readonly nothing: string;
  readonly disabled?: boolean;
  readonly wrong?: boolean;
  readonly describedBy?: string;
  readonly class?: string;
}

/** Maximum number of options listed. Users type to filter them. */
const listed = 200;
/** Minimum number of options for which there is a search field. */
const searched = 8;

/** A list of options to choose from, with a search field if there are many. */
export function Select(props: Props) {
  const { label, value, options, onChange, placeholder, disabled, wrong } = props;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const chosen = options.find((one) => one.value === value);
  const close = () => setOpen(false);
  const take = (taken: string) => {
    close();
    button.current?.focus();
    onChange(taken);
  };
  return (
    <div class={`k-field ${props.class ?? ''}`}>
      <span id={`${id}-label`} class={props.bare ? 'k-unseen' : 'k-label'}>{label}</span>
      <button
        ref={button}
        type="button"
        id={`${id}-button`}
        class={`k-select${wrong ? ' is-wrong' : ''}`}
        disabled={disabled}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-labelledby={`${id}-label ${id}-button`}
        aria-describedby={props.describedBy}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <span class={`k-select-text${chosen ? '' : ' is-empty'}`} dir="auto">{chosen?.label ?? placeholder}<Mark of={chosen} /></span>
        <Icon name="down" />
      </button>
      {open && (
        <Popover anchor={button} onClose={close} fits role="dialog" label={label}>
          <Options {...props} onTake={take} id={id} />
        </Popover>
      )}
    </div>
  );
}

function Mark({ of }: { of: Option | undefined }) {
  return of?.mark ? <><span class="k-mark" aria-hidden="true"> •</span><span class="k-unseen"> {of.mark}</span></> : null;
}

interface ListProps extends Props {
  readonly onTake: (value: string) => void;
  readonly id: string;
}

function Options({ options, value, onTake, id, ...texts }: ListProps): ComponentChildren {
  const [sought, setSought] = useState('');
  const found = useMemo(() => matching(options, sought), [options, sought]);
  const shown = found.slice(0, listed);
  const [at, setAt] = useState(() => Math.max(0, options.findIndex((one) => one.value === value)));
  const host = useRef<HTMLDivElement>(null);
  const withSearch = options.length >= searched;
  useEffect(() => host.current!.querySelector<HTMLElement>(withSearch ? 'input' : '[role=listbox]')!.focus(), []);
  useEffect(() => host.current!.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' }), [at, sought]);

  const onKeyDown = (event: KeyboardEvent) => {
    const target = targetOf(event.key, at, shown.length);
    const one = shown[at];
    if (event.key === 'Enter' && one && !one.disabled) onTake(one.value);
    else if (target === null || ((event.key === 'Home' || event.key === 'End') && withSearch)) return;
    else if (shown.length > 0) setAt(target);
    event.preventDefault();
  };
  const active = shown.length > 0 ? `${id}-${at}` : undefined;
  return (
    <div ref={host} class="k-options" onKeyDown={onKeyDown}>
      {withSearch && (
        <div class="k-input k-options-search">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label={texts.searchLabel}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={active}
            autocomplete="off"
            spellcheck={false}
            value={sought}
            onInput={(event) => {
              setSought(event.currentTarget.value);
              setAt(0);
            }}
          />
        </div>
      )}
      <div id={`${id}-list`} role="listbox" aria-label={texts.label} tabIndex={withSearch ? -1 : 0} aria-activedescendant={withSearch ? undefined : active} class="k-option-list">
        {shown.map((one, place) => (
          <div
            key={one.value}
            id={`${id}-${place}`}
            role="option"
            class="k-option"
            aria-selected={one.value === value}
            aria-disabled={one.disabled ? 'true' : undefined}
            data-active={place === at ? '' : undefined}
            onPointerMove={() => setAt(place)}
            onClick={() => !one.disabled && onTake(one.value)}
          >
            <span class="k-option-check">{one.value === value && <Icon name="check" />}</span>
            <span class="k-option-label" dir="auto">{one.label}<Mark of={one} /></span>
            {one.note && <span class="k-option-note" dir="auto">{one.note}</span>}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p class="k-options-none" role="status">{texts.nothing}</p>}
    </div>
  );
}

/** Returns the options that match a search text. Those that begin with it come first. */
export function matching(options: readonly Option[], sought: string): readonly Option[] {
  const wanted = folded(sought.trim());
  if (!wanted) return options;
  const ranked = options.map((one) => ({ one, rank: rankOf(one, wanted) })).filter(({ rank }) => rank < 3);
  return ranked.sort((a, b) => a.rank - b.rank).map(({ one }) => one);
}

function rankOf(one: Option, wanted: string): number {
  const label = folded(one.label);
  if (label.startsWith(wanted) || folded(one.value) === wanted) return 0;
  if (label.includes(wanted)) return 1;
  return folded(`${one.value} ${one.note ?? ''} ${one.also ?? ''}`).includes(wanted) ? 2 : 3;
}

/** Returns the text in lower case and without accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();
}
