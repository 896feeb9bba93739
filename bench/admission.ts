/** What every request pays besides its answer: being counted, and finding its flow schema. */
import { flowControlObjects } from '../src/auth/flow-control/bootstrap.ts'
import { FlowControl } from '../src/auth/flow-control/classification.ts'
import { kindOf } from '../src/catalog/catalogue.ts'
import type { FlowSchema, PriorityLevel } from '../src/catalog/shapes/flow-control.ts'
import { requestInfo } from '../src/http/chain/request-info.ts'
import { RequestMetrics } from '../src/http/metrics/request-metrics.ts'
import type { User } from '../src/meta/user.ts'
import { flowSchemaOf, priorityLevelOf } from '../src/registry/flow-control-objects.ts'

const query = new URLSearchParams()
const info = requestInfo('GET', '/api/v1/namespaces/default/configmaps/a', query)
if (info === undefined) throw new Error('no request')
const asked = info

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
  return () => control.classify(user, asked)
}

function counted(): () => unknown {
  const metrics = new RequestMetrics(undefined)
  const kind = kindOf('', 'v1', 'configmaps')
  const answered = { method: 'GET', info: asked, kind, query, isApply: false, code: 200, seconds: 0.002 }
  return () => {
    metrics.begin('readOnly', 1)
    metrics.authenticated('admin')
    metrics.decided({ allowed: true, reason: '' })
    metrics.answered(answered)
    metrics.end('readOnly', 1)
  }
}

const user = (name: string, groups: readonly string[]): User => ({ name, uid: '', groups, extra: {} })

/** By what they measure. */
export const admissionCases: Readonly<Record<string, () => unknown>> = {
  'count a request in all metrics': counted(),
  'flow schema of an administrator': classified(user('admin', ['system:masters', 'system:authenticated'])),
  'flow schema of a user that only the last ones are about': classified(user('jane', ['developers', 'system:authenticated'])),
}
