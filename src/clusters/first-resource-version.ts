/** At which version a collection begins. */

/** Below a billion: versions stay far from where a double ends, and below what clients ask for as "the future". */
const range = 900_000_000

/**
 * kube-apiserver's versions are of the whole cluster: no two objects share one. Ours are of a collection; they begin at a place
 * that the collection's name decides, so that versions of different collections hardly ever meet.
 * @param name of the Durable Object
 */
export function firstResourceVersion(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0
  return 1 + (hash % range)
}
