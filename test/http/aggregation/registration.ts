/** Registers extension servers by APIServices, and waits for their conditions. */
import type { TestServer } from '../../server.ts'
import { group, version } from './extension-server.ts'

export const serviceName = `${version}.${group}`

/** The condition Available of an APIService. */
export interface Available {
  readonly status: string
  readonly reason: string
  readonly message: string
}

interface Watched {
  readonly object: { readonly status?: { readonly conditions?: readonly (Available & { readonly type: string })[] } }
}

export const collection = '/apis/apiregistration.k8s.io/v1/apiservices'

/** Creates an object, and returns the code of the response. */
export async function create(server: TestServer, path: string, body: object): Promise<number> {
  return (await server.send(path, { method: 'POST', body })).status
}

/** Returns an APIService of the group that names the Service `metrics/api`. */
export const apiService = (port: number, certificate: string, more: object = {}): object => ({
  metadata: { name: serviceName },
  spec: {
    group,
    version,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: 'metrics', name: 'api', port },
    caBundle: Buffer.from(certificate).toString('base64'),
    ...more,
  },
})

/** Returns the Service of a server on this machine. */
export const localService = (port: number): object => ({
  metadata: { name: 'api' },
  spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
})

/** Resolves to the condition when it fulfils the predicate; reads the events of a watch. */
export async function available(
  server: TestServer,
  isWanted: (condition: Available) => boolean,
  name = serviceName,
): Promise<Available> {
  const response = await server.open(`${collection}?watch=1&fieldSelector=metadata.name%3D${name}`)
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk)
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines.filter((one) => one.trim() !== '')) {
        const { object } = JSON.parse(line) as Watched
        const found = object.status?.conditions?.find(({ type }) => type === 'Available')
        if (found !== undefined && isWanted(found)) return found
      }
    }
  } finally {
    response.destroy()
  }
  throw new Error('the watch has ended')
}

export const isTrue = ({ status }: Available): boolean => status === 'True'
export const isFalse = ({ status }: Available): boolean => status === 'False'
