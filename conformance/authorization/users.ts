/** The users of the matrix and their permissions. Each is a ServiceAccount in the namespace of the users. */
import { customGroup, own } from './case.ts'

export interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** Rules for one namespace, or without it for the whole cluster. */
export interface Grant {
  readonly namespace?: string
  readonly rules: readonly Rule[]
}

const all = ['*']
const everything: Rule = { apiGroups: all, resources: all, verbs: all }
const reading = ['get', 'list', 'watch']
const writing = ['create', 'update', 'patch', 'delete']
const rbac = ['rbac.authorization.k8s.io']
const onPods = (...verbs: string[]): Rule => ({ apiGroups: [''], resources: ['pods'], verbs })
const inOwn = (...rules: Rule[]): Grant => ({ namespace: own, rules })
const everywhere = (...rules: Rule[]): Grant => ({ rules })
const impersonating = (resources: readonly string[], more: Partial<Rule> = {}): Rule => ({
  apiGroups: ['', 'authentication.k8s.io'],
  resources,
  verbs: ['impersonate'],
  ...more,
})
const writesRbac: Rule = { apiGroups: rbac, resources: all, verbs: [...reading, ...writing] }
const signers = (verbs: readonly string[], ...resourceNames: string[]): Rule => ({
  apiGroups: ['certificates.k8s.io'],
  resources: ['signers'],
  verbs,
  ...(resourceNames.length > 0 && { resourceNames }),
})
const requests: Rule = { apiGroups: ['certificates.k8s.io'], resources: all, verbs: [...reading, ...writing] }

export const users: Readonly<Record<string, readonly Grant[]>> = {
  nobody: [],
  // Permissions of one namespace must stay in it.
  'own-admin': [inOwn(everything)],
  reader: [everywhere({ apiGroups: all, resources: all, verbs: reading })],
  everything: [everywhere(everything)],
  // A write that creates needs create, by any method.
  updater: [everywhere({ apiGroups: all, resources: all, verbs: ['get', 'update'] })],
  patcher: [everywhere({ apiGroups: all, resources: all, verbs: ['get', 'patch'] })],
  creator: [everywhere({ apiGroups: all, resources: all, verbs: ['get', 'create'] })],
  // Permissions by name.
  named: [
    inOwn({
      apiGroups: ['', customGroup],
      resources: ['configmaps', 'widgets', 'configmaps/status'],
      verbs: all,
      resourceNames: ['one'],
    }),
    everywhere({ apiGroups: [''], resources: ['namespaces'], verbs: all, resourceNames: [own] }),
  ],
  'subresource-only': [
    inOwn({
      apiGroups: ['', 'apps', customGroup],
      resources: ['*/status', 'pods/log', 'pods/exec', 'deployments/scale', 'widgets/scale'],
      verbs: all,
    }),
  ],
  'without-subresources': [
    inOwn({ apiGroups: ['', 'apps', customGroup], resources: ['pods', 'deployments', 'widgets'], verbs: all }),
  ],
  // Roles and bindings.
  'rbac-own': [inOwn(writesRbac, onPods('get', 'list'))],
  'rbac-everywhere': [everywhere(writesRbac, onPods('get', 'list'), { nonResourceURLs: ['/matrix/*'], verbs: ['get'] })],
  escalator: [inOwn(writesRbac, { apiGroups: rbac, resources: ['roles'], verbs: ['escalate'] })],
  binder: [
    everywhere(
      writesRbac,
      { apiGroups: rbac, resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['matrix-secrets'] },
      { apiGroups: rbac, resources: ['roles'], verbs: ['bind'], resourceNames: ['secrets'] },
    ),
  ],
  // Impersonation.
  'as-alice': [everywhere(impersonating(['users'], { resourceNames: ['alice'] }))],
  'as-groups': [
    everywhere(impersonating(['users']), impersonating(['groups'], { resourceNames: ['a', 'a, system:masters', 'b'] })),
  ],
  'as-accounts': [inOwn(impersonating(['serviceaccounts'])), everywhere(impersonating(['groups'], { resourceNames: ['a'] }))],
  'as-extras': [
    everywhere(
      impersonating(['users']),
      impersonating(['uids'], { resourceNames: ['u-1'] }),
      impersonating(['userextras/scopes'], { resourceNames: ['view'] }),
      impersonating(['userextras/example.com/team'], { resourceNames: ['red'] }),
    ),
  ],
  'as-constrained': [
    everywhere(
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        verbs: ['impersonate:user-info'],
        resourceNames: ['alice', 'own-admin'],
      },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['groups'],
        verbs: ['impersonate:user-info'],
        resourceNames: ['a', 'system:masters'],
      },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['impersonate-on:user-info:list'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['impersonate-on:user-info:create'] },
    ),
  ],
  // Tokens and certificates.
  'token-maker': [
    inOwn({ apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'], resourceNames: ['default'] }),
  ],
  approver: [everywhere(requests, signers(['approve'], 'example.com/one'), signers(['sign'], 'example.com/two'))],
  'domain-approver': [everywhere(requests, signers(['approve', 'sign', 'attest'], 'example.com/*'))],
  'requests-only': [everywhere(requests)],
  // Non-resource paths.
  paths: [everywhere({ nonResourceURLs: ['/metrics', '/livez/*', '/openapi/*', '/api*'], verbs: ['get'] })],
  'all-paths': [everywhere({ nonResourceURLs: ['*'], verbs: all })],
}
