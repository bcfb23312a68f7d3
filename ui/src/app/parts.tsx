import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../api';
import { Note } from '../kit';
import { useShared } from './context';
import { ServerSentence } from './sentence';

/** The head of a step. It takes the focus, so that who listens hears where they are. */
export function Heading({ title, lead }: { title: string; lead?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title]);
  return (
    <header class="column-head">
      <h1 ref={heading} tabIndex={-1}>{title}</h1>
      {lead && <p class="lead">{lead}</p>}
    </header>
  );
}

/** Why the service did not take what was decided. */
export function FaultNote({ fault }: { fault: Fault | null }) {
  const { t } = useShared();
  return (
    <div role="alert">
      {fault && (
        <Note tone="error" toneLabel={t('level.error')} title={fault.kind === 'lost' ? t('send.lost') : t('send.refused')}>
          {fault.kind === 'lost' ? t('send.lostText') : <ServerSentence text={fault.message} />}
          {fault.status >= 500 && fault.request && <p class="quiet">{t('broken.request')} <code>{fault.request}</code></p>}
        </Note>
      )}
    </div>
  );
}
