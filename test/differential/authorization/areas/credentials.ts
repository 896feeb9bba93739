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
  for (const name of ['matrix-one', 'matrix-two', 'matrix-three']) {
    const approval = `${csr}/${name}/approval`
    const status = `${csr}/${name}/status`
    for (const type of ['Approved', 'Denied']) {
      const conditions = [condition(type)]
      yield { user, method: 'PATCH', path: dryRun(approval), headers: mergePatch, body: { status: { conditions } }, note: type }
      yield {
        user,
        method: 'PATCH',
        path: dryRun(approval),
        headers: jsonPatch,
        body: [{ op: 'add', path: '/status/conditions', value: conditions }],
        note: type,
      }
      const body = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        status: { conditions },
      }
      yield { user, method: 'PATCH', path: dryRun(`${approval}?fieldManager=m`), headers: applyPatch, body, note: type }
      yield { user, method: 'PATCH', path: dryRun(status), headers: mergePatch, body: { status: { conditions } }, note: type }
      yield {
        user,
        method: 'PATCH',
        path: dryRun(`${csr}/${name}`),
        headers: mergePatch,
        body: { status: { conditions } },
        note: type,
      }
    }
    const failed = [condition('Failed')]
    yield {
      user,
      method: 'PATCH',
      path: dryRun(status),
      headers: mergePatch,
      body: { status: { conditions: failed } },
      note: 'failed',
    }
    yield {
      user,
      method: 'PATCH',
      path: dryRun(status),
      headers: mergePatch,
      body: { status: { certificate: 'eA==' } },
      note: 'certificate',
    }
    yield {
      user,
      method: 'PATCH',
      path: dryRun(status),
      headers: mergePatch,
      body: { metadata: { labels: { a: 'b' } } },
      note: 'label',
    }
    yield {
      user,
      method: 'PATCH',
      path: dryRun(approval),
      headers: mergePatch,
      body: { metadata: { labels: { a: 'b' } } },
      note: 'label',
    }
    yield { user, method: 'DELETE', path: dryRun(`${csr}/${name}`) }
  }
}

export function* credentials(): Iterable<Case> {
  for (const user of ['token-maker', 'own-admin', 'creator', 'nobody', 'reader']) yield* tokens(user)
  for (const user of ['approver', 'domain-approver', 'requests-only', 'everything', 'reader']) yield* certificates(user)
}
