import type { StepId } from '../app/steps';

/** Something that the person did, as the page receives it. */
export interface UserEvent {
  readonly eventType: 'BUTTON_CLICK';
  readonly payload: { readonly buttonName: string; readonly step: string };
}

const names: Readonly<Record<string, string>> = { table: 'HEADER_SELECT', columns: 'COLUMN_MATCH', cells: 'REVIEW', confirm: 'REVIEW' };

/** Reports the buttons with a name that are pressed. `step` returns the current step, or null before there is one. */
export function reportButtons(step: () => StepId | null, report: (event: UserEvent) => void): void {
  addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-event]') : null;
    if (!button || button.ariaDisabled === 'true') return;
    report({ eventType: 'BUTTON_CLICK', payload: { buttonName: button.dataset.event!, step: names[step() ?? ''] ?? 'UPLOAD' } });
  }, { capture: true });
}
