/** Table columns of the bindings of rbac.authorization.k8s.io. Roles have the default columns. */
import type { JsonObject } from '../../go/json-value.ts'
import { printersOf } from './column.ts'
import type { Printers } from './printer.ts'
import { child, children, text } from './read.ts'

function subjects(kind: string, show: (subject: JsonObject) => string): (binding: JsonObject) => string {
  return (binding) =>
    children(binding, 'subjects')
      .filter((subject) => text(subject, 'kind') === kind)
      .map(show)
      .join(', ')
}

const users = subjects('User', (subject) => text(subject, 'name'))
const groups = subjects('Group', (subject) => text(subject, 'name'))
const serviceAccounts = subjects('ServiceAccount', (subject) => `${text(subject, 'namespace')}/${text(subject, 'name')}`)

const bindings = {
  Role: (binding: JsonObject) => `${text(child(binding, 'roleRef'), 'kind')}/${text(child(binding, 'roleRef'), 'name')}`,
  Users: users,
  Groups: groups,
  ServiceAccounts: serviceAccounts,
}

export const rbacPrinters: Printers = printersOf({
  'clusterrolebindings.rbac.authorization.k8s.io': bindings,
  'rolebindings.rbac.authorization.k8s.io': bindings,
})
