import { createElement } from '../dom';
import type { Choice } from '../row-source';
import type { Editor, EditorOptions } from './editor';
import { Listbox } from './listbox';

/** Edits a single choice; typing filters the options. */
export function selectEditor(task: EditorOptions): Editor {
  return new ChoiceEditor(task, false);
}

/** Edits a multiple choice. */
export function multiEditor(task: EditorOptions): Editor {
  return new ChoiceEditor(task, true);
}

/** A search field with the list of matching options. */
class ChoiceEditor implements Editor {
  readonly element: HTMLInputElement;
  readonly #task: EditorOptions;
  readonly #multiple: boolean;
  readonly #list: Listbox;
  readonly #chosen: Set<string>;
  #touched = false;
  #toggled = false;

  constructor(task: EditorOptions, many: boolean) {
    this.#task = task;
    this.#multiple = many;
    const choices = task.column.choices ?? [];
    const known = new Set(choices.map((choice) => choice.text));
    this.#chosen = new Set(many ? parts(task, task.chosen) : [task.chosen].filter((text) => known.has(text)));
    const label = task.texts.edit(task.column.label);
    const empty: Choice[] = many || task.column.required ? [] : [{ text: '', label: task.texts.emptyChoice }];
    this.#list = new Listbox([...empty, ...choices], task.texts, label, many, (choice) => this.#pick(choice));
    this.element = createElement('input', 'ig-field', {
      type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false', dir: 'auto',
      placeholder: task.shown || task.texts.search,
      'aria-label': label, 'aria-expanded': 'true', 'aria-controls': this.#list.id, 'aria-autocomplete': 'list',
    });
    this.element.addEventListener('input', () => this.#search());
    task.layer.append(this.#list.element);
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
    this.#show(this.#multiple ? undefined : this.#task.chosen);
  }

  value(): string | null {
    // Keep the original text unless the user toggled an option.
    if (this.#multiple) return this.#toggled ? [...this.#chosen].join(separator(this.#task)) : this.#task.text;
    if (!this.#touched) return this.#task.text;
    return this.#list.current?.text ?? null;
  }

  key(event: KeyboardEvent): boolean {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (step !== undefined) this.#step(step);
    else if (event.key === 'Enter' && this.#multiple && !event.ctrlKey && (this.#touched || this.element.value)) this.#toggleMarked();
    else if (event.key === ' ' && this.#multiple && this.element.value === '') this.#toggleMarked();
    else return false;
    return true;
  }

  owns(node: Node): boolean {
    return this.#list.element.contains(node);
  }

  close(): void {
    this.#list.element.remove();
  }

  #step(by: number): void {
    if (!this.#multiple) this.#touched = true;
    this.#list.step(by);
    this.#mark();
  }

  #search(): void {
    this.#touched = this.#touched || !this.#multiple;
    this.#show(undefined);
  }

  #show(on: string | undefined): void {
    this.#list.show(this.element.value, this.#chosen, on);
    this.#list.positionAt(this.element);
    this.#mark();
  }

  #mark(): void {
    this.element.setAttribute('aria-activedescendant', this.#list.marked);
  }

  #pick(choice: Choice): void {
    if (!this.#multiple) return this.#task.done(choice.text);
    this.#toggle(choice);
  }

  #toggleMarked(): void {
    const choice = this.#list.current;
    if (choice) this.#toggle(choice);
  }

  #toggle(choice: Choice): void {
    this.#toggled = true;
    if (!this.#chosen.delete(choice.text)) this.#chosen.add(choice.text);
    this.element.value = '';
    this.#touched = false;
    this.#show(choice.text);
  }
}

function separator(task: EditorOptions): string {
  return task.column.separator ?? ', ';
}

/**
 * Splits the text of a multiple choice. Keeps parts that match no option, because opening
 * an editor must not lose data.
 */
function parts(task: EditorOptions, text: string): string[] {
  return text.split(separator(task).trim() || ' ').map((part) => part.trim()).filter(Boolean);
}
