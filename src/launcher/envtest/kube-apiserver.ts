/**
 * The program `kube-apiserver` of the assets for envtest, unless an `etcd` of the same directory runs: that one is the server's process
 * then (calls.ts). Errors are printed as kube-apiserver prints them.
 */
import { dataDirectoryAt } from '../data-directory.ts'
import { reasonOf } from '../launcher-error.ts'
import { unlockDataDirectory } from '../lock.ts'
import { ApiServer, failureText } from './api-server.ts'
import { askDataDirectory } from './etcd-data.ts'
import { type FlagValues, flagTypes, lastOf, readFlags } from './flags.ts'
import { kubeApiserverFlags } from './kube-apiserver-flags.ts'
import { checkFlags } from './options.ts'

/** Runs the program until it is stopped, and ends this process. */
export async function kubeApiserver(args: readonly string[]): Promise<void> {
  try {
    const values = readFlags(args, flagTypes(kubeApiserverFlags), 'kube-apiserver')
    await run(values).catch((error: unknown) => fail(failureText(reasonOf(error))))
  } catch (error) {
    fail(`Error: ${reasonOf(error)}`)
  }
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

async function run(values: FlagValues): Promise<void> {
  checkFlags(values)
  const data = dataDirectoryAt(await askDataDirectory(lastOf(values, 'etcd-servers') ?? ''))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
  const controllers = process.env.EDGEPLANE_CONTROLLERS ?? ''
  const server = await ApiServer.start(values, { data, controllers, prepared: undefined })
  process.once('exit', () => unlockDataDirectory(data))
  fail(failureText(await server.failed))
}
