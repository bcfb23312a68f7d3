import { createImporter, type Importer } from './importer.js';
import type { CloseReason, ImporterOptions, UserEvent } from './options.js';
import type { ImporterError } from './errors.js';
import type { ResultMetadata, ResultRow } from './hook-types.js';

/** Options that are properties and attributes of the element. A property overrides the attribute. */
const properties = [
  'server', 'key', 'schema', 'locale', 'theme', 'user', 'sessionToken', 'developmentMode', 'headerRowOverride', 'hooks', 'customSteps', 'fileParsers', 'hookTimeout', 'connectTimeout',
] as const;

/** The details of the events of the element. */
export interface IntrayImporterEvents {
  /** Call `waitUntil` with a promise to keep the importer open until your application has stored the rows. */
  results: CustomEvent<{ rows: ResultRow[]; metadata: ResultMetadata; waitUntil(promise: Promise<unknown>): void }>;
  cancel: CustomEvent<null>;
  error: CustomEvent<ImporterError>;
  userevent: CustomEvent<UserEvent>;
  close: CustomEvent<CloseReason>;
}

/**
 * The element `<intray-importer server key schema locale theme inline>`. A click on its content
 * opens the importer. With the attribute `inline`, the element contains the importer instead.
 */
export interface IntrayImporterElement extends HTMLElement, Partial<Pick<ImporterOptions, (typeof properties)[number]>> {
  open(): Promise<void>;
  close(): void;
  addEventListener<Name extends keyof IntrayImporterEvents>(
    name: Name, listener: (event: IntrayImporterEvents[Name]) => void, options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(name: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'intray-importer': IntrayImporterElement;
  }
}

/** Defines the element. Does nothing on a server, or if the name is already defined. */
export function defineImporterElement(name = 'intray-importer'): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return;

  class ImporterElement extends HTMLElement {
    #importer: Importer | null = null;

    constructor() {
      super();
      this.addEventListener('click', () => this.hasAttribute('inline') || void this.open());
    }

    connectedCallback(): void {
      // A framework may set attributes and properties after it has inserted the element.
      if (this.hasAttribute('inline')) queueMicrotask(() => this.isConnected && void this.open());
    }

    disconnectedCallback(): void {
      // A move within the document does not remove the element.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#importer?.destroy();
        this.#importer = null;
      });
    }

    open(): Promise<void> {
      const options = this.#options();
      if (this.#importer) this.#importer.update(options);
      else this.#importer = createImporter(options);
      return this.hasAttribute('inline') ? this.#importer.mount(this) : this.#importer.open();
    }

    close(): void {
      this.#importer?.close();
    }

    #options(): ImporterOptions {
      const options: Record<string, unknown> = {
        onResults: (rows: ResultRow[], metadata: ResultMetadata) => {
          const promises: Promise<unknown>[] = [];
          this.#dispatch('results', { rows, metadata, waitUntil: (promise: Promise<unknown>) => (promises[promises.length] = promise) });
          return Promise.all(promises);
        },
        onCancel: () => this.#dispatch('cancel', null),
        onError: (error: ImporterError) => this.#dispatch('error', error),
        onEvent: (event: UserEvent) => this.#dispatch('userevent', event),
        onClose: (reason: CloseReason) => this.#dispatch('close', reason),
      };
      for (const property of properties) options[property] = (this as any)[property] ?? this.getAttribute(property) ?? undefined;
      return options as unknown as ImporterOptions;
    }

    #dispatch(event: string, detail: unknown): void {
      this.dispatchEvent(new CustomEvent(event, { detail }));
    }
  }

  // Frameworks set a property only if it exists. This also keeps those that the page set before.
  for (const property of properties) (ImporterElement.prototype as any)[property] = undefined;
  customElements.define(name, ImporterElement);
}
