import { createElement } from '../dom';
import type { Editor, EditorOptions } from './editor';

const iso = /^\d{4}-\d\d-\d\d$/;

/**
 * Edits a date as text, because the value in the file may not be a valid date,
 * with the browser's date picker as an option.
 */
export function dateEditor(task: EditorOptions): Editor {
  const field = createElement('input', 'ig-field', {
    type: 'text', placeholder: 'YYYY-MM-DD', autocomplete: 'off', spellcheck: 'false',
    'aria-label': task.texts.edit(task.column.label),
  });
  field.value = task.replace ? '' : task.text;
  const picker = createElement('input', 'ig-picker', { type: 'date', tabindex: '-1', 'aria-hidden': 'true' });
  const button = createElement('button', 'ig-calendar', { type: 'button', tabindex: '-1', 'aria-label': task.texts.chooseDate });
  picker.addEventListener('change', () => {
    if (!picker.value) return;
    field.value = picker.value;
    field.focus();
  });
  const open = () => {
    if (iso.test(field.value)) picker.value = field.value;
    picker.showPicker();
  };
  button.addEventListener('click', open);
  return {
    element: createElement('div', 'ig-field-with-button', {}, field, button, picker),
    focus() {
      field.focus({ preventScroll: true });
      field.setSelectionRange(field.value.length, field.value.length);
    },
    value: () => field.value,
    key(event) {
      if (!(event.altKey && event.key === 'ArrowDown')) return false;
      open();
      return true;
    },
  };
}
