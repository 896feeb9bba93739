import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { dataDirectoryAt, readIfPresent } from './data-directory.ts'
import { LauncherError } from './launcher-error.ts'
import { type Command, parseCommandLine, usage } from './options.ts'
import { type Program, renew, runAuditLog, runProxy, start } from './start.ts'

/**
 * Runs a command line, without node and the script; gives the exit code. A mistake of the operator's becomes one sentence on the
 * standard error and exit code 1; anything else is thrown.
 */
export async function main(argv: readonly string[], program: Program): Promise<number> {
  try {
    return await run(parseCommandLine(argv, process.cwd()), program)
  } catch (error) {
    if (!(error instanceof LauncherError)) throw error
    process.stderr.write(`edgeplane: ${error.message}\n`)
    return 1
  }
}

async function run(command: Command, program: Program): Promise<number> {
  switch (command.name) {
    case 'start':
      return await start(command.options, program)
    case 'renew':
      return await renew(command.options, command.proxy)
    case 'proxy':
      return await runProxy(command.options, command.proxy)
    case 'audit-log':
      return await runAuditLog(command.options)
    case 'kubeconfig':
      process.stdout.write(kubeconfig(command.dataDirectory))
      return 0
    case 'help':
      process.stdout.write(usage)
      return 0
    case 'version':
      process.stdout.write(`${version()}\n`)
      return 0
  }
}

function kubeconfig(dataDirectory: string): string {
  const text = readIfPresent(dataDirectoryAt(dataDirectory).kubeconfig)
  if (text !== undefined) return text
  throw new LauncherError(
    `There is no kubeconfig in ${dataDirectory}: \`edgeplane start --data-dir ${dataDirectory}\` writes one.`,
  )
}

function version(): string {
  const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url).href), 'utf8')) as {
    version: string
  }
  return version
}
