/** Table columns of Nodes. */
import type { JsonObject } from '../../../go/json-value.ts'
import { compareText } from '../../../go/text.ts'
import { printersOf } from '../column.ts'
import { textOr } from '../format.ts'
import { child, children, flag, text, textMap } from '../read.ts'

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/'
const ROLE_LABEL = 'kubernetes.io/role'

/** Returns the Ready status. The last of several conditions with one type is used. */
function readiness(node: JsonObject): string {
  const ready = children(child(node, 'status'), 'conditions').findLast((entry) => text(entry, 'type') === 'Ready')
  if (ready === undefined) return 'Unknown'
  return text(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
}

/** Returns the roles from the labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function roles(node: JsonObject): string {
  const found = Object.entries(textMap(child(node, 'metadata'), 'labels')).map(([key, value]) => {
    if (key.startsWith(ROLE_LABEL_PREFIX)) return key.slice(ROLE_LABEL_PREFIX.length)
    return key === ROLE_LABEL ? value : ''
  })
  return [...new Set(found.filter((role) => role !== ''))].sort(compareText).join(',') || '<none>'
}

const addressOf = (type: string) => (node: JsonObject) => {
  const address = children(child(node, 'status'), 'addresses').find((entry) => text(entry, 'type') === type)
  return address === undefined ? '<none>' : text(address, 'address')
}

const infoOf = (node: JsonObject): JsonObject => child(node, 'status', 'nodeInfo')

const info = (field: string) => (node: JsonObject) => textOr(infoOf(node), field, '<unknown>')

function kernelVersion(node: JsonObject): string {
  const architecture = text(infoOf(node), 'architecture')
  return `${textOr(infoOf(node), 'kernelVersion', '<unknown>')}${architecture === '' ? '' : ` (${architecture})`}`
}

export const nodes = printersOf({
  nodes: {
    Status: (node) => `${readiness(node)}${flag(child(node, 'spec'), 'unschedulable') ? ',SchedulingDisabled' : ''}`,
    Roles: roles,
    Version: (node) => text(infoOf(node), 'kubeletVersion'),
    'Internal-IP': addressOf('InternalIP'),
    'External-IP': addressOf('ExternalIP'),
    'OS-Image': info('osImage'),
    'Kernel-Version': kernelVersion,
    'Container-Runtime': info('containerRuntimeVersion'),
  },
})
