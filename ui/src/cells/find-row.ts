/**
 * Finds the index of a row in the view by its number, or of the next row if that
 * one is not in the view. Rows are ordered by ID.
 */
export async function findRow(number: number, total: number, idAt: (index: number) => Promise<number | null>): Promise<{ index: number; exact: boolean }> {
  const wanted = number - 1;
  // A view of all rows without deletions has the row at this index.
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
