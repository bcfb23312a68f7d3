import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type en from '../i18n/import.en.json';
import type { Locale, Translator } from '../i18n/types';
import type { Visit, VisitState } from './visit';

export type Key = keyof typeof en;
export type T = Translator<Key>;

export interface Shared {
  readonly visit: Visit;
  readonly locale: Locale;
  readonly t: T;
}

const Context = createContext<Shared | null>(null);

export const SharedProvider = Context.Provider;

/** Returns the objects that all parts of the page share. */
export function useShared(): Shared {
  return useContext(Context)!;
}

/** Returns the state of the visit, and renders the component again when it changes. */
export function useVisit(): VisitState {
  const { visit } = useShared();
  const [state, setState] = useState(visit.state);
  useEffect(() => {
    setState(visit.state);
    return visit.subscribe(() => setState(visit.state));
  }, [visit]);
  return state;
}
