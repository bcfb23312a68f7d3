import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createImporter, defineImporterElement, ImporterError } from '@intray/importer';
import '@intray/importer/element';
import { IntrayImporter as ReactImporter } from '@intray/react';
import { IntrayImporter as VueImporter } from '@intray/vue';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createSSRApp, h } from 'vue';
import { renderToString as renderVue } from 'vue/server-renderer';

const options = { server: 'https://imports.example.com', schema: 'contacts' };

test('on a server, the packages do nothing', async () => {
  defineImporterElement();
  const importer = createImporter({ ...options, key: 'fk_test' });
  assert.equal(importer.isOpen, false);
  importer.update({ locale: 'de' });
  importer.close();
  importer.destroy();
});

test('opening an importer on a server rejects', async (context) => {
  context.mock.method(console, 'warn', () => undefined);
  await assert.rejects(createImporter({ ...options, key: 'fk_test' }).open(), (error: ImporterError) => error.code === 'invalid_options');
});

test('React and Vue render the components on a server', async () => {
  const properties = { ...options, frontendKey: 'fk_test', open: true };
  assert.equal(renderToString(createElement(ReactImporter, properties)), '');
  assert.equal(renderToString(createElement(ReactImporter, { ...properties, inline: true, className: 'box' })), '<div class="box"></div>');
  assert.equal(await renderVue(createSSRApp(() => h(VueImporter, properties))), '<!---->');
  assert.equal(await renderVue(createSSRApp(() => h(VueImporter, { ...properties, inline: true }))), '<div></div>');
});
