/** The command line as data: parser, help texts and completions of shells come from the same tables of options. */
import { parseArgs } from 'node:util'
import { LauncherError, reasonOf } from './launcher-error.ts'

/** An option of a command. */
export interface Option {
  /** Without `--`. */
  readonly name: string
  /** The placeholder of its value, such as `FILE`; without it the option takes no value. */
  readonly value?: string
  /** Its values, if there are only a few. */
  readonly choices?: readonly string[]
  /** May be given several times. */
  readonly many?: true
  /** Phrases for `--help`; each begins a line of its own. A deprecated option has none. */
  readonly help: readonly string[]
  /** The text of the message if it is used. */
  readonly deprecated?: string
}

/** The one argument of a command. */
export interface Argument {
  /** The placeholder, such as `FILE`. */
  readonly value: string
  /** Its values, if there are only a few. */
  readonly choices?: readonly string[]
  /** May be left out. */
  readonly optional?: true
}

/** A command of `edgeplane`. */
export interface Command<Context> {
  readonly name: string
  /** A phrase for `edgeplane --help`. */
  readonly summary: string
  readonly argument?: Argument
  /** A second argument after the first. */
  readonly secondArgument?: Argument
  /** The placeholder of the words of another command, which follow `--`. */
  readonly words?: string
  readonly options: readonly Option[]
  /** Only this program itself runs it: it is not listed. */
  readonly internal?: true
  /** The exit code after an error; 1 if it is absent. */
  readonly errorCode?: number
  /** Runs it and gives the exit code. @throws LauncherError for everything that the operator can mend */
  readonly run: (values: Values, context: Context) => number | Promise<number>
}

/** The options and the arguments of one command line. */
export class Values {
  readonly #values: Readonly<Record<string, unknown>>
  /** '' if the command has none. */
  readonly argument: string
  /** '' if the command has none, or if it was left out. */
  readonly secondArgument: string
  /** The words after `--`, if the command takes any. */
  readonly words: readonly string[]

  constructor(
    values: Readonly<Record<string, unknown>>,
    [argument = '', secondArgument = '']: readonly string[] = [],
    words: readonly string[] = [],
  ) {
    this.#values = values
    this.argument = argument
    this.secondArgument = secondArgument
    this.words = words
  }

  /** The value of an option that may be given once; the last one counts. */
  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** The values of an option that may be given several times; undefined if it was not given. */
  list(name: string): readonly string[] | undefined {
    const value = this.#values[name]
    return Array.isArray(value) ? value.map(String) : undefined
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined
  }
}

/** The options of every command. */
export const commonOptions: readonly Option[] = [
  { name: 'help', help: ['print this text'] },
  { name: 'version', help: ['print the version'] },
]

/**
 * Reads the arguments of a command, or those before any command.
 * @throws LauncherError for an unknown option and for a bad argument
 */
export function readArguments<C>(args: readonly string[], command: Command<C> | undefined): Values {
  const options = [...commonOptions, ...(command?.options ?? [])].map(({ name, value, many }) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const)
    return [name, { type, ...(many && { multiple: true }), ...(name === 'help' && { short: 'h' }) }] as const
  })
  const allowed = argumentsOf(command)
  const end = command?.words === undefined ? -1 : args.indexOf('--')
  const [own, words] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
  const help = command === undefined || command.internal ? 'edgeplane --help' : `edgeplane ${command.name} --help`
  try {
    const { values, positionals } = parseArgs({
      args: withDurations(own),
      options: Object.fromEntries(options),
      strict: true,
      allowPositionals: allowed.length > 0,
    })
    warnOfDeprecated(command?.options ?? [], values)
    if (allowed.length === 0 || values.help || values.version) return new Values(values)
    return new Values(values, argumentsIn(positionals, allowed), words)
  } catch (error) {
    const sentence = reasonOf(error).split('\n', 1)[0]?.split('. ', 1)[0] ?? ''
    throw new LauncherError(`${sentence.replace(/\.$/, '')}: see \`${help}\`.`)
  }
}

/** Tells of deprecated options that are used, in pflag's words. */
function warnOfDeprecated(options: readonly Option[], values: Readonly<Record<string, unknown>>): void {
  for (const { name, deprecated } of options) {
    if (deprecated !== undefined && values[name] !== undefined) {
      console.error(`Flag --${name} has been deprecated, ${deprecated}`)
    }
  }
}

/** A duration before now, such as -5m: not an option, although it begins like one. */
const pastDuration = /^-\d/

/** Returns arguments in which durations before now are values of options or arguments. */
function withDurations(args: readonly string[]): string[] {
  const options: string[] = []
  const durations: string[] = []
  for (const arg of args) {
    const last = options.at(-1) ?? ''
    if (!pastDuration.test(arg)) options.push(arg)
    else if (last.startsWith('--') && !last.includes('=')) options[options.length - 1] = `${last}=${arg}`
    else durations.push(arg)
  }
  return durations.length === 0 ? options : [...options, '--', ...durations]
}

/** Returns the arguments that a command takes. */
const argumentsOf = <C>(command: Command<C> | undefined): readonly Argument[] =>
  [command?.argument, command?.secondArgument].filter((argument) => argument !== undefined)

/** Returns the arguments of a command line; '' for an optional one that is missing. */
function argumentsIn(words: readonly string[], allowed: readonly Argument[]): readonly string[] {
  const found = allowed.map(({ value, choices, optional }, index) => {
    const word = words[index] ?? ''
    if (choices !== undefined && !choices.includes(word)) throw new Error(`The argument must be ${oneOf(choices)}`)
    if (word === '' && optional !== true) throw new Error(`The argument ${value} is missing`)
    return word
  })
  if (words.length <= allowed.length) return found
  const [first, second] = allowed
  if (first?.choices !== undefined && second === undefined) throw new Error(`The argument must be ${oneOf(first.choices)}`)
  const names = allowed.map(({ value }) => value).join(' and ')
  throw new Error(`There must be ${second === undefined ? 'one argument' : 'two arguments'}, ${names}`)
}

const oneOf = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const indent = 2
const column = 23

/** Writes an option or a command with its help, in two columns. */
function lines(first: string, help: readonly string[]): string {
  const [phrase = '', ...more] = help
  const start = ' '.repeat(indent) + first
  const fits = start.length < column - 1
  const rest = (fits ? more : help).map((text) => ' '.repeat(column) + text)
  return [fits ? start.padEnd(column) + phrase : start, ...rest].join('\n')
}

/** Writes an option as `--help` shows it. */
const optionText = ({ name, value }: Option): string => `--${name}${value === undefined ? '' : ` ${value}`}`

/** Writes the text of `edgeplane COMMAND --help`. */
export function commandHelp<C>(command: Command<C>): string {
  const { name, summary, argument, options } = command
  const words = argumentWords(command)
  const shownOptions = options.filter(({ deprecated }) => deprecated === undefined)
  const list = shownOptions.map((option) => lines(optionText(option), option.help))
  const choices = argument?.choices
  const values = choices === undefined ? '' : `\n${argument?.value}: ${oneOf(choices)}\n`
  const shown = list.length === 0 ? '' : `\nOptions:\n${list.join('\n')}\n`
  return `Usage: edgeplane ${name}${words}${list.length === 0 ? '' : ' [options]'}\n\n${sentence(summary)}\n${values}${shown}`
}

/** Writes the text of `edgeplane --help`. */
export function programHelp<C>(commands: readonly Command<C>[]): string {
  const listed = commands.filter(({ internal }) => !internal)
  return `Usage: edgeplane COMMAND [options]

Commands:
${listed.map((command) => lines(command.name + argumentWords(command), [command.summary])).join('\n')}

\`edgeplane COMMAND --help\` lists the options of a command; \`edgeplane --version\` prints the version.
`
}

/** Writes the placeholders of the arguments, each after a space. */
export const argumentWords = <C>(command: Command<C>): string =>
  [...argumentsOf(command).map(placeholder), ...(command.words === undefined ? [] : ['--', command.words])]
    .map((word) => ` ${word}`)
    .join('')

const placeholder = ({ value, optional }: Argument): string => (optional === true ? `[${value}]` : value)

const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
