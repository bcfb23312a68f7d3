import assert from 'node:assert/strict';
import { after } from 'node:test';
import { contacts, fields } from './contacts';
import { closeEnvironment, environmentTest } from './environment';

after(closeEnvironment);

const wanted: Readonly<Record<string, RegExp>> = {
  'content-security-policy': /default-src 'none'.*script-src 'self'.*require-trusted-types-for 'script'/,
  'referrer-policy': /^no-referrer$/,
  'x-content-type-options': /^nosniff$/,
  'x-robots-tag': /noindex/,
  'cache-control': /no-cache|no-store/,
};

environmentTest('the page has its security headers, and all requests stay in its origin', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(500) });
  const answer = await fetch(made.review_url.split('#')[0]!);
  assert.equal(answer.status, 200);
  for (const [name, value] of Object.entries(wanted)) assert.match(answer.headers.get(name) ?? '', value, name);
  const policy = answer.headers.get('content-security-policy')!;
  assert.doesNotMatch(policy, /unsafe|\*|https?:|data:/);
  assert.doesNotMatch(await answer.text(), /<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=/);
  const person = await environment.person(made);
  const asked: string[] = [];
  person.page.on('request', (request) => asked.push(request.url()));
  await person.page.reload();
  await person.ready();
  await person.press('Alt+ArrowDown', 'Control+h');
  await person.page.locator('.c-replace').waitFor();
  assert.ok(asked.length > 5);
  assert.deepEqual(asked.filter((url) => new URL(url).origin !== environment.service.address), []);
  const scripts = asked.filter((url) => /\/assets\//.test(url));
  const kept = await fetch(scripts[0]!);
  assert.match(kept.headers.get('cache-control') ?? '', /immutable/);
  // No part of the link is stored where a different page could read it.
  assert.equal(await person.page.evaluate(() => document.cookie + JSON.stringify(localStorage) + location.hash), '{}');
  await person.closeAndCheck();
});

environmentTest('calls without the cookie are rejected', async (environment) => {
  const made = await environment.service.make({ fields, file: contacts(50) });
  const base = `${environment.service.address}/api/review/v1/${made.id}/`;
  for (const path of ['', 'layout/', 'table/', 'rows/', 'counts/', 'values/?of=name', 'file/', 'submit/', 'events/', 'questions/']) {
    const answer = await fetch(base + path);
    assert.equal(answer.status, 401, path);
    await answer.body?.cancel();
  }
});
