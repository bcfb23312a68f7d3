import type { StepControls } from '../app/host';
import type { CustomStep, CustomStepId } from '../app/steps';
import type { Peer } from './channel';

/** A custom step, as the page describes it. */
interface Described {
  readonly id?: unknown;
  readonly insertAfter?: unknown;
  readonly label?: unknown;
  readonly url?: unknown;
}

const places: Readonly<Record<string, CustomStep['after']>> = { HEADER_SELECT: 'table', COLUMN_MATCH: 'columns', SELECT_MATCH: 'values' };

/** What the page of a custom step may do. It has an origin of its own, so it cannot reach the importer. */
const permissions = 'allow-scripts allow-forms allow-popups allow-same-origin allow-downloads';

/**
 * The steps that the page adds. Each is a page in a frame, which posts DROMO_NEXT, DROMO_BACK or
 * DROMO_MESSAGE. Without a page, the methods completeCustomStep and goBackCustomStep end the step.
 */
export class CustomSteps {
  readonly #urls = new Map<CustomStepId, URL | null>();
  #current: StepControls | null = null;
  readonly list: readonly CustomStep[];

  /** Throws if a step is invalid. */
  constructor(described: unknown) {
    this.list = (Array.isArray(described) ? described as Described[] : []).map(({ id, insertAfter, label, url }) => {
      const name = typeof id === 'string' ? id : '';
      if (!name || this.#urls.has(`custom:${name}`)) throw new Error(`Each custom step needs an id of its own, not "${String(id)}".`);
      const after = places[String(insertAfter)];
      if (!after) throw new Error(`The custom step ${name} cannot be inserted after ${String(insertAfter)}.`);
      const step = { id: `custom:${name}` as const, after, label: typeof label === 'string' && label ? label : name };
      this.#urls.set(step.id, url === undefined || url === null ? null : urlOf(name, url, step.label));
      return step;
    });
  }

  /** Shows a step in an element. Returns a function that removes it. */
  show(id: CustomStepId, place: HTMLElement, controls: StepControls, peer: Peer): () => void {
    const name = id.slice('custom:'.length);
    this.#current = controls;
    const url = this.#urls.get(id);
    const leave = url ? showPage(url, this.list.find((one) => one.id === id)!.label, place, controls, (payload) => void peer.call('handleCustomStepMessage', name, payload).catch(() => {})) : () => {};
    void peer.call('handleCustomStep', name).catch(() => {});
    return () => {
      if (this.#current === controls) this.#current = null;
      leave();
    };
  }

  /** Ends the current step. Throws if there is none. */
  end(how: keyof StepControls): void {
    if (!this.#current) throw new Error('No custom step is open.');
    this.#current[how]();
  }
}

function urlOf(name: string, url: unknown, label: string): URL {
  const parsed = URL.parse(String(url));
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Error(`The URL of the custom step ${name} is not valid.`);
  if (parsed.origin === location.origin) throw new Error(`The page of the custom step ${name} must have a different origin from the importer.`);
  parsed.searchParams.set('stepId', name);
  parsed.searchParams.set('stepLabel', label);
  return parsed;
}

/** Shows the page of a step. Returns a function that removes it. */
function showPage(url: URL, label: string, place: HTMLElement, controls: StepControls, onMessage: (payload: unknown) => void): () => void {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', permissions);
  frame.title = label;
  frame.src = url.href;
  let warned = false;
  const listen = ({ source, origin, data }: MessageEvent<{ type?: unknown; payload?: unknown } | null>) => {
    if (source !== frame.contentWindow || typeof data !== 'object' || data === null) return;
    if (origin !== url.origin) {
      if (!warned) console.warn(`The page of the custom step has moved to ${origin}. Only messages from ${url.origin} have an effect.`);
      warned = true;
      return;
    }
    if (data.type === 'DROMO_NEXT') controls.next();
    else if (data.type === 'DROMO_BACK') controls.back();
    else if (data.type === 'DROMO_MESSAGE') onMessage(data.payload);
  };
  addEventListener('message', listen);
  place.append(frame);
  return () => {
    removeEventListener('message', listen);
    frame.remove();
  };
}
