/** The frame in the document. */
export interface View {
  /** The element that contains the frame. */
  host: HTMLElement;
  /** Hides the frame and restores focus and scrolling, but keeps the frame in the document. Call it once. */
  hide(): void;
}

/**
 * Sets styles of an element. They are important, so that no style sheet of the page overrides
 * them, and set through the CSSOM, which every content security policy allows.
 */
function style(element: HTMLElement, styles: Record<string, string>): void {
  for (const name of Object.keys(styles)) element.style.setProperty(name, styles[name]!, 'important');
}

/** Styles of a frame that fills its container. */
const fill = { display: 'block', width: '100%', height: '100%', border: '0' };

let locks = 0;
let unlockPage = (): void => undefined;

/** Stops the page from scrolling until the returned function is called. */
function lockScrolling(): () => void {
  if (locks++ === 0) {
    const root = document.documentElement;
    const { overflow, scrollbarGutter } = root.style;
    const priority = root.style.getPropertyPriority('overflow');
    // Without the gutter, the page would move if its scrollbar disappeared.
    if (innerWidth > root.clientWidth) root.style.scrollbarGutter = 'stable';
    style(root, { overflow: 'hidden' });
    unlockPage = () => {
      root.style.setProperty('overflow', overflow, priority);
      root.style.scrollbarGutter = scrollbarGutter;
    };
  }
  return () => {
    if (--locks === 0) unlockPage();
  };
}

/** Inserts an element that the styles of the page do not affect, and returns it with its content. */
function isolate(parent: HTMLElement, styles: Record<string, string>): [host: HTMLElement, root: ShadowRoot] {
  const host = document.createElement('div');
  style(host, { all: 'initial', ...styles });
  parent.appendChild(host);
  return [host, host.attachShadow({ mode: 'open' })];
}

/** Inserts the frame into an element of the page. */
export function showInline(frame: HTMLIFrameElement, parent: HTMLElement): View {
  const [host, root] = isolate(parent, { ...fill, 'min-height': '480px' });
  style(frame, { ...fill, 'min-height': 'inherit' });
  root.appendChild(frame);
  return { host, hide: () => style(host, { display: 'none' }) };
}

/**
 * Shows the frame in a modal dialog above the page. escaped is called if the user presses Escape
 * outside of the frame, dismissed if the browser closed the dialog.
 */
export function showModal(frame: HTMLIFrameElement, escaped: () => void, dismissed: () => void): View {
  const [host, root] = isolate(document.body, { position: 'fixed' });
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = frame.title;
  style(dialog, {
    ...fill, 'box-sizing': 'border-box', margin: '0', 'max-width': 'none', 'max-height': 'none',
    // The whole window on small screens, otherwise with a margin.
    padding: 'clamp(0px, (100vw - 640px) * 99, 32px)', background: 'rgb(0 0 0 / 50%)',
  });
  style(frame, { ...fill, 'border-radius': 'clamp(0px, (100vw - 640px) * 99, 10px)', background: 'Canvas' });
  const intercept = (event: Event): void => {
    // A hook may show another dialog above this one, which handles the key itself.
    if (event.type === 'keydown' && ((event as KeyboardEvent).key !== 'Escape' || (event.target as Element).closest?.('dialog'))) return;
    event.preventDefault();
    event.stopPropagation();
    escaped();
  };
  dialog.oncancel = intercept;
  dialog.onclose = dismissed;
  addEventListener('keydown', intercept, true);
  dialog.appendChild(frame);
  root.appendChild(dialog);
  dialog.showModal();
  frame.focus();
  const unlock = lockScrolling();
  return {
    host,
    hide: () => {
      removeEventListener('keydown', intercept, true);
      dialog.onclose = null;
      dialog.close();
      style(host, { display: 'none' });
      unlock();
    },
  };
}
