/** Tokens and certificates: issuing credentials needs a permission of its own. */
import { applyPatch, type Case, dryRun, jsonPatch, mergePatch, other, own } from '../case.ts'

const tokenOf = (namespace: string, name: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
const tokenRequest = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } }

function* tokens(user: string): Iterable<Case> {
  for (const namespace of [own, other]) {
    for (const name of ['default', 'absent']) {
      yield { user, method: 'POST', path: dryRun(tokenOf(namespace, name)), body: tokenRequest }
      yield { user, method: 'GET', path: tokenOf(namespace, name) }
      yield { user, method: 'PUT', path: tokenOf(namespace, name), body: tokenRequest }
    }
  }
  yield { user, method: 'POST', path: `${tokenOf(own, 'default')}/x`, body: tokenRequest }
  yield { user, method: 'POST', path: `/api/v1/namespaces/${own}/serviceaccounts//token`, body: tokenRequest }
}

const csr = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const condition = (type: string): object => ({ type, status: 'True', reason: 'Matrix', message: 'x' })

function* certificates(user: string): Iterable<Case> {
  const patch = (path: string, body: unknown, note: string, headers = mergePatch): Case => ({
    user,
    method: 'PATCH',
    path: dryRun(path),
    headers,
    body,
    note,
  })
  for (const name of ['matrix-one', 'matrix-two', 'matrix-three']) {
    const approval = `${csr}/${name}/approval`
    const status = `${csr}/${name}/status`
    for (const type of ['Approved', 'Denied']) {
      const conditions = [condition(type)]
      yield patch(approval, { status: { conditions } }, type)
      yield patch(approval, [{ op: 'add', path: '/status/conditions', value: conditions }], type, jsonPatch)
      const typeMeta = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' }
      yield patch(`${approval}?fieldManager=m`, { ...typeMeta, metadata: { name }, status: { conditions } }, type, applyPatch)
      yield patch(status, { status: { conditions } }, type)
      yield patch(`${csr}/${name}`, { status: { conditions } }, type)
    }
    yield patch(status, { status: { conditions: [condition('Failed')] } }, 'failed')
    yield patch(status, { status: { certificate: 'eA==' } }, 'certificate')
    yield patch(status, { metadata: { labels: { a: 'b' } } }, 'label')
    yield patch(approval, { metadata: { labels: { a: 'b' } } }, 'label')
    yield { user, method: 'DELETE', path: dryRun(`${csr}/${name}`) }
  }
}

export function* credentials(): Iterable<Case> {
  for (const user of ['token-maker', 'own-admin', 'creator', 'nobody', 'reader']) yield* tokens(user)
  for (const user of ['approver', 'domain-approver', 'requests-only', 'everything', 'reader']) yield* certificates(user)
}
