/**
 * Settings that are longer than a variable may be on Cloudflare, 5 KB: NAME_PARTS is the number of parts, which are NAME_1, NAME_2
 * and so on.
 */

/** The greatest number of parts. */
const mostParts = 100

type Texts = Readonly<Record<string, unknown>>

/** Returns the parts of a setting as one text. @throws Error if one is missing or too many are set */
function joined(texts: Texts, name: string): string {
  const number = String(texts[`${name}_PARTS`])
  if (!/^\d{1,3}$/.test(number) || Number(number) > mostParts) {
    throw new Error(`${name}_PARTS must be a number from 0 to ${mostParts}, not ${JSON.stringify(number)}`)
  }
  if (texts[name] !== undefined && texts[name] !== '')
    throw new Error(`${name} and ${name}_PARTS are both set: delete one of them`)
  const parts = Array.from({ length: Number(number) }, (_, index) => {
    const part = texts[`${name}_${index + 1}`]
    if (typeof part !== 'string') throw new Error(`${name}_${index + 1} is missing: ${name}_PARTS is ${number}`)
    return part
  })
  return parts.join('')
}

/**
 * Returns the variables of a deployment with whole settings in the place of their parts.
 * @param names the settings that may be split
 * @throws Error if a part is missing
 */
export function joinSettings<T extends object>(environment: T, names: readonly string[]): T {
  const texts = environment as Texts
  const split = names.filter((name) => texts[`${name}_PARTS`] !== undefined)
  if (split.length === 0) return environment
  return { ...environment, ...Object.fromEntries(split.map((name) => [name, joined(texts, name)])) }
}

/**
 * Splits a setting into variables of at most so many bytes in UTF-8; characters stay whole.
 * @example
 * splitSetting('AUDIT_POLICY', 'abcde', 3) // { AUDIT_POLICY_PARTS: '2', AUDIT_POLICY_1: 'abc', AUDIT_POLICY_2: 'de' }
 */
export function splitSetting(name: string, text: string, bytes: number): Record<string, string> {
  const parts: string[] = []
  let part = ''
  let size = 0
  for (const character of text) {
    const added = Buffer.byteLength(character)
    if (size + added > bytes) {
      parts.push(part)
      part = ''
      size = 0
    }
    part += character
    size += added
  }
  if (part !== '') parts.push(part)
  return {
    [`${name}_PARTS`]: String(parts.length),
    ...Object.fromEntries(parts.map((one, index) => [`${name}_${index + 1}`, one])),
  }
}
