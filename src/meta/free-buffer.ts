/**
 * Frees memory outside V8's heap at once. V8 lets 64 MiB of it accumulate before it collects garbage, so a server that handles
 * objects of a megabyte would be larger by as much.
 */

/** Smaller buffers are left to V8: freeing them costs more than it saves. */
const leastBytes = 64 * 1024

/** Frees a buffer that nothing reads any more, by detaching it. */
export function freeBuffer(buffer: ArrayBufferLike | undefined): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= leastBytes && !buffer.detached) buffer.transfer(0)
}
