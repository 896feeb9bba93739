import { expect, test } from 'vitest'
import { fetchOf } from '../auth/ca-fetch.ts'
import { readSettings } from './settings.ts'

test.each([
  ['5', { perSecond: 5, burst: 10 }],
  ['0.5', { perSecond: 0.5, burst: 1 }],
  ['100:1000', { perSecond: 100, burst: 1000 }],
  ['', undefined],
])('USER_RATE and ADDRESS_RATE: %j', (text, rate) => {
  expect(readSettings({ USER_RATE: text, ADDRESS_RATE: text }, fetchOf({}))).toMatchObject({ userRate: rate, addressRate: rate })
})

test.each([
  { USER_RATE: '0' },
  { USER_RATE: '-1' },
  { USER_RATE: '5:0' },
  { ADDRESS_RATE: 'many' },
  { ADDRESS_RATE: '1:2:3' },
  { AUDIT_POLICY: 'kind: Policy' },
  { CORS_ALLOWED_ORIGINS: 'example' },
  { STATIC_TOKENS: '{}' },
  { CLIENT_CERTIFICATES: 'yes' },
  { LOCATION: 'moon' },
  { JURISDICTION: 'uk' },
  { CLUSTER_DOMAIN: 'Example.com' },
  { HISTORY_SECONDS: '5m' },
  { WATCHES: 'websockets' },
  { AUTHENTICATION_CONFIGURATION: '{}' },
  { AUTHENTICATION_TOKEN_WEBHOOK: '{}' },
  { AUTHORIZATION_CONFIGURATION: '{}' },
])('an invalid setting is an error: %j', (texts) => {
  expect(() => readSettings(texts, fetchOf({}))).toThrow()
})
