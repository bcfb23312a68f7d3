import { createImporter, type Importer, type ImporterOptions } from '@intray/importer';
import { createElement, useEffect, useMemo, useRef, type CSSProperties, type ReactNode } from 'react';

export type * from '@intray/importer';
export { ImporterError } from '@intray/importer';

/** Properties of IntrayImporter. React reserves the name `key`, so the key is `frontendKey`. */
export interface IntrayImporterProps extends Omit<ImporterOptions, 'key'> {
  /** A frontend key. It is public: it can only start importers. */
  frontendKey: string;
  /** Whether the dialog is open. Set it to false in `onClose`. */
  open?: boolean;
  /** Shows the importer inside a `div` instead of a dialog. */
  inline?: boolean;
  /** Class of the `div`, if the importer is inline. */
  className?: string;
  /** Style of the `div`, if the importer is inline. */
  style?: CSSProperties;
}

/**
 * Returns an importer with the options of the latest rendering. It is closed when the component
 * is removed.
 */
export function useIntrayImporter(options: ImporterOptions): Pick<Importer, 'open' | 'mount' | 'close'> {
  const latest = useRef(options);
  const importer = useRef<Importer | null>(null);
  useEffect(() => {
    latest.current = options;
    importer.current?.update(options);
  });
  useEffect(
    () => () => {
      importer.current?.destroy();
      importer.current = null;
    },
    [],
  );
  return useMemo(() => {
    const current = () => (importer.current ??= createImporter(latest.current));
    return {
      open: () => current().open(),
      mount: (element) => current().mount(element),
      close: () => importer.current?.close(),
    };
  }, []);
}

/** Shows the importer in a dialog while `open` is true, or inside the page if it is `inline`. */
export function IntrayImporter({ frontendKey, open = false, inline = false, className, style, ...options }: IntrayImporterProps): ReactNode {
  const importer = useIntrayImporter({ ...options, key: frontendKey });
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // onError reports failures.
    if (inline) importer.mount(container.current!).catch(() => undefined);
    else if (open) importer.open().catch(() => undefined);
    else return;
    return () => importer.close();
  }, [importer, open, inline]);
  return inline ? createElement('div', { ref: container, className, style }) : null;
}
