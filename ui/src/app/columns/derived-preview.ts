import { useEffect, useState } from 'preact/hooks';
import { Fault, unwrap } from '../../api';
import { useShared } from '../context';
import type { ColumnContent } from './derived';

/** How long a person must not have changed anything before the preview is loaded, in milliseconds. */
const delay = 200;

const none: readonly (readonly string[])[] = [];

/** Returns the cells that new columns would have in the first rows of the table: none while they are loading for the first time. */
export function useDerivedPreview(contents: readonly ColumnContent[]): { readonly rows: readonly (readonly string[])[]; readonly fault: Fault | null } {
  const { review } = useShared();
  const [found, setFound] = useState<{ rows: typeof none; fault: Fault | null }>({ rows: none, fault: null });
  const derived = JSON.stringify(contents.map((content) => ({ name: '-', ...content })));
  useEffect(() => {
    if (contents.length === 0) return;
    let current = true;
    const load = async () => {
      try {
        const { rows } = await unwrap(review.api.calls.POST('/api/review/v1/{id}/derived-preview/', { params: { path: review.api.path }, body: { derived } }));
        if (current) setFound({ rows, fault: null });
      } catch (error) {
        const fault = error instanceof Fault ? error : new Fault('lost');
        if (current && fault.endsReview) review.fail(fault);
        else if (current) setFound({ rows: none, fault });
      }
    };
    const timer = setTimeout(() => void load(), delay);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [derived]);
  // Rows of an earlier number of columns do not fit.
  return found.rows[0]?.length === contents.length || found.fault ? found : { rows: none, fault: null };
}
