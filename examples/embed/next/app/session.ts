/**
 * Creates a session, in which Intray saves an unfinished import. Returns its token, or undefined
 * without INTRAY_BACKEND_KEY. The backend key never leaves the server.
 */
export async function createSession(): Promise<string | undefined> {
  const { INTRAY_SERVER = 'http://localhost:8080', INTRAY_BACKEND_KEY } = process.env;
  if (!INTRAY_BACKEND_KEY) return undefined;
  const response = await fetch(`${INTRAY_SERVER}/api/widget/session/v2/auth/`, {
    method: 'POST',
    headers: { 'X-Service-License-Key': INTRAY_BACKEND_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ import_identifier: 'Contacts' }),
    cache: 'no-store',
  });
  if (!response.ok) throw new Error(`Intray responded with ${response.status}`);
  const { hydrationId } = (await response.json()) as { hydrationId: string };
  return hydrationId;
}
