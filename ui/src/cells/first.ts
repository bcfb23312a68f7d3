/** So many rows are asked for at first: more than a window shows, and few enough to be there at once. */
export const firstRows = 60;
