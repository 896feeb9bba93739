import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Command, commandHelp, programHelp, readArguments, type Values } from './command-line.ts'
import { commandNamed, commands } from './commands.ts'
import type { Context } from './context.ts'
import { LauncherError } from './launcher-error.ts'
import type { Program } from './start.ts'

/**
 * Runs a command line, without node and the script; gives the exit code. A mistake of the operator's becomes one sentence on the
 * standard error and exit code 1, or the one that the command has for errors; anything else is thrown.
 */
export async function main(argv: readonly string[], program: Program): Promise<number> {
  const print = (text: string): void => void process.stdout.write(text)
  try {
    return await run(argv, { program, directory: process.cwd(), print })
  } catch (error) {
    if (!(error instanceof LauncherError)) throw error
    process.stderr.write(`edgeplane: ${error.message}\n`)
    return commands.find(({ name }) => name === argv[0])?.errorCode ?? 1
  }
}

async function run(argv: readonly string[], context: Context): Promise<number> {
  const [first, ...rest] = argv
  if (first === undefined)
    throw new LauncherError('A command is missing: try `edgeplane start`, or `edgeplane --help` for everything else.')
  const command = first.startsWith('-') ? undefined : commandNamed(first)
  const values = readArguments(command === undefined ? argv : rest, command)
  const text = information(values, command)
  if (text !== undefined) {
    context.print(text)
    return 0
  }
  if (command === undefined) throw new LauncherError('A command is missing: see `edgeplane --help`.')
  return await command.run(values, context)
}

/** Gives the text that `--help` or `--version` asks for. */
function information(values: Values, command: Command<Context> | undefined): string | undefined {
  if (values.has('help')) return command === undefined ? programHelp(commands) : commandHelp(command)
  return values.has('version') ? `${version()}\n` : undefined
}

function version(): string {
  const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url).href), 'utf8')) as {
    version: string
  }
  return version
}
