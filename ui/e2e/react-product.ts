import { createElement, StrictMode, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import DromoUploader from 'dromo-uploader-react';

/** Shows a product that uses the published component for React, in the strict mode of React. */
export function mount(place: HTMLElement, props: Record<string, unknown>, { controlled = false } = {}): Root {
  const Product = () => {
    const [open, setOpen] = useState(false);
    const shown = controlled ? { ...props, open, onCancel: () => { (props.onCancel as (() => void) | undefined)?.(); setOpen(false); } } : props;
    return createElement('div', null,
      controlled && createElement('button', { onClick: () => setOpen(true) }, 'Import with React'),
      createElement(DromoUploader as never, shown, controlled || props.inline ? undefined : 'Import with React'));
  };
  const root = createRoot(place);
  root.render(createElement(StrictMode, null, createElement(Product)));
  return root;
}
