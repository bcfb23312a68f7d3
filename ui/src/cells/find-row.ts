/**
 * Finds the index in the view of the row with the given number, or of the next row if that row
 * is not in the view. Rows are ordered by ID.
 */
export async function findRow(number: number, total: number, idAt: (index: number) => Promise<number | null>): Promise<{ index: number; exact: boolean }> {
  const wanted = number - 1;
  // If no row is deleted or filtered out, the row is at this index.
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
