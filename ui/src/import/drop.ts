import { useEffect, useRef, useState } from 'preact/hooks';

/** Accepts a file that is dropped anywhere in the window. Returns whether one is being dragged. */
export function useDroppedFile(send: (file: File | null | undefined) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    const carriesFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const drag = (event: DragEvent) => {
      if (!carriesFile(event)) return;
      event.preventDefault(); // otherwise, the browser would open the file
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!carriesFile(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer?.files[0]);
    };
    addEventListener('dragenter', drag);
    addEventListener('dragover', drag);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', drag);
      removeEventListener('dragover', drag);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return over;
}

/** Accepts a file or the cells of a spreadsheet that are pasted outside of a text field. */
export function usePastedFile(send: (file: File | null | undefined) => void): void {
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (event.target instanceof Element && event.target.closest('input, textarea, dialog')) return;
      const file = event.clipboardData?.files[0] ?? fileOfText(event.clipboardData?.getData('text/plain') ?? '');
      if (!file) return;
      event.preventDefault();
      latest.current(file);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
}

/** Returns a file with the cells of a spreadsheet, or null if the text is not a table. */
export function fileOfText(text: string): File | null {
  if (!/[\t\n\r]/.test(text.trim())) return null;
  return new File([text], 'pasted.txt', { type: 'text/plain' });
}
