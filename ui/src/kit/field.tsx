import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icon';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** Whether the label is for screen readers only. */
  readonly bare?: boolean;
  readonly icon?: IconName;
  readonly hint?: string;
  /** What is wrong with the value, as a sentence. */
  readonly fault?: string;
  readonly placeholder?: string;
  readonly kind?: 'text' | 'search' | 'number' | 'password';
  readonly autofocus?: boolean;
  readonly refTo?: Ref<HTMLInputElement>;
  /** Whether the text is code, shown in a monospace font. */
  readonly code?: boolean;
  readonly class?: string;
  readonly after?: ComponentChildren;
}

/** A text field with a label. */
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
          {...inputType(kind)}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          value={value}
          placeholder={props.placeholder}
          class={props.code ? 'k-code' : undefined}
          // The placeholder follows the text direction of the page.
          dir={value === '' ? undefined : 'auto'}
          autocomplete={kind === 'password' ? 'current-password' : 'off'}
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

/** Returns the type of the input, in a form that the types of Preact accept. */
function inputType(kind: NonNullable<FieldProps['kind']>) {
  if (kind === 'search') return { type: 'search' as const };
  return kind === 'password' ? { type: 'password' as const } : { type: 'text' as const };
}

interface CheckboxProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function Checkbox({ label, checked, onChange, disabled }: CheckboxProps) {
  return (
    <label class="k-checkbox">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
