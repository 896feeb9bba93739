/** The API that is served: release, resources, features, controllers, Services and history. */
import { enabledControllers } from '../controllers.ts'
import { integer } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const apiSettings = {
  controllers: {
    variable: 'CONTROLLERS',
    flag: 'controllers',
    value: 'LIST',
    help: [
      'which controllers run, as kube-controller-manager reads it (default {default}):',
      '*,-garbage-collector-controller leaves that one to another program',
    ],
    default: '*',
    read: enabledControllers,
    at: ['object'],
  },
  /** Read together with those below: config/emulation.ts. */
  emulatedRelease: {
    variable: 'EMULATED_RELEASE',
    flag: 'emulated-version',
    value: 'RELEASE',
    help: ['the release of Kubernetes whose API is served, 1.15 to 1.36 (default 1.36)'],
    at: ['worker', 'object'],
  },
  minCompatibilityVersion: {
    variable: 'MIN_COMPATIBILITY_VERSION',
    flag: 'min-compatibility-version',
    value: 'RELEASE',
    help: ['the oldest release whose components this server works with (default: the one before the emulated release)'],
    at: ['worker', 'object'],
  },
  emulationForwardCompatible: {
    variable: 'EMULATION_FORWARD_COMPATIBLE',
    flag: 'emulation-forward-compatible',
    value: 'BOOLEAN',
    help: ['whether an emulated release has the later versions of its beta and stable resources too (default {default})'],
    default: 'false',
    at: ['worker', 'object'],
  },
  runtimeConfig: {
    variable: 'RUNTIME_CONFIG',
    flag: 'runtime-config',
    value: 'LIST',
    many: true,
    help: ['versions and resources that are on or off: api/beta=true,batch/v1=false,apps/v1/daemonsets=false'],
    at: ['worker', 'object'],
  },
  runtimeConfigEmulationForwardCompatible: {
    variable: 'RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE',
    flag: 'runtime-config-emulation-forward-compatible',
    value: 'BOOLEAN',
    help: ['whether --runtime-config may name what came after the emulated release (default {default})'],
    default: 'false',
    at: ['worker', 'object'],
  },
  /** Read with the emulated release: config/feature-gates.ts. */
  featureGates: {
    variable: 'FEATURE_GATES',
    flag: 'feature-gates',
    value: 'LIST',
    help: ['features of kube-apiserver 1.36 that are on or off: NAME=true,NAME=false'],
    at: ['worker', 'object'],
  },
  /** The range of Services' cluster IPs. */
  serviceCidr: { variable: 'SERVICE_CIDR', default: '10.0.0.0/16', at: ['object'] },
  /** The history is kept for at least so long … */
  historySeconds: {
    variable: 'HISTORY_SECONDS',
    default: '300',
    read: integer('seconds', { from: 1, to: 2_592_000 }),
    at: ['object'],
  },
  /** … and has at least so many events. */
  historyEvents: {
    variable: 'HISTORY_EVENTS',
    default: '1000',
    read: integer('events', { from: 1, to: 1_000_000_000 }),
    at: ['object'],
  },
} as const satisfies SettingTable
