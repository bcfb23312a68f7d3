import type { Row, Spot } from '../../../grid';
import type { Model } from '../model';

/** A dialog that is open, and what it is about. */
export type OpenDialog =
  | { readonly kind: 'replace' }
  | { readonly kind: 'fixer'; readonly key: string }
  | { readonly kind: 'upload' }
  | { readonly kind: 'goTo' }
  | { readonly kind: 'longText'; readonly spot: Spot; readonly row: Row };

export interface DialogProps<Kind extends OpenDialog['kind'] = OpenDialog['kind']> {
  readonly model: Model;
  readonly open: Extract<OpenDialog, { kind: Kind }>;
  /** What is given is done once the dialog has gone and given back the focus. */
  readonly onClose: (then?: () => void) => void;
}
