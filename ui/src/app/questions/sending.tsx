import { FaultNote } from '../notices';
import type { Answering } from './answering';
import { RereadDialog } from '../reread-dialog';

/** Shows why answers were not sent, and asks for a confirmation if they discard changes to cells. */
export function Sending({ of }: { of: Answering }) {
  return (
    <>
      <FaultNote fault={of.fault} />
      {of.dropped > 0 && <RereadDialog changes={of.dropped} onDo={of.confirm} onClose={of.cancel} />}
    </>
  );
}
