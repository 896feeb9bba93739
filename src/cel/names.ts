/** Properties as identifiers of expressions: what no identifier may hold is escaped (`a-b` is `a__dash__b`). */

/** Words that are no identifiers; `namespace` is one of them. */
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

/** Whether the name is a word that is no identifier; behind a dot the reference also takes it as it is. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name)
}

/** The identifier of a property, undefined where it can have none. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name.replace(/__|[./-]/g, (found) => ESCAPES[found] ?? '')
}
