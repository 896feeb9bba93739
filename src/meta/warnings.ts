/** Bounds the warnings of a response. Follows the warning recorder of k8s.io/apiserver/pkg/endpoints/filters. */

const mostCharacters = 4096
const mostOfOne = 256

const surrogates = /[\ud800-\udfff]/

const charactersOf = (text: string): number => (surrogates.test(text) ? [...text].length : text.length)

const shortened = (text: string): string => {
  if (text.length <= mostOfOne) return text
  // A character is at most two units.
  return [...text.slice(0, 2 * mostOfOne)].slice(0, mostOfOne).join('')
}

/** Whether a header can contain a text: a warning with control characters is dropped, as by NewWarningHeader. */
const isPrintable = (text: string): boolean => !/\p{Cc}/u.test(text)

/**
 * Records the warnings of a request while they are found: each once, and none that the response would leave out. So their memory
 * is bounded, however many a hostile object deserves.
 * @example
 * const warnings = new WarningRecorder()
 * for (const [a, b] of pairs) {
 *   if (warnings.isFull) break
 *   warnings.add(`${a}: overlaps ${b}`)
 * }
 */
export class WarningRecorder {
  readonly #texts = new Set<string>()
  /** The characters of all texts. */
  #whole = 0
  /** The characters of all texts, each truncated. */
  #truncated = 0

  /** Whether the response has no room for further warnings. Work that only finds warnings can end then. */
  get isFull(): boolean {
    return this.#isTruncating && this.#truncated >= mostCharacters
  }

  /** The recorded texts, not truncated. */
  get texts(): readonly string[] {
    return [...this.#texts]
  }

  /** Records a text, unless it is empty, a duplicate, or has no place in the response. */
  add(text: string): void {
    if (text === '' || this.isFull || this.#texts.has(text) || !isPrintable(text)) return
    const characters = charactersOf(text)
    this.#texts.add(text)
    this.#whole += characters
    this.#truncated += Math.min(characters, mostOfOne)
  }

  /** Returns the texts for the response: if they are too long together, each is truncated. */
  bounded(): string[] {
    return this.#isTruncating ? [...this.#texts].map(shortened) : [...this.#texts]
  }

  get #isTruncating(): boolean {
    return this.#whole > mostCharacters
  }
}

/** Returns those of the texts that a response contains. */
export function boundWarnings(texts: Iterable<string>): string[] {
  const recorder = new WarningRecorder()
  for (const text of texts) recorder.add(text)
  return recorder.bounded()
}
