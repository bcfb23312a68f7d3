import type { Row, Spot } from '../../../grid';
import type { Model } from '../model';
import type { EditScope } from '../table-api';

/** The open dialog and its parameters. */
export type OpenDialog =
  | { readonly kind: 'replace' }
  | { readonly kind: 'fixer'; readonly key: string }
  | { readonly kind: 'upload' }
  | { readonly kind: 'goTo' }
  | DeleteRows
  | { readonly kind: 'longText'; readonly spot: Spot; readonly row: Row };

/** Rows to delete after a preview. */
export interface DeleteRows {
  readonly kind: 'delete';
  readonly where: EditScope;
  /** Number of rows in the scope. */
  readonly rows: number;
  /** The first rows, if they cannot be requested by the scope. */
  readonly first?: readonly Row[];
  /** Whether the first row with each value stays. The scope is then a group of duplicates. */
  readonly keepFirst?: boolean;
}

export interface DialogProps<Kind extends OpenDialog['kind'] = OpenDialog['kind']> {
  readonly model: Model;
  readonly open: Extract<OpenDialog, { kind: Kind }>;
  /** Closes the dialog. Calls `then` after the dialog has returned the focus. */
  readonly onClose: (then?: () => void) => void;
}
