import { ImportButton } from './import-button';
import { createSession } from './session';

// The session token is different for each visitor.
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <main>
      <h1>Contacts</h1>
      <ImportButton
        server={process.env.INTRAY_SERVER ?? 'http://localhost:8080'}
        frontendKey={process.env.INTRAY_FRONTEND_KEY ?? 'fk_REPLACE_ME'}
        sessionToken={await createSession()}
      />
    </main>
  );
}
