/** The options by which kube-apiserver is a front proxy of other API servers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAuthority } from '../test/http/certificate-authority.ts'

/** Writes the certificates to `proxy-ca.crt`, `proxy.crt` and `proxy.key` in a folder, and returns the options that name them. */
export async function frontProxyFlags(folder: string): Promise<readonly string[]> {
  const authority = await makeAuthority('front-proxy-ca')
  const { certificate, key } = await authority.issue([['CN', 'front-proxy-client']])
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return [
    `--requestheader-client-ca-file=${write('proxy-ca.crt', authority.certificate)}`,
    `--proxy-client-cert-file=${write('proxy.crt', certificate)}`,
    `--proxy-client-key-file=${write('proxy.key', key)}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ]
}
