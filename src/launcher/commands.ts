/** The commands of `edgeplane`. */
import { resolve } from 'node:path'
import { backupCommands } from './backup/commands.ts'
import { cloudflareCommands } from './cloudflare/commands.ts'
import { clusterCommands } from './clusters/commands.ts'
import type { Command } from './command-line.ts'
import type { Context } from './context.ts'
import { LauncherError } from './launcher-error.ts'
import { migrateCommands } from './migrate/commands.ts'
import { proxyKind, readStartOptions } from './options.ts'
import { pastCommands } from './past/commands.ts'
import { previewCommands } from './previews/commands.ts'
import { renew, runAuditLog, runProxy, start } from './start.ts'
import { startOptions } from './start-options.ts'
import { transferCommands } from './transfer/commands.ts'

const dataDirectory = startOptions.filter(({ name }) => name === 'data-dir')
const proxy = { name: 'proxy', value: 'KIND', help: [] } as const

/** All commands, in the order of `edgeplane --help`. */
export const commands: readonly Command<Context>[] = [
  {
    name: 'start',
    summary: 'start a Kubernetes API server on this machine',
    options: startOptions,
    run: (values, { program, directory }) => start(readStartOptions(values, directory), program),
  },
  {
    name: 'kubeconfig',
    summary: 'print the kubeconfig of a data directory',
    options: dataDirectory,
    run: async (values, { directory, print }) => {
      const { readKubeconfig } = await import('./kubeconfig.ts')
      print(readKubeconfig(readStartOptions(values, directory).dataDirectory))
      return 0
    },
  },
  ...clusterCommands,
  ...previewCommands,
  ...transferCommands,
  ...cloudflareCommands,
  ...backupCommands,
  ...pastCommands,
  ...migrateCommands,
  {
    name: 'envtest-assets',
    summary: 'print a directory with kube-apiserver, etcd and kubectl for KUBEBUILDER_ASSETS',
    options: [{ name: 'dir', value: 'DIR', help: ['where to write them (default: in the cache of this user)'] }],
    run: async (values, { program, directory, print }) => {
      await program.bundleAssets()
      const { makeAssets } = await import('./envtest/assets.ts')
      const given = values.text('dir')
      print(`${makeAssets(given === undefined ? undefined : resolve(directory, given))}\n`)
      return 0
    },
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    argument: { value: 'SHELL', choices: ['bash', 'zsh', 'fish'] },
    options: [],
    run: async ({ argument }, { print }) => {
      const { completionScript } = await import('./completion.ts')
      print(completionScript(argument, commands))
      return 0
    },
  },
  {
    name: 'renew',
    summary: 'configure workerd with a new certificate if one is due',
    internal: true,
    options: [...startOptions, proxy],
    run: (values, { directory }) => renew(readStartOptions(values, directory), proxyKind(values.text('proxy'))),
  },
  {
    name: 'proxy',
    summary: 'end TLS in front of workerd',
    internal: true,
    options: startOptions,
    run: (values, { directory }) => runProxy(readStartOptions(values, directory)),
  },
  {
    name: 'audit-log',
    summary: 'write the audit log',
    internal: true,
    options: startOptions,
    run: (values, { directory }) => runAuditLog(readStartOptions(values, directory)),
  },
]

/** Gives the command with a name. @throws LauncherError for an unknown name */
export function commandNamed(name: string): Command<Context> {
  const found = commands.find((command) => command.name === name)
  if (found === undefined) throw new LauncherError(`There is no command "${name}": see \`edgeplane --help\`.`)
  return found
}
