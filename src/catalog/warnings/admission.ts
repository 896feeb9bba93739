/** Warnings of webhooks, admission policies and bindings. */
import { forMainResource } from './warn.ts'

const suffix = '.static.k8s.io'

export const warnOfStaticName = forMainResource(({ metadata }, _old, warnings) => {
  if (!(metadata.name ?? '').endsWith(suffix)) return
  const text = `names ending with "${suffix}" are reserved for static manifest-based configurations and cannot be managed via the API`
  warnings.add(`metadata.name: ${text}`)
})
