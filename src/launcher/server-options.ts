/** The options that name a server, and the client of that server. */
import { join, resolve } from 'node:path'
import { defaultDataDirectory } from '../config/data-directory.ts'
import type { Api } from './api.ts'
import type { Option, Values } from './command-line.ts'
import type { Context } from './context.ts'

/** The options of commands that a server performs. */
export const serverOptions: readonly Option[] = [
  {
    name: 'kubeconfig',
    value: 'FILE',
    help: ["the cluster, with an administrator's token", '(default $KUBECONFIG, or else DIR/kubeconfig)'],
  },
  { name: 'context', value: 'NAME', help: ['the context of the kubeconfig (default: its current one)'] },
  { name: 'server', value: 'URL', help: ['another address than that in the kubeconfig'] },
  { name: 'data-dir', value: 'DIR', help: [`the data directory of a local server (default ${defaultDataDirectory})`] },
]

/** Calls a function with the server of a command line. */
export async function withServer<T>(values: Values, { directory }: Context, use: (api: Api) => Promise<T>): Promise<T> {
  const { Api, kubeconfigFile } = await import('./api.ts')
  const option = values.text('kubeconfig')
  const dataDirectory = resolve(directory, values.text('data-dir') ?? defaultDataDirectory)
  // A data directory that is named wins over the environment.
  const chosen = option ?? (values.has('data-dir') ? join(dataDirectory, 'kubeconfig') : undefined)
  const choice = { context: values.text('context'), server: values.text('server') }
  const api = await Api.of(resolve(directory, kubeconfigFile(chosen, dataDirectory)), choice)
  try {
    return await use(api)
  } finally {
    api.close()
  }
}
