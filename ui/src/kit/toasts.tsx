import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from './button';
import { Icon } from './icon';
import type { Tone } from './note';

export interface Toast {
  readonly message: string;
  readonly tone?: Tone;
  /** A single thing that can be done about it. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

export interface Announcer {
  /** Says a sentence to screen readers without showing it. */
  say(message: string): void;
  /** Shows a sentence for a while and says it. The last one replaces those before. */
  show(toast: Toast): void;
}

const Context = createContext<Announcer>({ say: () => {}, show: () => {} });

export const useAnnouncer = () => useContext(Context);

/** Long enough to read and to reach for what can be done. */
const readable = 8000;

/** Holds the live region and the sentences that float at the foot of the page. */
export function Toasts({ closeLabel, children }: { closeLabel: string; children: ComponentChildren }) {
  const [said, setSaid] = useState('');
  const [toast, setToast] = useState<Toast | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const close = useCallback(() => setToast(null), []);

  const say = useCallback((message: string) => {
    // The same sentence twice is said twice.
    setSaid((before) => (before === message ? `${message}\u00a0` : message));
  }, []);
  const wait = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(close, readable);
  }, []);
  const announcer = useMemo<Announcer>(() => ({
    say,
    show: (shown) => {
      say(shown.message);
      setToast(shown);
      wait();
    },
  }), []);
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <Context.Provider value={announcer}>
      {children}
      <div class="k-unseen" role="status" aria-live="polite">{said}</div>
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
