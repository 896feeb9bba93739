/** The keys of a deployment. All follow from its admin token, so that nothing else has to be kept. */
import { createHash, createHmac } from 'node:crypto'

/**
 * Returns the key for one purpose. Nothing about the others follows from it.
 * @param adminToken the setting ADMIN_TOKEN: the token, or `sha256:` and its hash
 */
export function deploymentKey(adminToken: string, purpose: string): Buffer {
  const hash = adminToken.startsWith('sha256:')
    ? adminToken.slice('sha256:'.length).toLowerCase()
    : createHash('sha256').update(adminToken).digest('hex')
  return createHmac('sha256', Buffer.from(hash, 'hex')).update(purpose).digest()
}
