/** Reads flags as github.com/spf13/pflag does, with its errors. */
import { isIP } from 'node:net'
import { LauncherError } from '../launcher-error.ts'

/** The values of flags by name, in the order in which they were given. */
export type FlagValues = ReadonlyMap<string, readonly string[]>

/** The types of flags by name. */
export type FlagTypes = ReadonlyMap<string, string>

/** Flags with a letter of their own. */
const shorthands: Readonly<Record<string, string>> = { h: 'help', v: 'v' }

/** Reads a table of names by type, separated by white space, and adds `--help` and `--version`. */
export function flagTypes(table: Readonly<Record<string, string>>): FlagTypes {
  const listed = Object.entries(table).flatMap(([type, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type] as const),
  )
  return new Map([...listed, ['help', 'bool'], ['version', 'bool']])
}

/**
 * Reads a command line without arguments.
 * @throws LauncherError in the words of pflag
 */
export function readFlags(args: readonly string[], types: FlagTypes, program: string): FlagValues {
  const found = new Map<string, string[]>()
  const words = [...args]
  const positional: string[] = []
  const add = (name: string, value: string): void => {
    checkValue(name, types.get(name) ?? '', value)
    found.set(name, [...(found.get(name) ?? []), value])
  }
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') positional.push(...words.splice(0))
    else if (!word.startsWith('-') || word === '-') positional.push(word)
    else {
      const { name, value, shown } = flagOf(word, types)
      if (value !== undefined) add(name, value)
      else if (types.get(name) === 'bool') add(name, 'true')
      else if (words.length > 0) add(name, words.shift() ?? '')
      else throw new LauncherError(`flag needs an argument: ${shown}`)
    }
  }
  if (positional.length > 0)
    throw new LauncherError(
      `"${program}" does not take any arguments, got [${positional.map((one) => JSON.stringify(one)).join(' ')}]`,
    )
  return found
}

interface Flag {
  readonly name: string
  readonly value: string | undefined
  /** As an error shows it. */
  readonly shown: string
}

function flagOf(word: string, types: FlagTypes): Flag {
  if (!word.startsWith('--')) {
    const letter = word.charAt(1)
    const name = shorthands[letter]
    if (name === undefined) throw new LauncherError(`unknown shorthand flag: ${quoted(letter)} in ${word}`)
    const rest = word.slice(2).replace(/^=/, '')
    return { name, value: rest === '' ? undefined : rest, shown: `${quoted(letter)} in ${word}` }
  }
  const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? []
  if (name === '' || name.startsWith('-')) throw new LauncherError(`bad flag syntax: ${word}`)
  // Go reads an underscore in the name of a flag as a hyphen.
  const normal = name.replaceAll('_', '-')
  if (!types.has(normal)) throw new LauncherError(`unknown flag: --${normal}`)
  return { name: normal, value, shown: `--${normal}` }
}

const quoted = (letter: string): string => `'${letter}'`

const parsing =
  (call: string) =>
  (value: string): string =>
    `strconv.${call}: parsing ${JSON.stringify(value)}: invalid syntax`

/** The forms of values by type, and the error for any other value. Values of other types are read where they are used. */
const forms: Readonly<Record<string, { readonly form: RegExp; readonly error: (value: string) => string }>> = {
  bool: { form: /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/, error: parsing('ParseBool') },
  int: { form: /^[+-]?\d{1,15}$/, error: parsing('ParseInt') },
  Level: { form: /^\d{1,9}$/, error: parsing('ParseUint') },
  float: { form: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i, error: parsing('ParseFloat') },
  float32: { form: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i, error: parsing('ParseFloat') },
}

function checkValue(name: string, type: string, value: string): void {
  const { form, error } = forms[type] ?? {}
  const wrong =
    type === 'ip'
      ? isIP(value) === 0 && `failed to parse IP: ${JSON.stringify(value)}`
      : form?.test(value) === false && error?.(value)
  if (typeof wrong !== 'string') return
  const shown = name === 'v' ? '-v, --v' : `--${name}`
  throw new LauncherError(`invalid argument ${JSON.stringify(value)} for "${shown}" flag: ${wrong}`)
}

/** Tells whether a switch is on. */
export function isOn(values: FlagValues, name: string, otherwise: boolean): boolean {
  const value = values.get(name)?.at(-1)
  return value === undefined ? otherwise : /^(?:1|t)/i.test(value)
}

/** The last value of a flag; undefined if it is empty or was not given. */
export const lastOf = (values: FlagValues, name: string): string | undefined => values.get(name)?.at(-1) || undefined

/** Writes the flags with their types, as `--help` lists them. */
export function flagsHelp(types: FlagTypes): string {
  const names = [...types.keys()].sort()
  return names.map((name) => `      --${name}${types.get(name) === 'bool' ? '' : ` ${types.get(name)}`}\n`).join('')
}
