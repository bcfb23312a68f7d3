/** The build for script tags: the global variable `Intray`, and the element `<intray-importer>`. */
import { defineImporterElement } from './define-element.js';

export { ImporterError } from './errors.js';
export { createImporter } from './importer.js';

defineImporterElement();
