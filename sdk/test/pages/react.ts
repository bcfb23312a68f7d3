// A React application in strict mode. Tests render it with window.render.
import { IntrayImporter, useIntrayImporter, type ImporterOptions, type IntrayImporterProps } from '@intray/react';
import { createElement, StrictMode, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

const server = new URLSearchParams(location.search).get('server')!;
const options: ImporterOptions = { server, key: 'fk_test', schema: 'contacts' };
window.calls = [];

/** A page with a button that opens the importer. */
function Page(props: Partial<IntrayImporterProps>): ReactNode {
  const [open, setOpen] = useState(false);
  return createElement('div', {}, [
    createElement('button', { key: 'open', onClick: () => setOpen(true) }, 'Component'),
    createElement(IntrayImporter, {
      key: 'importer', server, frontendKey: 'fk_test', schema: 'contacts', open,
      onResults: (rows) => void window.calls.push(['onResults', rows]),
      onClose: (reason) => {
        window.calls.push(['onClose', reason]);
        setOpen(false);
      },
      ...props,
    }),
  ]);
}

/** A page that uses the hook. The callback changes with each rendering. */
function HookPage({ count }: { count: number }): ReactNode {
  const importer = useIntrayImporter({ ...options, onCancel: () => void window.calls.push(['onCancel', count]) });
  return createElement('button', { onClick: () => void importer.open() }, 'Hook');
}

const root = createRoot(document.getElementById('app')!);
const pages = { component: Page, hook: HookPage, none: () => null };

declare global {
  interface Window {
    render(page: keyof typeof pages, props?: object): void;
  }
}

window.render = (page, props = {}) => root.render(createElement(StrictMode, {}, createElement(pages[page] as any, props)));
