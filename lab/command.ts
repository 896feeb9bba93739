/** Declares the commands of the lab: what they are for, and their options, which one parser reads. */
import { parseArgs } from 'node:util'

/** An option of a command, with the type of its value. */
export interface Option<T> {
  /** The word for the value in the help; undefined for an option without one. */
  readonly value?: string
  /** One line. */
  readonly help: string
  /** Reads the value. It is undefined if the option is absent. @throws UsageError */
  readonly read: (given: string | undefined, name: string) => T
}

/** The options of a command, by their names in code: `referenceToken` is `--reference-token`. */
type Options = Readonly<Record<string, Option<unknown>>>

/** The values of options. */
export type Values<O extends Options> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never }

/** The declaration of a command. */
interface Declaration<O extends Options> {
  /** The rest of the help. */
  readonly about?: string
  /** The operands as the help names them: `DIR`. Without it the command takes none. */
  readonly operands?: string
  readonly options?: O
  readonly run: (values: Values<O>, operands: readonly string[]) => void | Promise<void>
}

/** A command of the lab. */
export interface Command {
  /** Returns the text for `--help`, after the line about the command. @param name as it is called */
  help(name: string): string
  /** Runs it with the arguments after its name. @throws UsageError */
  run(args: readonly string[]): Promise<void>
}

/** The command cannot run with these arguments. */
export class UsageError extends Error {}

/** Declares an option without a value. */
export const flag = (help: string): Option<boolean> => ({ help, read: (given) => given !== undefined })

/** Declares an option with a text. @param fallback the value without the option */
export function text(value: string, help: string): Option<string | undefined>
export function text(value: string, help: string, fallback: string): Option<string>
export function text(value: string, help: string, fallback?: string): Option<string | undefined> {
  return { value, help: withFallback(help, fallback), read: (given) => given ?? fallback }
}

/** Declares an option with a number. @param fallback the value without the option */
export function number(value: string, help: string): Option<number | undefined>
export function number(value: string, help: string, fallback: number): Option<number>
export function number(value: string, help: string, fallback?: number): Option<number | undefined> {
  return {
    value,
    help: withFallback(help, fallback?.toString()),
    read(given, name) {
      if (given === undefined) return fallback
      if (given.trim() === '' || Number.isNaN(Number(given))) throw new UsageError(`--${name} is a number, not ${given}`)
      return Number(given)
    },
  }
}

/** Declares an option with one of some texts. @param fallback the value without the option */
export const choice = <const T extends string>(choices: readonly T[], help: string, fallback: T): Option<T> => ({
  value: choices.join('|'),
  help: withFallback(help, fallback),
  read(given, name) {
    const chosen = choices.find((each) => each === (given ?? fallback))
    if (chosen === undefined) throw new UsageError(`--${name} is one of ${choices.join(', ')}, not ${given}`)
    return chosen
  },
})

/** Declares an option with texts that commas separate. @param fallback the value without the option */
export const list = (value: string, help: string, fallback: readonly string[]): Option<readonly string[]> => ({
  value,
  help,
  read: (given) => given?.split(',') ?? fallback,
})

/** Declares that a command does not run without an option. */
export const required = <T>(option: Option<T | undefined>): Option<T> => ({
  ...option,
  help: `${option.help} (required)`,
  read(given, name) {
    const value = option.read(given, name)
    if (value === undefined) throw new UsageError(`--${name} is required`)
    return value
  },
})

const withFallback = (help: string, fallback: string | undefined): string =>
  fallback === undefined || fallback === '' ? help : `${help} (${fallback})`

/** Returns the name of an option on the command line. */
const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Formats rows of two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('')
}

/**
 * Declares a command:
 *
 *     export default command({
 *       options: { most: number('N', 'the number at which it stops', 10) },
 *       run: ({ most }) => console.log(most),
 *     })
 */
export function command<const O extends Options = Record<never, never>>(declaration: Declaration<O>): Command {
  const { about, operands, run } = declaration
  const options: readonly (readonly [string, Option<unknown>])[] = Object.entries(declaration.options ?? {})
  return {
    help(name) {
      const usage = ['npm run lab', name, ...(options.length > 0 ? ['-- [OPTIONS]'] : []), operands ?? ''].join(' ').trimEnd()
      const rows = options.map(([key, { value, help }]) => [`--${flagOf(key)}${value ? ` ${value}` : ''}`, help] as const)
      const parts = [about, usage, ...(rows.length > 0 ? [columns(rows)] : [])]
      return `${parts
        .filter((part) => part !== undefined)
        .join('\n\n')
        .trimEnd()}\n`
    },
    async run(args) {
      const config = options.map(
        ([key, { value }]) => [flagOf(key), { type: value === undefined ? 'boolean' : 'string' }] as const,
      )
      const parsed = parse(args, Object.fromEntries(config), operands !== undefined)
      const values = options.map(([key, option]) => [key, option.read(parsed.values[flagOf(key)]?.toString(), flagOf(key))])
      await run(Object.fromEntries(values) as Values<O>, parsed.positionals)
    },
  }
}

type Config = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>

function parse(args: readonly string[], options: Config, allowPositionals: boolean) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals })
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message)
    throw error
  }
}
