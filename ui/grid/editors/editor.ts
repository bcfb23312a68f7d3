import type { Column } from '../row-source';
import type { Texts } from '../texts';

/** Options of an editor. */
export interface EditorOptions {
  readonly column: Column;
  /** Raw text of the cell. */
  readonly text: string;
  /** The value parsed from the text. */
  readonly chosen: string;
  /** The text as the table shows it. */
  readonly shown: string;
  /** Whether typed text replaces the text of the cell. */
  readonly replace: boolean;
  readonly texts: Texts;
  /** The element that contains lists, so that rows do not clip them. */
  readonly layer: HTMLElement;
  /** Ends the edit from within the editor, for example when an option is clicked. */
  readonly done: (text: string) => void;
}

/** The elements that edit one cell. */
export interface Editor {
  readonly element: HTMLElement;
  focus(): void;
  /** Returns the current text, or null if the cell cannot contain the typed text. */
  value(): string | null;
  /** Handles a key before the grid does. Reports whether it used the key. */
  key?(event: KeyboardEvent): boolean;
  /** Reports whether an element outside `element` belongs to the editor. */
  owns?(node: Node): boolean;
  close?(): void;
}
