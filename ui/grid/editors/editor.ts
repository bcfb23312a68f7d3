import type { Column } from '../row-source';
import type { Texts } from '../texts';

/** Options of an editor. */
export interface EditorOptions {
  readonly column: Column;
  /** Raw text of the cell. */
  readonly text: string;
  /** What the text was parsed to. */
  readonly chosen: string;
  /** The text as the table shows it. */
  readonly shown: string;
  /** Whether typed text replaces the text of the cell. */
  readonly replace: boolean;
  readonly texts: Texts;
  /** Parent element of lists, so that rows do not clip them. */
  readonly layer: HTMLElement;
  /** Ends the edit from within the editor, for example when an option is clicked. */
  readonly done: (text: string) => void;
}

/** The elements that edit one cell. */
export interface Editor {
  readonly element: HTMLElement;
  focus(): void;
  /** Returns the current text, or null if the cell cannot hold what was typed. */
  value(): string | null;
  /** Handles a key before the grid does, and reports whether it used the key. */
  key?(event: KeyboardEvent): boolean;
  /** Reports whether an element outside `element` belongs to the editor. */
  owns?(node: Node): boolean;
  close?(): void;
}
