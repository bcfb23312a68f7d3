/** Defines the element `<intray-importer>`. */
import { defineImporterElement } from './define-element.js';

export type { IntrayImporterElement, IntrayImporterEvents } from './define-element.js';

defineImporterElement();
