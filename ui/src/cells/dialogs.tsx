import type { Row, Spot } from '../../grid';
import { Dialog, Progress } from '../kit';
import { Late } from './late';
import type { Model } from './model';

/** A dialog that is open, and what it is about. */
export type Open =
  | { readonly kind: 'replace' }
  | { readonly kind: 'fixer'; readonly key: string }
  | { readonly kind: 'upload' }
  | { readonly kind: 'goTo' }
  | { readonly kind: 'long'; readonly spot: Spot; readonly row: Row };

export interface DialogProps<Kind extends Open['kind'] = Open['kind']> {
  readonly model: Model;
  readonly open: Extract<Open, { kind: Kind }>;
  /** What is given is done once the dialog has gone and given back the focus. */
  readonly onClose: (then?: () => void) => void;
}

export function Dialogs({ model, open, onClose }: DialogProps) {
  const opening = <Dialog title={model.t('opening')} closeLabel={model.t('close')} onClose={() => onClose()}><Progress label={model.t('opening')} share={null} /></Dialog>;
  return <Late key={open.kind} kind={open.kind} model={model} open={open as never} onClose={onClose} meanwhile={opening} />;
}
