/** The first resourceVersion of a collection. */

/** Below a billion: versions stay far below the precision of a double, and below those that clients use as "the future". */
const range = 900_000_000

/**
 * Returns the first resourceVersion of a collection. In kube-apiserver the whole cluster shares one sequence, so no two objects
 * have the same version. Here each collection has its own sequence. It begins at a hash of the collection's name, so that the
 * versions of two collections are hardly ever equal.
 * @param name of the Durable Object
 */
export function firstResourceVersion(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0
  return 1 + (hash % range)
}
