import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button';

interface Props {
  readonly title: string;
  /** Accessible name of the close button. */
  readonly closeLabel: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** The buttons in reading order, the primary one last. */
  readonly foot?: ComponentChildren;
  readonly wide?: boolean;
  /** Whether the user cannot close the dialog. */
  readonly held?: boolean;
  readonly class?: string;
}

/**
 * A modal dialog that is open while it is rendered. The browser keeps the focus inside.
 * When the dialog closes, the focus returns to where it was.
 */
export function Dialog({ title, closeLabel, onClose, children, foot, wide, held, ...rest }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const before = useRef<Element | null>(null);

  useLayoutEffect(() => {
    before.current = document.activeElement;
    dialog.current?.showModal();
  }, []);
  useEffect(() => {
    const shown = dialog.current;
    return () => {
      const now = document.activeElement;
      // Keep the focus if the user has already moved it.
      const moved = now !== null && now !== document.body && !shown?.contains(now);
      if (!moved && before.current instanceof HTMLElement && before.current.isConnected) before.current.focus({ preventScroll: true });
    };
  }, []);

  const close = () => {
    if (!held) onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={['k-dialog', wide && 'k-wide', rest.class].filter(Boolean).join(' ')}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === dialog.current) close();
      }}
      onKeyDown={(event) => held && event.key === 'Escape' && event.preventDefault()}
      // Browsers close the dialog without a cancel event if Esc is pressed twice.
      onClose={(event) => {
        if (event.target !== dialog.current) return;
        if (held) dialog.current?.showModal();
        else onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="k-dialog-body">
        <header class="k-dialog-head">
          <h2 id={titleId} tabIndex={-1} autofocus>{title}</h2>
          <IconButton icon="close" label={closeLabel} onClick={close} disabled={held ?? false} />
        </header>
        <div class="k-dialog-main">{children}</div>
        {foot && <footer class="k-dialog-foot">{foot}</footer>}
      </div>
    </dialog>
  );
}
