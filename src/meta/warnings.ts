/** Bounds the warnings of a response. Follows the warning recorder of k8s.io/apiserver/pkg/endpoints/filters. */

const mostCharacters = 4096
const mostOfOne = 256

const shortened = (text: string): string => (text.length > mostOfOne ? [...text].slice(0, mostOfOne).join('') : text)

/** Whether a header can contain a text: a warning with control characters is dropped, as by NewWarningHeader. */
const isPrintable = (text: string): boolean => !/\p{Cc}/u.test(text)

/** Drops duplicates. If the texts are too long together, truncates each and drops those that still do not fit. */
export function boundWarnings(texts: Iterable<string>): string[] {
  const unique = [...new Set(texts)].filter((text) => text !== '' && isPrintable(text))
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
