import { expect, test } from 'vitest'
import type { Environment } from '../config/environment.ts'
import { lateSettingsIn } from './late-settings.ts'

const environment = (): Environment => ({ LATE_SETTINGS: 'secret' }) as Environment
const settings = (token: string, body: string): Request =>
  new Request('http://edgeplane/', { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })

test('settings come with the first request that has the token', async () => {
  const env = environment()
  const used: unknown[] = []
  const late = lateSettingsIn(env, ({ SERVICE_CIDR }) => used.push(SERVICE_CIDR))
  expect((await late?.take(settings('other', '{"SERVICE_CIDR":"10.1.0.0/16"}'), env))?.status).toBe(401)
  expect([late?.areMissing, env.SERVICE_CIDR]).toEqual([true, undefined])
  expect((await late?.take(settings('secret', '{"SERVICE_CIDR":"10.0.0.0/24"}'), env))?.status).toBe(204)
  expect([late?.areMissing, env.SERVICE_CIDR, used]).toEqual([false, '10.0.0.0/24', ['10.0.0.0/24']])
})

test('the reason why settings are refused is the response', async () => {
  const env = environment()
  const late = lateSettingsIn(env, () => {
    throw new Error('CONTROLLERS: no')
  })
  const response = await late?.take(settings('secret', '{}'), env)
  expect([response?.status, await response?.text(), late?.areMissing]).toEqual([400, 'CONTROLLERS: no', true])
})

test('a server without a token waits for none', () => {
  expect(lateSettingsIn({} as Environment, () => undefined)).toBeUndefined()
})
