/** Impersonation: permissions, and the messages of refusals. */
import { type Case, home, other, own } from '../case.ts'

type Headers = Readonly<Record<string, string | readonly string[]>>

const user = 'Impersonate-User'
const group = 'Impersonate-Group'
const uid = 'Impersonate-Uid'
const extra = 'Impersonate-Extra-'
const account = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`

const wanted: readonly Headers[] = [
  { [user]: 'alice' },
  { [user]: 'Alice' },
  { [user]: 'bob' },
  { [user]: 'system:admin' },
  { [user]: 'system:anonymous' },
  { [user]: 'own-admin' },
  { [user]: account(own, 'default') },
  { [user]: account(other, 'default') },
  { [user]: account(home, 'everything') },
  { [user]: account(own, 'Not-a-name') },
  { [user]: 'system:serviceaccount:a' },
  { [user]: 'system:serviceaccount:a:b:c' },
  { [user]: 'system:node:n1' },
  { [user]: 'alice', [group]: 'a' },
  { [user]: 'alice', [group]: ['a', 'b'] },
  { [user]: 'alice', [group]: ['a', 'c'] },
  { [user]: 'alice', [group]: ['c', 'a'] },
  { [user]: 'alice', [group]: 'system:masters' },
  { [user]: 'alice', [group]: ['a', 'system:masters'] },
  { [user]: 'alice', [group]: 'system:authenticated' },
  { [user]: 'alice', [group]: 'system:unauthenticated' },
  { [user]: 'alice', [group]: '' },
  { [user]: 'alice', [group]: 'a,b' },
  { [user]: 'alice', [group]: ['a', 'b', 'a', 'b'] },
  { [user]: 'alice', [group]: 'a, system:masters' },
  { [user]: 'alice', [group]: 'a, b' },
  { [user]: 'alice, bob' },
  { [user]: 'alice', [uid]: 'u-1, u-2' },
  { [user]: 'alice', [`${extra}scopes`]: 'view, edit' },
  { [user]: 'alice', [uid]: 'u-1' },
  { [user]: 'alice', [uid]: 'u-2' },
  { [user]: 'alice', [`${extra}scopes`]: 'view' },
  { [user]: 'alice', [`${extra}Scopes`]: 'view' },
  { [user]: 'alice', [`${extra}scopes`]: 'edit' },
  { [user]: 'alice', [`${extra}scopes`]: ['view', 'edit'] },
  { [user]: 'alice', [`${extra}example.com%2Fteam`]: 'red' },
  { [user]: 'alice', [`${extra}example.com%2fteam`]: 'blue' },
  { [user]: 'alice', [`${extra}%zz`]: 'x' },
  { [user]: 'alice', [extra]: 'x' },
  { [user]: 'alice', [`${extra}scopes`]: '' },
  { [user]: account(own, 'default'), [group]: 'a' },
  { [user]: account(own, 'default'), [group]: 'system:masters' },
  { [group]: 'system:masters' },
  { [group]: ['a', 'b'] },
  { [uid]: 'u-1' },
  { [`${extra}scopes`]: 'view' },
  { [`${extra}Scopes`]: ['view', 'edit'], [group]: 'a' },
  { [user]: '' },
  { [user]: '', [group]: 'a' },
]

const askers = ['admin', 'nobody', 'as-alice', 'as-groups', 'as-accounts', 'as-extras', 'as-constrained']
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }

export function* impersonation(): Iterable<Case> {
  for (const asker of askers) {
    for (const headers of wanted) {
      yield { user: asker, method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', headers, body: review }
    }
    // The message names the impersonated attributes, not the requested ones.
    for (const path of [`/api/v1/namespaces/${other}/configmaps/one`, '/metrics']) {
      yield { user: asker, method: 'GET', path, headers: { [user]: 'alice', [group]: ['a', 'b'] } }
      yield { user: asker, method: 'GET', path, headers: { [user]: 'alice' } }
      yield { user: asker, method: 'GET', path, headers: { [user]: account(own, 'default') } }
    }
  }
}
