/** The place of a server's data, which the program `etcd` of the assets for envtest knows. */

import http from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { LauncherError, reasonOf } from '../launcher-error.ts'

/** The path at which `etcd` tells it, as `{"directory": …}`. */
export const dataPath = '/edgeplane/data'

/** kube-apiserver may be started before etcd; in milliseconds. */
const patience = 10_000
const pause = 20

/**
 * Asks the first of the servers of --etcd-servers for the directory of the data. Waits while it does not listen.
 * @throws LauncherError if it is another program
 */
export async function askDataDirectory(servers: string): Promise<string> {
  const [first = ''] = servers.split(',')
  if (!URL.canParse(first)) throw new LauncherError(`--etcd-servers: ${first} is no URL`)
  const url = new URL(dataPath, first)
  if (url.protocol !== 'http:') throw new LauncherError(`--etcd-servers: ${first}: the etcd of edgeplane speaks http only`)
  for (const deadline = Date.now() + patience; ; ) {
    try {
      return directoryOf(await ask(url))
    } catch (error) {
      const isOther = error instanceof LauncherError
      if (isOther || Date.now() > deadline) throw new LauncherError(`--etcd-servers: ${first} cannot be used: ${reasonOf(error)}`)
    }
    await after(pause)
  }
}

/** Gives the body of a response; '' if its status is not 200. */
function ask(url: URL): Promise<string> {
  return new Promise((done, failed) => {
    const sent = http.get(url.href, { agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => done(response.statusCode === 200 ? text : ''))
    })
    sent.on('error', failed)
  })
}

function directoryOf(text: string): string {
  const [, directory] = /^\{"directory":(".*")\}$/.exec(text) ?? []
  if (directory === undefined) throw new LauncherError('it is not the etcd of edgeplane')
  return String(JSON.parse(directory))
}
