import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servingCertificate } from '../certificates.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { StartOptions } from '../options.ts'
import { readClientAuthorities } from '../proxy/run.ts'
import { TlsProxy } from '../proxy/tls-proxy.ts'
import { identityHeader, workerdSocket } from '../proxy/workerd-socket.ts'

/**
 * Listens for clients, whose requests wait until workerd listens.
 * @throws LauncherError if the port or the certificates cannot be used
 */
export async function listen(directory: DataDirectory, options: StartOptions, workerd: Promise<void>): Promise<void> {
  const { certificate, key } = await servingCertificate(directory, options)
  const clientAuthorities = options.clientCa === undefined ? '' : readClientAuthorities(options.clientCa)
  const upstream = { socket: workerdSocket(directory), header: identityHeader(directory), listening: workerd }
  await TlsProxy.listen(options, upstream, { certificate, key, clientAuthorities })
  if (options.tls !== undefined) return
  // kube-apiserver leaves the certificate that it makes for itself where clients look for it.
  writeFileSync(join(directory.tls, 'apiserver.crt'), certificate)
  writeFileSync(join(directory.tls, 'apiserver.key'), key, { mode: 0o600 })
}
