/** Bounds what a writer is warned of. Follows the warning recorder of k8s.io/apiserver/pkg/endpoints/filters. */

const mostCharacters = 4096
const mostOfOne = 256

const shortened = (text: string): string => (text.length > mostOfOne ? [...text].slice(0, mostOfOne).join('') : text)

/** Each text once; where all together are too long, each is cut, and those that still do not fit are left out. */
export function boundWarnings(texts: Iterable<string>): string[] {
  const unique = [...new Set(texts)].filter((text) => text !== '')
  let length = 0
  for (const text of unique) length += text.length
  if (length <= mostCharacters) return unique
  const kept: string[] = []
  let written = 0
  for (const text of unique.map(shortened)) {
    if (written >= mostCharacters) break
    written += text.length
    kept.push(text)
  }
  return kept
}
