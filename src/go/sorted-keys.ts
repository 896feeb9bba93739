/** Returns a map with its keys in Go's encoding order. */
export const sortedKeys = <V>(map: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
