/** The columns of PodSecurityPolicies. Follows printers/internalversion/printers.go of 1.24, the last release with them. */
import type { JsonObject } from '../../go/json-value.ts'
import { type ColumnOf, fieldOf, name, printer } from './column.ts'
import type { Printers } from './printer.ts'
import { child, text } from './read.ts'

const spec = 'policy/v1beta1.PodSecurityPolicySpec'

const column = (title: string, field: string, cell: (spec: JsonObject) => string): ColumnOf<JsonObject> => ({
  name: title,
  description: fieldOf(spec, field),
  cell: (object) => cell(child(object, 'spec')),
})

const rule = (title: string, field: string): ColumnOf<JsonObject> =>
  column(title, field, (policy) => text(child(policy, field), 'rule'))

const listed = (title: string, field: string): ColumnOf<JsonObject> =>
  column(title, field, ({ [field]: values }) => (Array.isArray(values) ? values.join(',') : ''))

const flag = (title: string, field: string): ColumnOf<JsonObject> =>
  column(title, field, ({ [field]: value }) => String(value === true))

/** The printers of policies that no release after 1.24 has. */
export const policyPrinters: Printers = {
  'podsecuritypolicies.policy': printer([
    name,
    flag('Priv', 'privileged'),
    listed('Caps', 'allowedCapabilities'),
    rule('SELinux', 'seLinux'),
    rule('RunAsUser', 'runAsUser'),
    rule('FsGroup', 'fsGroup'),
    rule('SupGroup', 'supplementalGroups'),
    flag('ReadOnlyRootFs', 'readOnlyRootFilesystem'),
    listed('Volumes', 'volumes'),
  ]),
}
