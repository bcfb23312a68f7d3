'use server';

/** Receives imported rows on the server. An application would validate and store them. */
export async function saveContacts(rows: Record<string, unknown>[]): Promise<number> {
  return rows.length;
}
