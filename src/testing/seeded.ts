/** Uids and random numbers that follow from a seed. They are the same in each cluster with the seed, whatever its name is. */

/** Returns four hashes of 32 bits. They need to be equally distributed, not secret. Follows cyrb128. */
function hashes(text: string): readonly [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  const all = a ^ b ^ c ^ d
  return [all >>> 0, (b ^ all) >>> 0, (c ^ all) >>> 0, (d ^ all) >>> 0]
}

/** The random values of one cluster. Each value depends on the seed, on its purpose, and on how often the purpose occurred. */
export class SeededRandom {
  readonly #seed: number
  readonly #drawn = new Map<string, number>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Returns a number from 0 to below 1. */
  number(purpose: string): number {
    return this.#draw(`number ${purpose}`)[0] / 2 ** 32
  }

  /** Returns a uid of version 4. */
  uid(key: string): string {
    const hex = this.#draw(`uid ${key}`)
      .map((part) => part.toString(16).padStart(8, '0'))
      .join('')
    const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
  }

  #draw(purpose: string): readonly [number, number, number, number] {
    const count = (this.#drawn.get(purpose) ?? 0) + 1
    this.#drawn.set(purpose, count)
    return hashes(`${this.#seed} ${count} ${purpose}`)
  }
}
