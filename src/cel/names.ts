/** Property names as identifiers: characters that identifiers cannot contain are escaped (`a-b` becomes `a__dash__b`). */

/** Reserved words; Kubernetes adds `namespace`. */
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** Whether the name is a reserved word. Behind a dot cel-go also accepts it unescaped. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name)
}

/** Returns the escaped identifier of a property; undefined if it cannot be escaped. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[./-]/g, (found) => ESCAPES[found] ?? '')
}
