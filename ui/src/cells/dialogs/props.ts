import type { Row, Spot } from '../../../grid';
import type { Model } from '../model';

/** The open dialog and its parameters. */
export type OpenDialog =
  | { readonly kind: 'replace' }
  | { readonly kind: 'fixer'; readonly key: string }
  | { readonly kind: 'upload' }
  | { readonly kind: 'goTo' }
  | { readonly kind: 'longText'; readonly spot: Spot; readonly row: Row };

export interface DialogProps<Kind extends OpenDialog['kind'] = OpenDialog['kind']> {
  readonly model: Model;
  readonly open: Extract<OpenDialog, { kind: Kind }>;
  /** Closes the dialog. Calls `then` after the dialog has returned the focus. */
  readonly onClose: (then?: () => void) => void;
}
