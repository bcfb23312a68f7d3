import type { Column } from '../row-source';
import type { Texts } from '../texts';

/** What an editor is made for. */
export interface EditorOptions {
  readonly column: Column;
  /** What the cell holds. */
  readonly text: string;
  /** What that is read as. */
  readonly chosen: string;
  /** What the table shows of it. */
  readonly shown: string;
  /** Whether the first key stands in place of the text. */
  readonly replace: boolean;
  readonly texts: Texts;
  /** Where lists are hung so that no row cuts them off. */
  readonly layer: HTMLElement;
  /** Ends the edit from within, as a click on a choice does. */
  readonly done: (text: string) => void;
}

/** The elements in which one cell is edited. */
export interface Editor {
  readonly element: HTMLElement;
  focus(): void;
  /** The text as it stands, or null where what was typed is nothing that the cell may hold. */
  value(): string | null;
  /** Gets keys first and reports whether it used one. */
  key?(event: KeyboardEvent): boolean;
  /** Whether an element outside of `element` belongs to it. */
  owns?(node: Node): boolean;
  close?(): void;
}
