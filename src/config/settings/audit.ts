/** The audit log. Its webhook stands in audit-webhook.ts. */
import { optionalOneOf } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const auditSettings = {
  /** A Policy of audit.k8s.io/v1 as JSON or YAML. Without it nothing is recorded. */
  auditPolicy: {
    variable: 'AUDIT_POLICY',
    flag: 'audit-policy-file',
    value: 'FILE',
    help: ['which requests are recorded: a Policy of audit.k8s.io/v1'],
    file: true,
    at: ['worker'],
    long: true,
  },
  auditLogPath: {
    flag: 'audit-log-path',
    value: 'FILE',
    help: ['where to, one line of JSON for each event (default {default}, the standard output)'],
    default: '-',
    only: 'start',
  },
  auditLogMaxSize: {
    flag: 'audit-log-maxsize',
    value: 'MEGABYTES',
    help: ['a new file begins at this size (default: never)'],
    only: 'start',
  },
  auditLogMaxBackup: {
    flag: 'audit-log-maxbackup',
    value: 'N',
    help: ['how many earlier files are kept (default: all)'],
    only: 'start',
  },
  auditLogMaxAge: {
    flag: 'audit-log-maxage',
    value: 'DAYS',
    help: ['how long earlier files are kept (default: for ever)'],
    only: 'start',
  },
  /** `console`: events are written to the console besides the audit webhook. */
  auditLog: { variable: 'AUDIT_LOG', read: optionalOneOf('console'), at: ['worker'] },
} as const satisfies SettingTable
