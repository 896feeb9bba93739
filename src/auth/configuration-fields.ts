/** Reading configuration of an operator's: every field is one that is known, and what is wrong is told with its place. */

/** What is wrong at a place of a configuration; '' is the whole. */
export class ConfigurationError extends Error {
  readonly path: string

  constructor(path: string, what: string) {
    super(what)
    this.path = path
  }
}

export const wrong = (path: string, what: string): ConfigurationError => new ConfigurationError(path, what)

type Fields = Readonly<Record<string, unknown>>

/** The object at a path, which has no other fields than these. */
export function objectAt(value: unknown, path: string, known: readonly string[]): Fields {
  const fields = anyObjectAt(value, path)
  const other = Object.keys(fields).find((field) => !known.includes(field))
  if (other !== undefined) throw wrong(path === '' ? other : `${path}.${other}`, 'is not supported')
  return fields
}

/** The object at a path, whatever it has. */
export function anyObjectAt(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'is no object')
  return value as Fields
}

export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(path, 'is required, a text')
  return value
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, 'is no list')
  return value
}

/** One of the values that a field may have. */
export function choiceAt<T extends string>(value: unknown, path: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw wrong(path, `must be ${choices.map((choice) => JSON.stringify(choice)).join(' or ')}`)
  return found
}

export function httpsAt(value: unknown, path: string): string {
  const text = textAt(value, path)
  if (!URL.canParse(text)) throw wrong(path, 'is no URL')
  const { protocol, username, password, search, hash } = new URL(text)
  if (protocol !== 'https:' || username + password + search + hash !== '') {
    throw wrong(path, 'must be an https URL without user, query and fragment')
  }
  return text
}

/**
 * Reads a configuration of apiserver.config.k8s.io.
 * @param versions of it that are read
 * @param read gives what its fields say
 * @throws Error that names the kind and the field
 */
export function readConfiguration<T>(json: string, kind: string, versions: readonly string[], read: (value: Fields) => T): T {
  const named = (path: string, what: string): Error => new Error(`the ${kind}${path && `: ${path}`} ${what}`)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw named('', `is no JSON: ${error instanceof Error ? error.message : ''}`)
  }
  try {
    const { apiVersion, kind: found, ...fields } = anyObjectAt(value, '')
    const all = versions.map((version) => `apiserver.config.k8s.io/${version}`)
    if (found !== kind || !all.includes(String(apiVersion))) throw wrong('', `must be an ${kind} of ${all.join(' or ')}`)
    return read(fields)
  } catch (error) {
    throw error instanceof ConfigurationError ? named(error.path, error.message) : error
  }
}
