import { useEffect, useRef, useState } from 'preact/hooks';
import { Fault, unwrap, type FilePreview } from '../../api';
import { useShared } from '../context';
import { maxRows } from './file-view';

/** The top of the file. */
export interface FileTop {
  readonly preview: FilePreview | null;
  /** The index of the sheet that is imported; null while unknown. */
  readonly imported: number | null;
  readonly busy: boolean;
  readonly failed: boolean;
  /** Shows a different sheet. */
  show(sheet: number): void;
}

/** Loads the top of the file, and again whenever `answers` change. */
export function useFileTop(answers: unknown): FileTop {
  const { review } = useShared();
  const [preview, setPreview] = useState<FilePreview | null>(null);
  const [imported, setImported] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const latest = useRef(0);
  const load = async (sheet?: number) => {
    const mine = ++latest.current;
    setBusy(true);
    setFailed(false);
    try {
      const query = { rows: maxRows, ...(sheet !== undefined && { sheet }) };
      const found = await unwrap(review.api.calls.GET('/api/review/v1/{id}/preview/', { params: { path: review.api.path, query } }));
      if (mine !== latest.current) return;
      setPreview(found);
      if (sheet === undefined) setImported(found.sheet);
    } catch (error) {
      if (mine !== latest.current) return;
      if (error instanceof Fault && error.endsReview) review.fail(error);
      setFailed(true);
    }
    setBusy(false);
  };
  useEffect(() => void load(), [JSON.stringify(answers)]);
  return { preview, imported, busy, failed, show: (sheet) => void load(sheet) };
}
