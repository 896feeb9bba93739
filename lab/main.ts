/** The tools of maintainers: `npm run lab` lists them, `npm run lab NAME` runs one. */
import { columns, UsageError } from './command.ts'
import { commands } from './commands.ts'

/** Returns the names of all commands that begin with these words. */
const namesUnder = (words: readonly string[]): string[] =>
  Object.keys(commands).filter((name) => words.every((word, at) => name.split(' ')[at] === word))

/** Prints the commands with these names, a line each. */
function printList(names: readonly string[]): void {
  const rows = names.map((name) => [name, commands[name]?.summary ?? ''] as const)
  console.log(`npm run lab COMMAND [-- OPTIONS]; --help for the options of a command\n\n${columns(rows)}`.trimEnd())
}

/** Returns the name of the command that the first words are, the longest one. */
function nameIn(args: readonly string[]): string | undefined {
  const names = [args.slice(0, 2).join(' '), args[0] ?? '']
  return names.find((name) => name in commands)
}

async function main(args: readonly string[]): Promise<void> {
  const name = nameIn(args)
  const entry = commands[name ?? '']
  if (name === undefined || entry === undefined) {
    const words = args.filter((arg) => !arg.startsWith('-'))
    const names = namesUnder(words)
    if (names.length === 0) throw new UsageError(`there is no command ${words.join(' ')}: npm run lab lists them`)
    printList(names)
    return
  }
  const rest = args.slice(name.split(' ').length)
  const { default: command } = await entry.load()
  if (rest[0] === '--help') {
    console.log(`${entry.summary}\n\n${command.help(name)}`.trimEnd())
    return
  }
  try {
    await command.run(rest)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message}: npm run lab ${name} -- --help`)
    throw error
  }
}

// Servers that a command has started end when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
