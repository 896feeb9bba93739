import { expect, test } from 'vitest'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { decode } from '../../../schema/decode.ts'
import { applyKindDefaults } from '../../defaulting/defaults.ts'
import { kindOf } from '../../scheme.ts'
import { validateCronJob } from './cron-job.ts'

type CronJob = Parameters<typeof validateCronJob>[0]

function cronJob(timeZone: string): CronJob {
  const kind = kindOf('batch', 'v1', 'cronjobs')
  if (kind === undefined) throw new Error('no cronjobs')
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
  const spec = { schedule: '* * * * *', timeZone, jobTemplate: { spec: { template } } }
  const decoded = decode(kind.type, { metadata: { name: 'c' }, spec }).object as unknown as KubernetesObject
  applyKindDefaults(kind, decoded)
  return decoded as CronJob
}

const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'

/** [time zone, errors of kube-apiserver 1.36]. */
test.each<[string, string[]]>([
  ['UTC', []],
  ['Etc/GMT+12', []],
  ['America/Argentina/Buenos_Aires', []],
  ['utc', ['unknown time zone utc']],
  ['europe/berlin', ['unknown time zone europe/berlin']],
  ['SystemV/EST5', ['unknown time zone SystemV/EST5']],
  ['+01:00', ['unknown time zone +01:00']],
  ['', ['timeZone must be nil or non-empty string']],
  ['Local', [explicit]],
  ['local', [explicit, 'unknown time zone local']],
])('time zone %j', (timeZone, texts) => {
  const errors = validateCronJob(cronJob(timeZone))
  expect(errors.map(({ field, text }) => `${field}: ${text}`)).toEqual(
    texts.map((text) => `spec.timeZone: Invalid value: "${timeZone}": ${text}`),
  )
})
