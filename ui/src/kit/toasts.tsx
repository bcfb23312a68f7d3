import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from './button';
import { Icon } from './icon';
import type { Tone } from './note';

export interface Toast {
  readonly message: string;
  readonly tone?: Tone;
  /** The only action offered. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

export interface Announcer {
  /** Shows a toast for a while and announces it. It replaces the previous one. */
  show(toast: Toast): void;
}

const Context = createContext<Announcer>({ show: () => {} });

export const useAnnouncer = () => useContext(Context);

/**
 * How long a toast is shown, in milliseconds. This is long enough to read the toast and reach
 * its button.
 */
const readable = 8000;

/** Contains the live region, and the toasts at the bottom of the page. */
export function Toasts({ closeLabel, children }: { closeLabel: string; children: ComponentChildren }) {
  const [announced, setAnnounced] = useState('');
  const [toast, setToast] = useState<Toast | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const close = useCallback(() => setToast(null), []);

  const announce = useCallback((message: string) => {
    // Add a space, because screen readers do not announce unchanged text again.
    setAnnounced((before) => (before === message ? `${message}\u00a0` : message));
  }, []);
  const wait = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(close, readable);
  }, []);
  const announcer = useMemo<Announcer>(() => ({
    show: (shown) => {
      announce(shown.message);
      setToast(shown);
      wait();
    },
  }), []);
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <Context.Provider value={announcer}>
      {children}
      <div class="k-unseen" role="status" aria-live="polite">{announced}</div>
      {toast && (
        <div
          class="k-toast"
          role="group"
          aria-label={toast.message}
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={wait}
          onFocusIn={() => clearTimeout(timer.current)}
          onFocusOut={wait}
        >
          {toast.tone && <Icon name={toast.tone} />}
          <p dir="auto">{toast.message}</p>
          {toast.action && (
            <button type="button" class="k-toast-action" onClick={() => { close(); toast.action!.run(); }}>{toast.action.label}</button>
          )}
          <IconButton icon="close" label={closeLabel} onClick={close} small />
        </div>
      )}
    </Context.Provider>
  );
}
