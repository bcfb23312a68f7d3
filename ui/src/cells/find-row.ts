/**
 * The place of a row in the view by its number, or of the next one where it is
 * not in view. Rows stand in the order of their ids.
 */
export async function findRow(number: number, total: number, idAt: (index: number) => Promise<number | null>): Promise<{ index: number; exact: boolean }> {
  const wanted = number - 1;
  // In a view of all rows, of which none was deleted, this is it.
  if (wanted < total && (await idAt(wanted)) === wanted) return { index: wanted, exact: true };
  let low = 0;
  let high = Math.min(total - 1, wanted);
  while (low < high) {
    const middle = (low + high) >> 1;
    const id = await idAt(middle);
    if (id !== null && id < wanted) low = middle + 1;
    else high = middle;
  }
  return { index: Math.max(0, low), exact: (await idAt(low)) === wanted };
}
