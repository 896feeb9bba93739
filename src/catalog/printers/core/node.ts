/** How Nodes are shown. */

import type { JsonObject } from '../../../go/json-value.ts'
import { compareText } from '../../../go/text.ts'
import { ageColumn, type ColumnOf, fieldOf, name, printer } from '../column.ts'
import { textOr } from '../format.ts'
import { child, children, flag, text, textMap } from '../read.ts'

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/'
const ROLE_LABEL = 'kubernetes.io/role'

/** Of conditions of one type the last holds. */
function readiness(node: JsonObject): string {
  const ready = children(child(node, 'status'), 'conditions').findLast((entry) => text(entry, 'type') === 'Ready')
  if (ready === undefined) return 'Unknown'
  return text(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
}

/** Roles are told by labels: `node-role.kubernetes.io/<role>` or `kubernetes.io/role=<role>`. */
function roles(node: JsonObject): string {
  const found = Object.entries(textMap(child(node, 'metadata'), 'labels')).map(([key, value]) => {
    if (key.startsWith(ROLE_LABEL_PREFIX)) return key.slice(ROLE_LABEL_PREFIX.length)
    return key === ROLE_LABEL ? value : ''
  })
  return [...new Set(found.filter((role) => role !== ''))].sort(compareText).join(',') || '<none>'
}

function addressColumn(name: string, type: string): ColumnOf<JsonObject> {
  return {
    name,
    priority: 1,
    description: fieldOf('core/v1.NodeStatus', 'addresses'),
    cell: (node) => {
      const address = children(child(node, 'status'), 'addresses').find((entry) => text(entry, 'type') === type)
      return address === undefined ? '<none>' : text(address, 'address')
    },
  }
}

const infoOf = (node: JsonObject): JsonObject => child(node, 'status', 'nodeInfo')

function infoColumn(name: string, field: string): ColumnOf<JsonObject> {
  const description = fieldOf('core/v1.NodeSystemInfo', field)
  return { name, priority: 1, description, cell: (node) => textOr(infoOf(node), field, '<unknown>') }
}

function kernelVersion(node: JsonObject): string {
  const architecture = text(infoOf(node), 'architecture')
  return `${textOr(infoOf(node), 'kernelVersion', '<unknown>')}${architecture === '' ? '' : ` (${architecture})`}`
}

export const nodes = printer([
  name,
  {
    name: 'Status',
    description: 'The status of the node',
    cell: (node) => `${readiness(node)}${flag(child(node, 'spec'), 'unschedulable') ? ',SchedulingDisabled' : ''}`,
  },
  { name: 'Roles', description: 'The roles of the node', cell: roles },
  ageColumn,
  {
    name: 'Version',
    description: fieldOf('core/v1.NodeSystemInfo', 'kubeletVersion'),
    cell: (node) => text(infoOf(node), 'kubeletVersion'),
  },
  addressColumn('Internal-IP', 'InternalIP'),
  addressColumn('External-IP', 'ExternalIP'),
  infoColumn('OS-Image', 'osImage'),
  { ...infoColumn('Kernel-Version', 'kernelVersion'), cell: kernelVersion },
  infoColumn('Container-Runtime', 'containerRuntimeVersion'),
])
