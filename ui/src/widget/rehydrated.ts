import type { StartedImport } from '../import/api';
import type { ImportEndpoint, OpenedPage } from '../import/endpoint';
import type { Setup } from './setup';

/** The keys that open the review of one import. The id of the import and a token follow the prefix. */
const keyPattern = /^rh_([0-9a-f-]{36})_/;

/** Reports whether a key opens the review of one import. */
export function isRehydrationKey(key: string): boolean {
  return keyPattern.test(key);
}

/** An import that was created through the API and whose rows a person fixes in the importer. */
export class RehydratedEndpoint implements ImportEndpoint {
  readonly isLink = false;
  readonly isSingle = true;
  readonly #setup: Setup;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  async open(): Promise<OpenedPage> {
    const { key, choice } = this.#setup;
    const { title = '', styleOverrides = {} } = (choice.settings ?? {}) as { title?: string; styleOverrides?: Record<string, unknown> };
    return {
      linkId: '', title, text: '', company: '', contact: '', accentColor: '', returnUrl: '', logoUrl: '', maxFileSize: 0, styleOverrides, fields: [], manualInput: 'disabled',
      saved: { id: keyPattern.exec(key)![1]!, reviewToken: key, name: '', step: '' },
    };
  }

  start(): Promise<StartedImport> {
    return Promise.reject(new Error('This import has its file.'));
  }

  template(): Promise<Blob> {
    return Promise.reject(new Error('This import has its file.'));
  }
}
