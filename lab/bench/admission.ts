/** Benchmarks of the work for every request before its handler: authorization, request metrics and flow schemas. */
import { flowControlObjects } from '../../src/auth/flow-control/bootstrap.ts'
import { FlowControl } from '../../src/auth/flow-control/classification.ts'
import { RbacPolicy } from '../../src/auth/rbac/policy.ts'
import { kindOf } from '../../src/catalog/scheme.ts'
import type { FlowSchema, PriorityLevel } from '../../src/clusters/flow-control-objects.ts'
import { readAdmissionSettings } from '../../src/config/admission/settings.ts'
import { Seats } from '../../src/http/limits/seats.ts'
import { ServerMetrics } from '../../src/http/metrics/server-metrics.ts'
import { requestInfo } from '../../src/http/request-info.ts'
import { sourceBuild } from '../../src/http/version.ts'
import type { User } from '../../src/meta/user.ts'
import { flowSchemaOf, priorityLevelOf } from '../../src/registry/policy/flow-control.ts'

const query = new URLSearchParams()
const info = requestInfo('GET', '/api/v1/namespaces/default/configmaps/a', query)
if (typeof info === 'string') throw new Error('no request')
const attributes = info

function flowControl(): FlowControl {
  const flowSchemas: FlowSchema[] = []
  const priorityLevels: PriorityLevel[] = []
  for (const { resource, object } of flowControlObjects()) {
    if (resource === 'flowschemas') flowSchemas.push(flowSchemaOf(object))
    else priorityLevels.push(priorityLevelOf(object))
  }
  return new FlowControl({ flowSchemas, priorityLevels })
}

function classified(user: User): () => unknown {
  const control = flowControl()
  return () => control.classify(user, attributes)
}

function counted(): () => unknown {
  const { requests, access } = new ServerMetrics({
    build: sourceBuild,
    seats: new Seats(600),
    startedAt: 0,
    dataset: undefined,
    admission: readAdmissionSettings({}),
  })
  const kind = kindOf('', 'v1', 'configmaps')
  const answered = {
    method: 'GET',
    info: attributes,
    kind,
    query,
    isApply: false,
    code: 200,
    seconds: 0.002,
    bodyBytes: undefined,
    delayed: 0,
  }
  return () => {
    requests.begin('readOnly', 1)
    access.authenticated('success', 'admin', 0.001)
    access.decided({ allowed: true, reason: '' }, 0)
    requests.answered(answered)
    requests.end('readOnly', 1)
  }
}

/** Makes an authorization decision among a thousand bindings of as many roles, to a thousand users or all to one group. */
function decided(to: 'each another' | 'one group', allowed: 'by one' | 'by none'): () => unknown {
  const numbers = Array.from({ length: 1000 }, (_, index) => index)
  const rule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'services'] }
  const clusterRoles = Object.fromEntries(
    numbers.map((n) => [`role-${n}`, [n === 999 && allowed === 'by one' ? { ...rule, resources: ['configmaps'] } : rule]]),
  )
  const bindings = numbers.map((n) => ({
    namespace: n % 2 === 0 ? '' : 'default',
    name: `binding-${n}`,
    roleRef: { kind: 'ClusterRole', name: `role-${n}` },
    subjects: [to === 'one group' ? { kind: 'Group', name: 'developers' } : { kind: 'User', name: `user-${n}` }],
  }))
  const policy = new RbacPolicy({ clusterRoles, roles: {}, bindings })
  const who = user('user-999', ['developers', 'system:authenticated'])
  return () => policy.authorize(who, attributes)
}

const user = (name: string, groups: readonly string[]): User => ({ name, uid: '', groups, extra: {} })

/** The cases by name. */
export const admissionCases: Readonly<Record<string, () => unknown>> = {
  'a permission among 1,000 bindings of different users': decided('each another', 'by one'),
  'a refusal among 1,000 bindings of different users': decided('each another', 'by none'),
  'a permission by the last of 1,000 bindings of one group': decided('one group', 'by one'),
  'a refusal after 1,000 bindings of one group': decided('one group', 'by none'),
  'count a request in all metrics': counted(),
  'flow schema of an administrator': classified(user('admin', ['system:masters', 'system:authenticated'])),
  'flow schema of a user that only the last ones are about': classified(user('jane', ['developers', 'system:authenticated'])),
}
