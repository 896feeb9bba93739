/**
 * Memory outside of V8's heap that is given back by hand. V8 lets 64 MiB of it gather before it looks for what nobody uses, and
 * a server of objects of a megabyte would be as much larger.
 */

/** Smaller ones are left to V8: to give them back costs more than they do. */
const leastBytes = 64 * 1024

/** Gives the memory of bytes back that nobody is to look at any more. */
export function giveBack(buffer: ArrayBufferLike | undefined): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= leastBytes && !buffer.detached) buffer.transfer(0)
}
