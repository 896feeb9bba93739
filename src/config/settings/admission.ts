/** Admission plugins. Read together: config/admission/settings.ts. */
import { goSeconds } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const admissionSettings = {
  enableAdmissionPlugins: {
    variable: 'ENABLE_ADMISSION_PLUGINS',
    flag: 'enable-admission-plugins',
    value: 'LIST',
    many: true,
    help: ['admission plugins of kube-apiserver 1.36 that are on, beside its defaults'],
    at: ['worker', 'object'],
  },
  disableAdmissionPlugins: {
    variable: 'DISABLE_ADMISSION_PLUGINS',
    flag: 'disable-admission-plugins',
    value: 'LIST',
    many: true,
    help: ['admission plugins of kube-apiserver 1.36 that are off'],
    at: ['worker', 'object'],
  },
  /** An AdmissionConfiguration as JSON, without references to files. */
  admissionConfiguration: {
    variable: 'ADMISSION_CONFIGURATION',
    flag: 'admission-control-config-file',
    value: 'FILE',
    help: ['the configurations of admission plugins: an AdmissionConfiguration'],
    file: true,
    at: ['worker', 'object'],
    secret: true,
  },
  defaultNotReadyTolerationSeconds: {
    variable: 'DEFAULT_NOT_READY_TOLERATION_SECONDS',
    flag: 'default-not-ready-toleration-seconds',
    value: 'N',
    help: ['how long Pods tolerate such a node unless they say so themselves (default {default})'],
    default: '300',
    read: goSeconds('default-not-ready-toleration-seconds'),
    at: ['object'],
  },
  defaultUnreachableTolerationSeconds: {
    variable: 'DEFAULT_UNREACHABLE_TOLERATION_SECONDS',
    flag: 'default-unreachable-toleration-seconds',
    value: 'N',
    help: ['how long Pods tolerate such a node unless they say so themselves (default {default})'],
    default: '300',
    read: goSeconds('default-unreachable-toleration-seconds'),
    at: ['object'],
  },
} as const satisfies SettingTable
