import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Row, Spot } from '../../grid';
import { Dialog, Progress } from '../kit';
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

type Load = () => Promise<{ default: ComponentType<DialogProps<never>> }>;

/** They come when they are wanted first. */
const loads: Readonly<Record<Open['kind'], Load>> = {
  replace: () => import('./dialogs/replace'),
  fixer: () => import('./dialogs/fixer'),
  upload: () => import('./dialogs/upload'),
  goTo: () => import('./dialogs/go-to'),
  long: () => import('./dialogs/long'),
};

const loaded = new Map<Open['kind'], ComponentType<DialogProps<never>>>();

/** Loads them before they are wanted: what is typed behind a shortcut must not go elsewhere. */
export function loadDialogs(): void {
  for (const kind of Object.keys(loads) as Open['kind'][]) {
    loads[kind]().then(({ default: part }) => loaded.set(kind, part), () => {});
  }
}

export function Dialogs({ model, open, onClose }: DialogProps) {
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (loaded.has(open.kind)) return;
    loads[open.kind]().then(
      ({ default: part }) => {
        loaded.set(open.kind, part);
        setTurn((turn) => turn + 1);
      },
      () => {
        model.say({ text: model.t('unanswered'), wrong: true });
        onClose();
      },
    );
  }, [open.kind]);
  const Part = loaded.get(open.kind);
  if (Part) return <Part key={open.kind} model={model} open={open as never} onClose={onClose} />;
  return <Dialog title={model.t('opening')} closeLabel={model.t('close')} onClose={() => onClose()}><Progress label={model.t('opening')} share={null} /></Dialog>;
}
