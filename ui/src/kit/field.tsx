import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** The label is only said, not seen. */
  readonly bare?: boolean;
  readonly icon?: IconName;
  readonly hint?: string;
  /** What is wrong with it, as a sentence. */
  readonly fault?: string;
  readonly placeholder?: string;
  readonly kind?: 'text' | 'search' | 'number';
  readonly autofocus?: boolean;
  readonly refTo?: Ref<HTMLInputElement>;
  /** Text from files: its own direction, not the page's. */
  readonly code?: boolean;
  readonly class?: string;
  readonly after?: ComponentChildren;
}

/** A line to type into. */
export function Field(props: FieldProps) {
  const { label, value, onInput, bare, icon, hint, fault, kind = 'text' } = props;
  const id = useId();
  const notes = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class={`k-field ${props.class ?? ''}`}>
      <label for={id} class={bare ? 'k-unseen' : 'k-label'}>{label}</label>
      <div class={`k-input${fault ? ' is-wrong' : ''}`}>
        {icon && <Icon name={icon} />}
        <input
          id={id}
          ref={props.refTo ?? null}
          {...(kind === 'search' ? { type: 'search' as const } : { type: 'text' as const })}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          value={value}
          placeholder={props.placeholder}
          class={props.code ? 'k-code' : undefined}
          // What stands for nothing yet is the page's own.
          dir={value === '' ? undefined : 'auto'}
          autocomplete="off"
          spellcheck={false}
          autofocus={props.autofocus}
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby={notes || undefined}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={props.onKeyDown}
        />
        {props.after}
      </div>
      {hint && <p class="k-hint" id={`${id}-hint`}>{hint}</p>}
      {fault && <p class="k-fault" id={`${id}-fault`}><Icon name="error" /> {fault}</p>}
    </div>
  );
}

interface CheckboxProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  /** Some of what it stands for is chosen. */
  readonly mixed?: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function Checkbox({ label, checked, mixed, onChange, disabled }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current!.indeterminate = mixed === true;
  });
  return (
    <label class="k-checkbox">
      <input ref={box} type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
