import { createElement } from '../dom';
import type { Editor, EditorOptions } from './editor';

/** Edits text in a field that grows with the number of lines. */
export function textEditor(task: EditorOptions): Editor {
  const field = createElement('textarea', 'ig-field', {
    rows: '1', dir: 'auto', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off',
    'aria-label': task.texts.edit(task.column.label),
  });
  field.value = task.replace ? '' : task.text;
  if (task.column.kind === 'number') field.inputMode = 'decimal';
  const grow = () => {
    field.style.blockSize = 'auto';
    field.style.blockSize = `${field.scrollHeight}px`;
    field.style.inlineSize = 'auto';
    if (field.scrollWidth > field.clientWidth) field.style.inlineSize = `${Math.min(480, field.scrollWidth + 16)}px`;
  };
  field.addEventListener('input', grow);
  return {
    element: field,
    focus() {
      field.focus({ preventScroll: true });
      field.setSelectionRange(field.value.length, field.value.length);
      grow();
    },
    value: () => field.value,
    key(event) {
      if (event.key !== 'Enter' || !(event.altKey || event.shiftKey)) return false;
      field.setRangeText('\n', field.selectionStart, field.selectionEnd, 'end');
      grow();
      return true;
    },
  };
}
