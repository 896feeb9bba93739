/** The options of `edgeplane deploy` that become settings. */
import type { Option } from '../command-line.ts'
import { fileOptions, settingOptions } from '../options.ts'
import { startOptions } from '../start-options.ts'

/** Options of the local server alone. */
const localFiles: ReadonlySet<string> = new Set([
  'client-ca-file',
  'kubelet-certificate-authority',
  'requestheader-client-ca-file',
])

const sharedNames: ReadonlySet<string> = new Set([
  ...Object.keys(settingOptions),
  ...Object.keys(fileOptions).filter((name) => !localFiles.has(name)),
  'audit-policy-file',
])

/** The shared options of `edgeplane start`, and some more. */
export const deploySettingOptions: readonly Option[] = [
  { name: 'location', value: 'REGION', help: ['where objects are made, such as weur (default: near you)'] },
  {
    name: 'root-certificate-file',
    value: 'FILE',
    help: ['authorities for the ConfigMap kube-root-ca.crt (default: there is none)'],
  },
  {
    name: 'var',
    value: 'NAME=VALUE',
    many: true,
    help: ['any other setting of docs/configuration.md; an empty value removes it'],
  },
  ...startOptions.filter(({ name }) => sharedNames.has(name)),
]
