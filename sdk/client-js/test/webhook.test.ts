import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifySignature, verifyWebhook, WebhookError } from '@intray/client';

// The example in the specification of Standard Webhooks. The tests of the other clients use the same
// example.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const timestamp = 1614265330;
const body = '{"test": 2432232314}';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

const cases: [name: string, secret: string, signature: string, body: string, age: number, code?: string][] = [
  ['valid', secret, signature, body, 0],
  ['4 minutes old', secret, signature, body, 240],
  ['one of several signatures', secret, `v1,AAAA v1a,x ${signature}`, body, 0],
  ['old', secret, signature, body, 360, 'invalid_timestamp'],
  ['future', secret, signature, body, -360, 'invalid_timestamp'],
  ['changed body', secret, signature, body + ' ', 0, 'invalid_signature'],
  ['other version', secret, 'v2' + signature.slice(2), body, 0, 'invalid_signature'],
  ['other secret', 'whsec_AAAA', signature, body, 0, 'invalid_signature'],
  ['no base64', secret, 'v1,%', body, 0, 'invalid_signature'],
  ['no secret', '', signature, body, 0, 'invalid_secret'],
  ['no signature', secret, '', body, 0, 'missing_header'],
];

for (const [name, secret, signature, body, age, code] of cases) {
  test(name, async () => {
    const headers = { 'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
    const now = new Date((timestamp + age) * 1000);
    for (const form of [headers, new Headers(headers)]) {
      for (const text of [body, new TextEncoder().encode(body)]) {
        const verified = verifySignature(secret, form, text, now);
        if (code) await assert.rejects(verified, (error) => error instanceof WebhookError && error.code === code);
        else await verified;
      }
    }
  });
}

test('a message without headers', async () => {
  await assert.rejects(verifyWebhook(secret, {}, body), { code: 'missing_header' });
});
