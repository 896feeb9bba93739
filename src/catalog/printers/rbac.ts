/** How the bindings of rbac.authorization.k8s.io are shown. Roles have the default columns. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, fieldOf, name, printer } from './column.ts'
import type { Printer, Printers } from './printer.ts'
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

function bindingPrinter(type: string, called: string): Printer {
  return printer([
    name,
    {
      name: 'Role',
      // The version in which the column was introduced.
      description: fieldOf(`rbac/v1beta1.${type}`, 'roleRef'),
      cell: (binding) => `${text(child(binding, 'roleRef'), 'kind')}/${text(child(binding, 'roleRef'), 'name')}`,
    },
    ageColumn,
    { name: 'Users', priority: 1, description: `Users in the ${called}`, cell: users },
    { name: 'Groups', priority: 1, description: `Groups in the ${called}`, cell: groups },
    { name: 'ServiceAccounts', priority: 1, description: `ServiceAccounts in the ${called}`, cell: serviceAccounts },
  ])
}

export const rbacPrinters: Printers = {
  'clusterrolebindings.rbac.authorization.k8s.io': bindingPrinter('ClusterRoleBinding', 'clusterRoleBinding'),
  'rolebindings.rbac.authorization.k8s.io': bindingPrinter('RoleBinding', 'roleBinding'),
}
