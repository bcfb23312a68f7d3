import { ImporterError, warn } from './errors.js';
import type { ImporterOptions } from './options.js';
import { openSession, type Session } from './session.js';

/** An importer that can be opened several times. */
export interface Importer {
  /** Whether the importer is open. */
  readonly isOpen: boolean;
  /**
   * Opens the importer in a modal dialog. The promise resolves when the importer has started, and
   * rejects with an ImporterError, which `onError` also receives.
   */
  open(): Promise<void>;
  /** Shows the importer inside an element, which determines its size. The promise is that of `open`. */
  mount(element: HTMLElement): Promise<void>;
  /** Closes the importer, and discards the import if it has not been submitted. */
  close(): void;
  /** Changes options. Callbacks and hooks apply at once, other options when the importer is opened again. */
  update(options: Partial<ImporterOptions>): void;
  /** Closes the importer for good. */
  destroy(): void;
}

/** Creates an importer. Nothing is loaded until it is opened, so you can call this on a server. */
export function createImporter(options: ImporterOptions): Importer {
  let current = options;
  let session: Session | null = null;
  let destroyed = false;

  async function start(parent: HTMLElement | null): Promise<void> {
    if (session && !session.isEnded() && session.parent === parent) {
      session.focus();
      return session.ready;
    }
    session?.end('close');
    try {
      if (destroyed) throw new ImporterError('invalid_options', 'The importer was destroyed.');
      session = openSession(() => current, parent);
    } catch (error) {
      warn(String(error));
      current.onError?.(error as ImporterError);
      current.onClose?.('error');
      throw error;
    }
    return session.ready;
  }

  function show(parent: HTMLElement | null): Promise<void> {
    const opening = start(parent);
    // onError reports failures, so callers can ignore the promise.
    opening.catch(() => undefined);
    return opening;
  }

  return {
    get isOpen() {
      return !!session && !session.isEnded();
    },
    open: () => show(null),
    mount: show,
    close: () => session?.end('close'),
    update: (changes) => {
      current = { ...current, ...changes };
    },
    destroy: () => {
      destroyed = true;
      session?.end('close');
    },
  };
}
