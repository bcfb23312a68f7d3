import type { ComponentChildren, ComponentProps, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Model } from './model';
import { layoutWidth } from './layout-width';

/** Components that are loaded on demand. */
const loads = {
  replace: () => import('./dialogs/replace'),
  fixer: () => import('./dialogs/fixer'),
  upload: () => import('./dialogs/upload'),
  goTo: () => import('./dialogs/go-to'),
  delete: () => import('./dialogs/delete'),
  longText: () => import('./dialogs/long-text'),
  chooser: () => import('./chooser'),
  menu: () => import('./selection-menu'),
  conflicts: () => import('./conflicts'),
  emptyTable: () => import('./empty-table'),
  cards: () => import('./cards'),
};

type Kind = keyof typeof loads;
type Part<K extends Kind> = Awaited<ReturnType<(typeof loads)[K]>>['default'];
type Any = ComponentType<{ readonly model: Model; readonly onClose: () => void }>;

const loaded = new Map<Kind, Any>();

async function load(kind: Kind): Promise<void> {
  const { default: part } = await loads[kind]();
  loaded.set(kind, part as Any);
}

// Phones show the cards first.
if (typeof innerWidth === 'number' && layoutWidth(innerWidth) === 'small') load('cards').catch(() => {});

/**
 * Loads all components in advance. Keys typed right after a shortcut would otherwise miss
 * the component.
 */
export function preloadLazy(): void {
  for (const kind of Object.keys(loads) as Kind[]) load(kind).catch(() => {});
}

type Props<K extends Kind> = { readonly kind: K; readonly meanwhile?: ComponentChildren } & ComponentProps<Part<K>>;

/** Renders a component, or `meanwhile` until the component is loaded. */
export function Lazy<K extends Kind>({ kind, meanwhile = null, ...props }: Props<K>) {
  const { model, onClose } = props as unknown as ComponentProps<Any>;
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (loaded.has(kind)) return;
    load(kind).then(() => setTurn(1), () => {
      model.showMessage({ text: model.t('unanswered'), wrong: true });
      onClose();
    });
  }, []);
  const Part = loaded.get(kind);
  return Part ? <Part {...(props as unknown as ComponentProps<Any>)} /> : <>{meanwhile}</>;
}
